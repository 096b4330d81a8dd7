/* A SQLite VFS that keeps a record of what was done to the disk, and in which order.
 *
 * From such a record a test builds what a power cut at any instant can leave of the files. The VFS stands before the one
 * that SQLite uses (https://sqlite.org/vfs.html, "shims") and does everything through it. A record is made when the real
 * call has come back, and only of calls that succeeded: so a sync is on record only when it is true.
 *
 * SQLite syncs a folder after it has made a log or a journal in it, inside the first sync of that file, and after it has
 * deleted one when it was told to. That goes through the system call "openDirectory" (sqlite3_vfs.xSetSystemCall), which
 * is taken over to see it.
 *
 * The `-shm` file is not recorded: it does not outlive the last process that has it open. */
#include "recordingdisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char prefix[4096];
static int is_recording;
static struct recordingdisk_record *records;
static long count, capacity;

static char held_path[4096];
static int is_held, waiting;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static sqlite3_vfs *real_vfs;
/* Atomic, because another thread may open a folder while this is installed: SQLite has no lock for its system calls. */
static int (*_Atomic real_open_directory)(const char *, int *);

/* ---- The record ---- */

/* What follows the recorded path: a string that lives as long as the process; NULL: not ours. */
static const char *name_of(const char *path) {
    static const char *const names[] = {"", "-wal", "-journal"};
    size_t length = strlen(prefix);
    if (!path || !length || strncmp(path, prefix, length) != 0) return NULL;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(path + length, names[i]) == 0) return names[i];
    return NULL;
}

static void add(enum recordingdisk_kind kind, const char *path, long offset, const void *bytes, long length) {
    pthread_mutex_lock(&lock);
    const char *name = is_recording ? name_of(path) : NULL;
    if (name) {
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 4096;
            records = realloc(records, capacity * sizeof *records);
            if (!records) abort();
        }
        unsigned char *copy = NULL;
        if (bytes) {
            copy = malloc(length ? length : 1);
            if (!copy) abort();
            memcpy(copy, bytes, length);
        }
        records[count++] = (struct recordingdisk_record){kind, name, offset, length, copy};
    }
    pthread_mutex_unlock(&lock);
}

static int is_ours(const char *path) {
    pthread_mutex_lock(&lock);
    int ours = (is_recording && name_of(path)) || (path && *held_path && !strcmp(path, held_path));
    pthread_mutex_unlock(&lock);
    return ours;
}

void recordingdisk_start(const char *path) {
    pthread_mutex_lock(&lock);
    for (long i = 0; i < count; i++) free((void *)records[i].bytes);
    count = 0;
    prefix[0] = 0;
    if (strlen(path) < sizeof prefix) strcpy(prefix, path);
    is_recording = 1;
    pthread_mutex_unlock(&lock);
}

void recordingdisk_stop(void) {
    pthread_mutex_lock(&lock);
    is_recording = 0;
    pthread_mutex_unlock(&lock);
}

long recordingdisk_count(void) {
    pthread_mutex_lock(&lock);
    long value = count;
    pthread_mutex_unlock(&lock);
    return value;
}

struct recordingdisk_record recordingdisk_at(long index) {
    pthread_mutex_lock(&lock);
    struct recordingdisk_record record = records[index];
    pthread_mutex_unlock(&lock);
    return record;
}

/* ---- Holding ---- */

void recordingdisk_hold(const char *path, int held) {
    pthread_mutex_lock(&lock);
    held_path[0] = 0;
    if (strlen(path) < sizeof held_path) strcpy(held_path, path);
    is_held = held;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void recordingdisk_await_held(void) {
    pthread_mutex_lock(&lock);
    while (!waiting) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void wait_while_held(const char *path) {
    pthread_mutex_lock(&lock);
    waiting++;
    while (is_held && !strcmp(path, held_path)) {
        pthread_cond_broadcast(&changed);
        pthread_cond_wait(&changed, &lock);
    }
    waiting--;
    pthread_mutex_unlock(&lock);
}

/* ---- Files: the real one lies behind ours ---- */

struct file {
    sqlite3_file base;
    const char *path; /* SQLite keeps it until the file is closed */
    sqlite3_file *real;
};

#define OURS ((struct file *)file)
#define REAL (OURS->real)
#define CALL(method, ...) (REAL->pMethods->method(REAL, ##__VA_ARGS__))

static int file_close(sqlite3_file *file) { return CALL(xClose); }

static int file_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
    return CALL(xRead, bytes, length, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    wait_while_held(OURS->path);
    int code = CALL(xWrite, bytes, length, offset);
    if (code == SQLITE_OK) add(RECORDINGDISK_WRITE, OURS->path, (long)offset, bytes, length);
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = CALL(xTruncate, size);
    if (code == SQLITE_OK) add(RECORDINGDISK_TRUNCATE, OURS->path, (long)size, NULL, 0);
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    /* What another thread writes meanwhile may come too late for it. */
    long before = recordingdisk_count();
    int code = CALL(xSync, flags);
    if (code == SQLITE_OK) add(RECORDINGDISK_SYNC, OURS->path, before, NULL, 0);
    return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return CALL(xFileSize, size); }
static int file_lock(sqlite3_file *file, int level) { return CALL(xLock, level); }
static int file_unlock(sqlite3_file *file, int level) { return CALL(xUnlock, level); }
static int file_is_locked(sqlite3_file *file, int *result) { return CALL(xCheckReservedLock, result); }
static int file_control(sqlite3_file *file, int what, void *value) { return CALL(xFileControl, what, value); }
static int file_sector_size(sqlite3_file *file) { return CALL(xSectorSize); }
static int file_characteristics(sqlite3_file *file) { return CALL(xDeviceCharacteristics); }

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return CALL(xShmMap, page, size, extend, memory);
}
static int file_shm_lock(sqlite3_file *file, int offset, int n, int flags) { return CALL(xShmLock, offset, n, flags); }
static void file_shm_barrier(sqlite3_file *file) { CALL(xShmBarrier); }
static int file_shm_unmap(sqlite3_file *file, int shall_delete) { return CALL(xShmUnmap, shall_delete); }

/* Without memory mapping, whose writes nobody could see. */
static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int length, void **memory) {
    (void)file, (void)offset, (void)length;
    *memory = NULL;
    return SQLITE_OK;
}
static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    (void)file, (void)offset, (void)memory;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    3,
    file_close,
    file_read,
    file_write,
    file_truncate,
    file_sync,
    file_size,
    file_lock,
    file_unlock,
    file_is_locked,
    file_control,
    file_sector_size,
    file_characteristics,
    file_shm_map,
    file_shm_lock,
    file_shm_barrier,
    file_shm_unmap,
    file_fetch,
    file_unfetch,
};

/* ---- The file system ---- */

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out) {
    (void)vfs;
    /* The real one's own methods are then in `file`, and ours see nothing of it. */
    if (!is_ours(path)) return real_vfs->xOpen(real_vfs, path, file, flags, flags_out);
    int exists = 0;
    real_vfs->xAccess(real_vfs, path, SQLITE_ACCESS_EXISTS, &exists);
    OURS->path = path;
    OURS->real = (sqlite3_file *)(OURS + 1);
    int code = real_vfs->xOpen(real_vfs, path, REAL, flags, flags_out);
    file->pMethods = REAL->pMethods ? &methods : NULL;
    if (code == SQLITE_OK && !exists) add(RECORDINGDISK_CREATE, path, 0, NULL, 0);
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_folder) {
    (void)vfs;
    int exists = 0;
    real_vfs->xAccess(real_vfs, path, SQLITE_ACCESS_EXISTS, &exists);
    /* On record before the folder's sync, which is seen inside. */
    if (exists) add(RECORDINGDISK_DELETE, path, 0, NULL, 0);
    return real_vfs->xDelete(real_vfs, path, sync_folder);
}

/* `path` is that of the file whose folder is meant. */
static int open_directory(const char *path, int *descriptor) {
    int code = real_open_directory(path, descriptor);
    if (code == SQLITE_OK) add(RECORDINGDISK_SYNC_FOLDER, path, 0, NULL, 0);
    return code;
}

int recordingdisk_install(void) {
    static sqlite3_vfs shim;
    pthread_mutex_lock(&lock);
    int code = SQLITE_OK;
    if (!real_vfs) {
        real_vfs = sqlite3_vfs_find(NULL);
        shim = *real_vfs;
        shim.zName = "recording";
        shim.szOsFile = (int)sizeof(struct file) + real_vfs->szOsFile;
        shim.xOpen = vfs_open;
        shim.xDelete = vfs_delete;
        sqlite3_syscall_ptr before = real_vfs->xGetSystemCall(real_vfs, "openDirectory");
        real_open_directory = (int (*)(const char *, int *))before;
        code = real_vfs->xSetSystemCall(real_vfs, "openDirectory", (sqlite3_syscall_ptr)open_directory);
        if (code == SQLITE_OK) code = sqlite3_vfs_register(&shim, 1);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* A disk that fails, for the files of one database.
 *
 * Loaded into the shipped program, this stands between SQLite and the C library:
 *
 *     cc -shared -fPIC -O1 -o faultydisk.so Tests/CFaultyDisk/faultydisk.c -ldl
 *     FAULTYDISK_DATABASE=/tmp/mesh.db FAULTYDISK_CONTROL=/tmp/fault LD_PRELOAD=./faultydisk.so mesh-gateway serve
 *
 * The control file is read at each call, so that the disk fails and recovers while the program runs. It holds one line,
 *
 *     CALLS ERRNO N          such as "write,sync 28 3"
 *
 * and lets every N-th of these calls on the database, its log, its journal and its shared memory fail with that error
 * number: "write" is write and pwrite, "read" pread, "sync" fsync and fdatasync, "truncate" ftruncate, "open" open. With
 * the error number 0 they do not return before the file is gone; with a negative one they take so many milliseconds, and
 * go through. Nothing fails while the file is missing or empty. A byte is added to
 * FAULTYDISK_CONTROL.failed for each call that failed or hangs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) abort();
    return symbol;
}

/* ---- Which files ---- */

/* Whether a descriptor is one of the database's. */
static atomic_bool ours[4096];

static int is_database(const char *path) {
    const char *database = getenv("FAULTYDISK_DATABASE");
    if (!database || strncmp(path, database, strlen(database)) != 0) return 0;
    const char *rest = path + strlen(database);
    return !*rest || !strcmp(rest, "-wal") || !strcmp(rest, "-journal") || !strcmp(rest, "-shm");
}

static int is_ours(int descriptor) { return descriptor >= 0 && descriptor < 4096 && ours[descriptor]; }

static void note(int descriptor, int is_database) {
    if (descriptor >= 0 && descriptor < 4096) ours[descriptor] = is_database;
}

/* ---- Whether a call fails ---- */

/* The error number for this call; 0: it goes through. Does nothing that comes back here. */
static int failure(const char *call) {
    static atomic_uint calls;
    char path[PATH_MAX], text[128];
    const char *control = getenv("FAULTYDISK_CONTROL");
    if (!control) return 0;
    int file = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    long length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[length > 0 ? length : 0] = 0;
    char failing[64];
    int error;
    unsigned nth;
    if (sscanf(text, "%63s %d %u", failing, &error, &nth) != 3 || !nth || !strstr(failing, call)) return 0;
    if ((atomic_fetch_add(&calls, 1) + 1) % nth) return 0;
    snprintf(path, sizeof path, "%s.failed", control);
    file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    syscall(SYS_write, file, "x", 1);
    syscall(SYS_close, file);
    while (!error && !access(control, F_OK)) usleep(10000);
    if (error < 0) usleep(-error * 1000);
    return error > 0 ? error : 0;
}

#define FAIL_IF_DUE(call, is_ours)                 \
    do {                                           \
        int error = (is_ours) ? failure(call) : 0; \
        if (error) {                               \
            errno = error;                         \
            return -1;                             \
        }                                          \
    } while (0)

/* ---- The calls ---- */

#define OPEN(name)                                                     \
    int name(const char *path, int flags, ...) {                       \
        mode_t mode = 0;                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                           \
            va_list arguments;                                         \
            va_start(arguments, flags);                                \
            mode = va_arg(arguments, mode_t);                          \
            va_end(arguments);                                         \
        }                                                              \
        int is_ours = is_database(path);                               \
        FAIL_IF_DUE("open", is_ours);                                  \
        int descriptor = REAL(name)(path, flags, mode);                \
        note(descriptor, is_ours);                                     \
        return descriptor;                                             \
    }

OPEN(open)
OPEN(open64)

int close(int descriptor) {
    note(descriptor, 0);
    return REAL(close)(descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    FAIL_IF_DUE("write", is_ours(descriptor));
    return REAL(write)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    FAIL_IF_DUE("write", is_ours(descriptor));
    return REAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    FAIL_IF_DUE("write", is_ours(descriptor));
    return REAL(pwrite64)(descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    FAIL_IF_DUE("read", is_ours(descriptor));
    return REAL(pread)(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    FAIL_IF_DUE("read", is_ours(descriptor));
    return REAL(pread64)(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
    FAIL_IF_DUE("sync", is_ours(descriptor));
    return REAL(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    FAIL_IF_DUE("sync", is_ours(descriptor));
    return REAL(fdatasync)(descriptor);
}

int ftruncate(int descriptor, off_t length) {
    FAIL_IF_DUE("truncate", is_ours(descriptor));
    return REAL(ftruncate)(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    FAIL_IF_DUE("truncate", is_ours(descriptor));
    return REAL(ftruncate64)(descriptor, length);
}

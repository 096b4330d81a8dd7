#ifndef RECORDINGDISK_H
#define RECORDINGDISK_H

/* What a test may ask of the recording VFS (recordingdisk.c). One recording at a time in a process. */

enum recordingdisk_kind {
    /* Bytes were written at an offset. */
    RECORDINGDISK_WRITE,
    /* The file was cut, or extended, to a length, which is in `offset`. */
    RECORDINGDISK_TRUNCATE,
    /* Of what was done to the file, all that had come back when the sync began is on disk: the first `offset` records. */
    RECORDINGDISK_SYNC,
    /* The name is that of a new, empty file. */
    RECORDINGDISK_CREATE,
    RECORDINGDISK_DELETE,
    /* Every name that came or went before has done so on disk. The file is the one that the sync was made for. */
    RECORDINGDISK_SYNC_FOLDER,
};

struct recordingdisk_record {
    enum recordingdisk_kind kind;
    /* What follows the recorded prefix in the file's name, such as "-wal". */
    const char *name;
    long offset;
    long count;
    const unsigned char *bytes;
};

/* Puts the VFS in front of SQLite's default one, for files that are opened from now on. What is not recorded is passed
 * on as it is. Returns 0, or SQLite's result code. */
int recordingdisk_install(void);

/* Forgets the last recording and records the database with this path, its log and its journal. */
void recordingdisk_start(const char *path);

/* Ends the recording; its records stay until the next one is started. */
void recordingdisk_stop(void);

/* Makes writes to the file with this path wait, or go on. The file is opened after the first of these calls. One file at a
 * time. */
void recordingdisk_hold(const char *path, int held);

/* Returns when a write waits. */
void recordingdisk_await_held(void);

/* How many records there are. */
long recordingdisk_count(void);

/* One of them; it stays valid until the next recording is started. */
struct recordingdisk_record recordingdisk_at(long index);

#endif

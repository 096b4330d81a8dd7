/* Serial ports that do not exist, for the real libserialport.
 *
 * libserialport 0.1.1 opens only what it finds under /sys/class/tty, and only what answers TIOCMGET: a pseudo terminal
 * does neither. This file stands between the library and the C library. Paths below /sys/class/tty, /sys/devices,
 * /dev/tty* and /dev/serial are looked up under a fake root first; the modem line ioctls that a pseudo terminal refuses
 * are emulated and counted. Everything else is the real thing.
 *
 * In `swift test` this is a target that the tests link: the executable's symbols win over the C library's. For the
 * shipped program it is a shared object:
 *
 *     cc -shared -fPIC -O1 -I Tests/CFakeSerial/include -o fakeserial.so Tests/CFakeSerial/fakeserial.c -ldl
 *     FAKESERIAL_ROOT=/tmp/root LD_PRELOAD=./fakeserial.so mesh-gateway serve
 *
 * A root looks like this; the link in sys/class/tty must contain "usb", as real ones do:
 *
 *     sys/devices/usb1/NAME/{busnum,devnum,idVendor,idProduct,product,manufacturer,serial}
 *     sys/devices/usb1/NAME/if0/tty/NAME/device -> ../..
 *     sys/class/tty/NAME -> ../../devices/usb1/NAME/if0/tty/NAME
 *     dev/NAME -> /dev/pts/5
 *     dev/serial/by-id/usb-… -> ../../NAME
 *     dev/NAME.errno           opening NAME fails with this error number
 *
 * Under a root, inotify watches of /dev and below watch the fake /dev. */
#define _GNU_SOURCE
#include "fakeserial.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) abort();
    return symbol;
}

/* ---- The root ---- */

static char root[PATH_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int has_root(void) {
    pthread_mutex_lock(&lock);
    if (!root[0] && getenv("FAKESERIAL_ROOT")) snprintf(root, sizeof root, "%s", getenv("FAKESERIAL_ROOT"));
    int set = root[0] != 0;
    pthread_mutex_unlock(&lock);
    return set;
}

const char *fakeserial_root(const char *path) {
    if (!has_root()) {
        pthread_mutex_lock(&lock);
        if (!root[0]) snprintf(root, sizeof root, "%s", path);
        pthread_mutex_unlock(&lock);
    }
    return root;
}

/* Whether the path concerns serial ports; /dev itself only for those that list or watch it. */
static int is_ours(const char *path) {
    static const char *const prefixes[] = {"/sys/class/tty", "/sys/devices", "/dev/tty", "/dev/serial"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) return 1;
    return 0;
}

/* The path below the root if something is there, else the path itself. */
static const char *redirect(const char *path, char *space) {
    struct stat status;
    if (!path || !is_ours(path) || !has_root()) return path;
    snprintf(space, PATH_MAX, "%s%s", root, path);
    return fstatat(AT_FDCWD, space, &status, AT_SYMLINK_NOFOLLOW) == 0 ? space : path;
}

/* ---- The ports that were opened ---- */

struct port {
    char name[64];
    dev_t device;
    int lines, opens, pulses, error;
};
static struct port ports[512];

/* With the lock held. Null when there are too many. */
static struct port *port_named(const char *name) {
    struct port *unused = 0;
    for (unsigned i = 0; i < sizeof ports / sizeof *ports; i++) {
        if (strcmp(ports[i].name, name) == 0) return &ports[i];
        if (!ports[i].name[0] && !unused) unused = &ports[i];
    }
    if (unused) snprintf(unused->name, sizeof unused->name, "%s", name);
    return unused;
}

static struct port *port_with_device(dev_t device) {
    for (unsigned i = 0; i < sizeof ports / sizeof *ports; i++)
        if (ports[i].name[0] && device && ports[i].device == device) return &ports[i];
    return 0;
}

void fakeserial_forget(const char *name) {
    pthread_mutex_lock(&lock);
    struct port *port = port_named(name);
    if (port) memset(port, 0, sizeof *port);
    pthread_mutex_unlock(&lock);
}

void fakeserial_fail_open(const char *name, int error) {
    pthread_mutex_lock(&lock);
    struct port *port = port_named(name);
    if (port) port->error = error;
    pthread_mutex_unlock(&lock);
}

#define PORT_VALUE(function, field)                                                                                    \
    int function(const char *name) {                                                                                   \
        pthread_mutex_lock(&lock);                                                                                     \
        struct port *port = port_named(name);                                                                          \
        int value = port ? port->field : 0;                                                                            \
        pthread_mutex_unlock(&lock);                                                                                   \
        return value;                                                                                                  \
    }
PORT_VALUE(fakeserial_lines, lines)
PORT_VALUE(fakeserial_opens, opens)
PORT_VALUE(fakeserial_pulses, pulses)

/* Error number for opening the port, by the test's word or by the file beside the node. */
static int open_error(const char *path, const char *fake) {
    char beside[PATH_MAX + 8], text[16] = "";
    if (strncmp(path, "/dev/", 5) != 0) return 0;
    pthread_mutex_lock(&lock);
    struct port *port = port_named(path + 5);
    int error = port ? port->error : 0;
    pthread_mutex_unlock(&lock);
    snprintf(beside, sizeof beside, "%s.errno", fake);
    int fd = REAL(open)(beside, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, text, sizeof text - 1) > 0) error = atoi(text);
        close(fd);
    }
    return error;
}

static int open_fake(const char *path, int flags, mode_t mode) {
    char space[PATH_MAX];
    const char *target = redirect(path, space);
    if (target == path) return REAL(open)(path, flags, mode);
    int error = open_error(path, target);
    if (error) {
        errno = error;
        return -1;
    }
    int fd = REAL(open)(target, flags, mode);
    struct stat status;
    if (fd >= 0 && strncmp(path, "/dev/", 5) == 0 && fstat(fd, &status) == 0) {
        pthread_mutex_lock(&lock);
        struct port *port = port_named(path + 5);
        if (port) {
            port->device = status.st_rdev;
            port->lines = TIOCM_DTR | TIOCM_RTS; /* the kernel raises both at every open */
            port->opens++;
        }
        pthread_mutex_unlock(&lock);
    }
    return fd;
}

/* ---- The C library's functions ---- */

static mode_t mode_argument(int flags, va_list list) {
    return flags & (O_CREAT | O_TMPFILE) & ~O_DIRECTORY ? (mode_t)va_arg(list, int) : 0;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        mode_t mode = mode_argument(flags, list);                                                                      \
        va_end(list);                                                                                                  \
        return open_fake(path, flags, mode);                                                                           \
    }
OPEN(open)
OPEN(open64)
int __open_2(const char *path, int flags) { return open_fake(path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_fake(path, flags, 0); }

FILE *fopen(const char *path, const char *mode) {
    char space[PATH_MAX];
    return REAL(fopen)(redirect(path, space), mode);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

DIR *opendir(const char *path) {
    char space[PATH_MAX];
    return REAL(opendir)(redirect(path, space));
}

ssize_t readlink(const char *restrict path, char *restrict target, size_t size) {
    char space[PATH_MAX];
    return REAL(readlink)(redirect(path, space), target, size);
}

int access(const char *path, int mode) {
    char space[PATH_MAX];
    return REAL(access)(redirect(path, space), mode);
}

static int status_of(const char *path, struct stat *status, int flags) {
    char space[PATH_MAX];
    return fstatat(AT_FDCWD, redirect(path, space), status, flags);
}
int stat(const char *restrict path, struct stat *restrict status) { return status_of(path, status, 0); }
int lstat(const char *restrict path, struct stat *restrict status) {
    return status_of(path, status, AT_SYMLINK_NOFOLLOW);
}
int __xstat(int version, const char *path, struct stat *status) { return (void)version, status_of(path, status, 0); }
int __lxstat(int version, const char *path, struct stat *status) {
    return (void)version, status_of(path, status, AT_SYMLINK_NOFOLLOW);
}
/* struct stat64 is struct stat on 64-bit systems. */
int __lxstat64(int version, const char *path, struct stat64 *status) {
    return __lxstat(version, path, (struct stat *)status);
}

/* A fake node is a link to a pseudo terminal: links are followed up to the node, not through it. */
char *realpath(const char *restrict path, char *restrict resolved) {
    char space[PATH_MAX], target[PATH_MAX], current[PATH_MAX];
    const char *fake = redirect(path, space);
    if (fake == path) return REAL(realpath)(path, resolved);
    snprintf(current, sizeof current, "%s", path);
    for (int depth = 0; depth < 8; depth++) {
        ssize_t length = REAL(readlink)(redirect(current, space), target, sizeof target - 1);
        if (length < 0) break;
        target[length] = 0;
        if (strncmp(target, "/dev/pts/", 9) == 0) break;
        if (target[0] == '/') {
            snprintf(current, sizeof current, "%s", target);
            continue;
        }
        char *directory = strrchr(current, '/'), *rest = target;
        *directory = 0;
        for (; strncmp(rest, "../", 3) == 0; rest += 3) {
            char *up = strrchr(current, '/');
            if (up) *up = 0;
        }
        strncat(current, "/", sizeof current - strlen(current) - 1);
        strncat(current, rest, sizeof current - strlen(current) - 1);
    }
    if (!resolved) return strdup(current);
    strcpy(resolved, current);
    return resolved;
}

int inotify_add_watch(int fd, const char *path, uint32_t mask) {
    char space[PATH_MAX];
    if (has_root() && (strcmp(path, "/dev") == 0 || is_ours(path))) {
        snprintf(space, sizeof space, "%s%s", root, path);
        path = space;
    }
    return REAL(inotify_add_watch)(fd, path, mask);
}

static int emulate(struct port *port, unsigned long request, int *bits) {
    int before = port->lines;
    switch (request) {
    case TIOCMGET: *bits = port->lines; return 0;
    case TIOCMSET: port->lines = *bits & (TIOCM_DTR | TIOCM_RTS); break;
    case TIOCMBIS: port->lines |= *bits & (TIOCM_DTR | TIOCM_RTS); break;
    case TIOCMBIC: port->lines &= ~*bits; break;
    }
    if (port->lines != (TIOCM_DTR | TIOCM_RTS) && port->lines != before) port->pulses++;
    return 0;
}

int ioctl(int fd, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    int result = REAL(ioctl)(fd, request, argument);
    if (result == 0 || errno != ENOTTY) return result;
    if (request != TIOCMGET && request != TIOCMSET && request != TIOCMBIS && request != TIOCMBIC) return result;
    struct stat status;
    if (fstat(fd, &status) != 0) return result;
    pthread_mutex_lock(&lock);
    struct port *port = port_with_device(status.st_rdev);
    if (port) result = emulate(port, request, argument);
    else errno = ENOTTY;
    pthread_mutex_unlock(&lock);
    return result;
}

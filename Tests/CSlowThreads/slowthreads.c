/* Threads that nap where another one may overtake them.
 *
 * A test that is right only when the machine is quick passes a thousand times and fails on a busy day. Loaded into the
 * tests, this lets some threads sleep, at random, after they give up a lock and around the calls that others wait for:
 *
 *     clang -shared -fPIC -O1 -o slowthreads.so Tests/CSlowThreads/slowthreads.c -ldl
 *     LD_PRELOAD=./slowthreads.so .build/debug/mesh-gatewayPackageTests.xctest --testing-library swift-testing --filter NAME
 *
 * Each thread draws its pace when it first comes here: of ten, five nap seldom, three at times and two often. A nap takes 60
 * milliseconds at most, and a quarter of a second once in twenty. See deploy/test --slow-threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* One call in so many ends in a nap of a thread that naps at times; eight times as many, or as few, of the others. */
enum { AFTER_A_LOCK = 60, AFTER_A_CALL = 20, AROUND_A_SYNC = 8 };

/* Whether this is one of our own programs; what tests start besides keeps its pace. */
static int is_ours;

__attribute__((constructor)) static void look(void) {
    char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    is_ours = strstr(path, "mesh-gateway") != NULL;
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* xorshift64; what a thread starts with is its address, the process and the time. */
static __thread uint64_t drawn;
static uint64_t draw(void) {
    if (!drawn) drawn = (nanoseconds() * 0x9E3779B97F4A7C15 ^ (uintptr_t)&drawn ^ (uint64_t)getpid() << 32) | 1;
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return drawn >> 8;
}

static void nap(unsigned one_in) {
    static __thread enum { UNKNOWN, SELDOM, AT_TIMES, OFTEN } pace;
    static __thread uint64_t awake_until;
    if (!is_ours) return;
    int error = errno;
    if (pace == UNKNOWN) {
        uint64_t of_ten = draw() % 10;
        pace = of_ten < 5 ? SELDOM : of_ten < 8 ? AT_TIMES : OFTEN;
    }
    unsigned often = one_in / 8 ? one_in / 8 : 1;
    if (draw() % (pace == SELDOM ? one_in * 8 : pace == AT_TIMES ? one_in : often) == 0) {
        uint64_t kind = draw() % 20, limit = kind < 4 ? 3000000 : kind < 19 ? 60000000 : 250000000;
        uint64_t length = draw() % limit, now = nanoseconds();
        if (now >= awake_until) {
            struct timespec time = {0, (long)length};
            nanosleep(&time, NULL);
            /* Nobody sleeps more than half of the time. */
            awake_until = now + length * (pace == OFTEN ? 2 : 5);
        }
    }
    errno = error;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    REAL(pthread_mutex_unlock);
    int result = real(mutex);
    nap(AFTER_A_LOCK);
    return result;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    static __typeof__(pthread_cond_broadcast) *real;
    /* Without its version it would be the one of 1999, with another layout. */
    if (!real) real = (__typeof__(pthread_cond_broadcast) *)dlvsym(RTLD_NEXT, "pthread_cond_broadcast", "GLIBC_2.3.2");
    if (!real) real = (__typeof__(pthread_cond_broadcast) *)dlsym(RTLD_NEXT, "pthread_cond_broadcast");
    nap(AFTER_A_CALL);
    return real(condition);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    ssize_t result = real(descriptor, bytes, count);
    nap(AFTER_A_CALL);
    return result;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    REAL(read);
    ssize_t result = real(descriptor, bytes, count);
    nap(AFTER_A_CALL);
    return result;
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    REAL(send);
    ssize_t result = real(descriptor, bytes, count, flags);
    nap(AFTER_A_CALL);
    return result;
}

ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
    REAL(recv);
    ssize_t result = real(descriptor, bytes, count, flags);
    nap(AFTER_A_CALL);
    return result;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
    REAL(poll);
    int result = real(descriptors, count, timeout);
    nap(AFTER_A_CALL);
    return result;
}

int fsync(int descriptor) {
    REAL(fsync);
    nap(AROUND_A_SYNC);
    int result = real(descriptor);
    nap(AROUND_A_SYNC);
    return result;
}

int fdatasync(int descriptor) {
    REAL(fdatasync);
    nap(AROUND_A_SYNC);
    int result = real(descriptor);
    nap(AROUND_A_SYNC);
    return result;
}

/* What a new thread does, a while after it was started. */
struct work {
    void *(*function)(void *);
    void *argument;
};

static void *begin(void *argument) {
    struct work work = *(struct work *)argument;
    free(argument);
    nap(AFTER_A_CALL);
    return work.function(work.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    REAL(pthread_create);
    struct work *work = malloc(sizeof *work);
    if (!work) return EAGAIN;
    *work = (struct work){function, argument};
    int result = real(thread, attributes, begin, work);
    if (result) free(work);
    nap(AFTER_A_CALL);
    return result;
}

/* A system that gives no more threads.
 *
 * Loaded into the shipped program, this stands before the C library:
 *
 *     cc -shared -fPIC -O1 -o nothreads.so Tests/CNoThreads/nothreads.c -ldl
 *     NOTHREADS_CONTROL=/tmp/full LD_PRELOAD=./nothreads.so mesh-gateway serve
 *
 * While that file is there, pthread_create fails with EAGAIN, as at RLIMIT_NPROC or at the limit of a service's tasks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    static __typeof__(&pthread_create) real;
    if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_create");
    const char *control = getenv("NOTHREADS_CONTROL");
    if (control && access(control, F_OK) == 0) return EAGAIN;
    return real(thread, attributes, run, argument);
}

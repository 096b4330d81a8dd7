/* Synchronization.Mutex under the thread sanitizer.
 *
 * The slow paths of Mutex live in libswiftSynchronization.so, which is not instrumented: under contention the
 * sanitizer misses the acquire and reports races between two accesses inside the same lock. These two functions take
 * the place of the slow paths in an executable that is linked with them, call the real ones and tell the sanitizer.
 * Without the sanitizer they only pass on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t thread, SELF);
typedef SWIFT void (*unlock_function)(SELF);

SWIFT void mutex_lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void mutex_unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void mutex_lock_slow(uint32_t thread, SELF) {
    ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void mutex_unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(self);
}

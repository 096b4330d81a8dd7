/* A wall clock that stands still at STANDING_CLOCK (seconds since 1970), so that what a program shows of times and ages
 * is the same on every run. The monotonic clock, by which everything waits, goes on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t standing(void) {
    const char *text = getenv("STANDING_CLOCK");
    return text ? (time_t)strtoll(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    static int (*real)(clockid_t, struct timespec *);
    if (clock == CLOCK_REALTIME) {
        *result = (struct timespec){.tv_sec = standing()};
        return 0;
    }
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, result);
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    *result = (struct timeval){.tv_sec = standing()};
    return 0;
}

time_t time(time_t *result) {
    time_t now = standing();
    if (result) *result = now;
    return now;
}

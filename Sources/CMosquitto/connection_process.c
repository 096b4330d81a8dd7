#define _GNU_SOURCE
#include "connection_process.h"

#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void mg_process_begin(const char *name, int last) {
    prctl(PR_SET_NAME, name);
    close_range((unsigned)last + 1, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    static const int ignored[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
    /* Swift's runtime may have handlers of its own for these, which take a minute. */
    static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) signal(deadly[i], SIG_DFL);
}

bool mg_process_is_sanitized(void) {
    return dlsym(RTLD_DEFAULT, "__tsan_init") || dlsym(RTLD_DEFAULT, "__asan_init");
}

/* What RLIMIT_DATA counts, in kB; 0 if unknown. */
static size_t kilobytes_of_data(void) {
    FILE *file = fopen("/proc/self/status", "re");
    if (!file) return 0;
    char line[128];
    size_t kilobytes = 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmData: %zu kB", &kilobytes) == 1) break;
    fclose(file);
    return kilobytes;
}

void mg_process_limit(size_t bytes) {
    size_t kilobytes = bytes && !mg_process_is_sanitized() ? kilobytes_of_data() : 0;
    if (kilobytes) {
        rlim_t most = (rlim_t)kilobytes * 1024 + bytes;
        setrlimit(RLIMIT_DATA, &(struct rlimit){most, most});
    }
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){16, 16});
}

size_t mg_process_allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

size_t mg_process_unread(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 && count > 0 ? (size_t)count : 0;
}

#include "allocation.h"

#include <malloc.h>

void mg_keep_little_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_ARENA_MAX, 1);
}

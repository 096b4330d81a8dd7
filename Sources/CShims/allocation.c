#include "allocation.h"

#include <malloc.h>

void mg_give_large_buffers_back(void) { mallopt(M_MMAP_THRESHOLD, 128 << 10); }

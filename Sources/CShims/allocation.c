#define _GNU_SOURCE
#include "allocation.h"

#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void mg_keep_little_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 32 << 10);
    mallopt(M_ARENA_MAX, 1);
}

static int unmap(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        /* What can be written has been relocated, and is no longer what the file has. */
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, first = start & ~(page - 1);
        madvise((void *)first, start + segment->p_memsz - first, MADV_DONTNEED);
    }
    return 0;
}

void mg_give_back_code(void) { dl_iterate_phdr(unmap, NULL); }

void mg_give_back_holes(void) { malloc_trim(0); }

#ifndef MESH_GATEWAY_ALLOCATION_H
#define MESH_GATEWAY_ALLOCATION_H

/* Buffers from 32 kB on, which answers and connections take for a moment, go back to the kernel as soon as they are freed:
   by itself glibc keeps the room of such buffers once the first one was freed, and whatever was put behind one in the
   heap keeps it from shrinking for ever. And all threads share one heap: with one for each of them, as by default, what
   one has freed is of no use to the others, and half an hour of everything at once took 2.5 MB more. To be called before
   the first thread. mallopt is in no header that Swift reads. */
void mg_keep_little_memory(void);

/* Code that has run once and is not needed again (the start of the program, of Swift and of Debian's libraries: 6 MB) goes
   out of the process's memory; what is needed comes back from the kernel's page cache. */
void mg_give_back_code(void);

/* Whole pages of the heap that are free go back to the kernel, also those with something living behind them, which free()
   leaves alone. */
void mg_give_back_holes(void);

#endif

#ifndef MESH_GATEWAY_ALLOCATION_H
#define MESH_GATEWAY_ALLOCATION_H

/* Buffers from 128 kB on go back to the kernel as soon as they are freed. By itself glibc keeps the room of such buffers
   in the heap of each thread after the first one was freed. To be called before the first thread. mallopt is in no
   header that Swift reads. */
void mg_give_large_buffers_back(void);

#endif

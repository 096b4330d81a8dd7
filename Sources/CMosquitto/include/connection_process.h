#ifndef MESH_GATEWAY_CONNECTION_PROCESS_H
#define MESH_GATEWAY_CONNECTION_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* What a process that serves one connection to a broker asks of the kernel for itself: calls that Swift cannot make (prctl is
   variadic) or glibc hides. */

/* Shows `name` in ps, closes every descriptor above `last`, ends with the thread that has started this process (SIGKILL), and lets no
   process of the same user read its memory or trace it. SIGTERM, SIGINT and SIGHUP, which systemd and terminals send to all
   processes of a service or a command, are ignored, and SIGPIPE; the signals of a crash end it at once. */
void mg_process_begin(const char *name, int last);

/* Memory that it may have from now on, in bytes (RLIMIT_DATA); 0 for any. A sanitizer keeps memory of its own: there is no limit with
   one. And at most 16 descriptors (RLIMIT_NOFILE). */
void mg_process_limit(size_t bytes);

/* Bytes that malloc has given out. */
size_t mg_process_allocated(void);

/* Whether this program was built for a sanitizer. */
bool mg_process_is_sanitized(void);

/* Bytes that have arrived at a socket and are not read yet (FIONREAD); 0 on a readable one if the other side has closed it. */
size_t mg_process_unread(int descriptor);

#endif

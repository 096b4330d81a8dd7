#ifndef MESH_GATEWAY_PTY_H
#define MESH_GATEWAY_PTY_H

/* Opens a new pseudo terminal in raw mode, close-on-exec. Returns the controlling side and writes the path of the
   other side into `path`; -1 and errno on failure. glibc hides posix_openpt and ptsname_r from Swift. */
int mg_open_pty(char *path, unsigned long capacity);

#endif

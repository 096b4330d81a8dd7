#include <sqlite3.h>

/* SQLITE_CONFIG_MEMSTATUS off, before the first connection. Swift cannot call what takes a varying number of arguments. */
static inline int mg_sqlite_counts_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#include <sqlite3.h>

/* Before the first connection. Swift cannot call what takes a varying number of arguments.

   SQLITE_CONFIG_MEMSTATUS off: SQLite does not count what memory it takes, for which all threads would take turns at one
   lock. What bounds it are the page caches.
   SQLITE_CONFIG_PAGECACHE, 256 kB: the first pages of a connection lie in one block, its own; of readers that is all. After
   each write theirs are new, and one by one among what lives longer they left holes in the heap. */
static inline int mg_sqlite_configure(void) {
    int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return code ? code : sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, -256);
}

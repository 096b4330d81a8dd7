#ifndef MESH_GATEWAY_HTTP_H
#define MESH_GATEWAY_HTTP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>

/* What one libmicrohttpd daemon is started with. Every callback gets `context` as its first argument. */
struct mg_http_options {
    int listening_socket;
    /* 0: none; the caller runs the daemon (mg_http_run_round). */
    unsigned threads;
    unsigned connections;
    size_t connection_memory, stack_size;
    unsigned idle_seconds;
    void *context;
    MHD_AccessHandlerCallback handler;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    /* The request target as it came, before libmicrohttpd cuts it up; the result becomes the request's pointer. */
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    /* On the connection's thread, before libmicrohttpd answers by itself: a Content-Length cannot be read. */
    void (*length_refused)(void *context);
    /* A gnutls_certificate_retrieve_function2 that gives each handshake its certificate; NULL: no TLS. */
    void *certificate;
    /* Versions and ciphers of TLS as gnutls_priority_init has them. */
    const char *priorities;
};

/* MHD_start_daemon: poll, targets left undecoded, silent. NULL and
   errno on failure. (Swift cannot call variadic functions; so with the others here.) */
struct MHD_Daemon *mg_http_start(const struct mg_http_options *options);

/* One loop of a daemon without threads: waits (select) until a connection is ready, a timeout has come, or the eventfd `wake` is
   signalled, which is cleared, or at once when something is pending, such as connections that were resumed on this thread; and lets libmicrohttpd look at every connection that is ready (MHD_run_from_select). */
void mg_http_run_round(struct MHD_Daemon *daemon, const struct mg_http_options *options, int wake, int is_pending);

/* Between two such loops, each of which accepts one connection: accepts one more, if one waits and there is a place. Returns
   whether it did. */
int mg_http_accept(struct MHD_Daemon *daemon, const struct mg_http_options *options);

/* MHD_CONNECTION_INFO_CONNECTION_FD; -1 when unknown. */
int mg_http_descriptor(struct MHD_Connection *connection);

/* MHD_CONNECTION_INFO_GNUTLS_SESSION, a gnutls_session_t; NULL for a connection without TLS. */
void *mg_http_tls_session(struct MHD_Connection *connection);

/* MHD_CONNECTION_INFO_SOCKET_CONTEXT: what the connection callback left behind; NULL when nothing. */
void *mg_http_connection_context(struct MHD_Connection *connection);

/* MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE: from the first byte of the request line to the last of the line that ended
   the headers; 0 when unknown. */
size_t mg_http_header_size(struct MHD_Connection *connection);

/* Whether the library is 1.0 or newer, whatever it was built against: it reads the head of a request in another way. */
int mg_http_is_of_1_0(void);

/* Of a TCP connection: 1 when the peer's kernel has not acknowledged all that was sent (SIOCOUTQ), 0 when it has, -1 when
   that is not known; and how many bytes it has acknowledged so far (tcpi_bytes_acked, which glibc's tcp_info lacks). */
int mg_unread(int descriptor, uint64_t *acknowledged);

/* SO_LINGER with no time: what the peer has not taken is thrown away when the socket is closed. */
void mg_reset_when_closed(int descriptor);

/* SO_PEERCRED of a connected Unix socket: 0, or -1 and errno. glibc hides struct ucred from Swift. */
int mg_peer_credentials(int descriptor, uid_t *user, gid_t *group, pid_t *process);

/* eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), which Swift's Glibc does not show. */
int mg_eventfd(void);

/* pipe2(ends, O_CLOEXEC), likewise. */
int mg_pipe(int ends[2]);

#endif

#define _GNU_SOURCE
#include "http.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <unistd.h>

/* libmicrohttpd decodes %00 to a NUL and thereby cuts the path short, so that "/status%00/x" would be "/status".
   Nothing is decoded here; the server decodes the target itself. */
static size_t leave_undecoded(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/* The same for all daemons. */
static void (*_Atomic length_refused)(void *context);

/* Its log entries are the only sign of what libmicrohttpd is about to do by itself. None is written: there would be a
   line for each refused connection. */
static void take_log_entry(void *context, const char *format, va_list arguments) {
    (void)arguments;
    if (strstr(format, "Content-Length")) length_refused(context);
}

struct MHD_Daemon *mg_http_start(const struct mg_http_options *options) {
    length_refused = options->length_refused;
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)take_log_entry, options->context},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)options->connections, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->connection_memory, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)options->idle_seconds, NULL},
        /* Strict mode adds a check of Host, which 0.9.75 answers with its head sent twice, and of blanks in the
           target, which it does not answer at all. The server checks both itself. 1.0 in strict mode refuses a bare LF and
           a line that goes on with the one before, of which it otherwise leaves nothing to be seen. */
        {MHD_OPTION_STRICT_FOR_CLIENT, mg_http_is_of_1_0(), NULL},
        {MHD_OPTION_LISTEN_SOCKET, options->listening_socket, NULL},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_undecoded, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)options->target, options->context},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)options->completed, options->context},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)options->connection, options->context},
        /* Room for those that not every daemon has. */
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem *next = items;
    while (next->option != MHD_OPTION_END) next++;
    /* Not epoll: with edge-triggered epoll, 0.9.75 never notices that a client left when the end of the stream came
       together with part of a request, and keeps its place until the idle timeout. And it polls on threads of its own only:
       when the caller runs it, it is select, for which descriptors end at FD_SETSIZE. */
    unsigned flags = MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (options->threads > 0) flags |= MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD;
    /* A pool of one is a second thread for nothing. */
    if (options->threads > 1)
        *next++ = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)options->threads, NULL};
    if (options->threads > 0)
        *next++ = (struct MHD_OptionItem){MHD_OPTION_THREAD_STACK_SIZE, (intptr_t)options->stack_size, NULL};
    if (options->certificate) {
        flags |= MHD_USE_TLS;
        *next++ = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)options->priorities};
        *next++ = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK, 0, options->certificate};
    }
    return MHD_start_daemon(flags, 0, NULL, NULL, options->handler, options->context, MHD_OPTION_ARRAY, items,
                            MHD_OPTION_END);
}

void mg_http_run_round(struct MHD_Daemon *daemon, const struct mg_http_options *options, int wake, int is_pending) {
    fd_set reading, writing, failing;
    int highest = wake;
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_ZERO(&failing);
    MHD_get_fdset2(daemon, &reading, &writing, &failing, &highest, FD_SETSIZE);
    FD_SET(wake, &reading);
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    struct timeval time, *limit = NULL;
    /* In this mode it would accept one connection too many, to close it at once. */
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    if (info && info->num_connections >= options->connections) FD_CLR(options->listening_socket, &reading);
    if (is_pending || MHD_get_timeout(daemon, &milliseconds) == MHD_YES) {
        time.tv_sec = milliseconds / 1000;
        time.tv_usec = milliseconds % 1000 * 1000;
        limit = &time;
    }
    if (select((highest > wake ? highest : wake) + 1, &reading, &writing, &failing, limit) < 0) {
        FD_ZERO(&reading);
        FD_ZERO(&writing);
        FD_ZERO(&failing);
    }
    uint64_t count;
    if (FD_ISSET(wake, &reading) && read(wake, &count, sizeof count) < 0) count = 0;
    MHD_run_from_select(daemon, &reading, &writing, &failing);
}

int mg_http_accept(struct MHD_Daemon *daemon, const struct mg_http_options *options) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    struct pollfd waiting = {options->listening_socket, POLLIN, 0};
    if (!info || info->num_connections >= options->connections || poll(&waiting, 1, 0) != 1) return 0;
    fd_set reading, none;
    FD_ZERO(&reading);
    FD_ZERO(&none);
    FD_SET(options->listening_socket, &reading);
    fd_set writing = none, failing = none;
    return MHD_run_from_select(daemon, &reading, &writing, &failing) == MHD_YES;
}

int mg_http_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

void *mg_http_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

void *mg_http_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

size_t mg_http_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

int mg_http_is_of_1_0(void) { return MHD_get_version()[0] != '0'; }

int mg_unread(int descriptor, uint64_t *acknowledged) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    int queued = 0;
    memset(&info, 0, sizeof info);
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    if (ioctl(descriptor, SIOCOUTQ, &queued) != 0) return -1;
    *acknowledged = info.tcpi_bytes_acked;
    return queued > 0;
}

void mg_reset_when_closed(int descriptor) {
    const struct linger none = {.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

int mg_peer_credentials(int descriptor, uid_t *user, gid_t *group, pid_t *process) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    *user = credentials.uid;
    *group = credentials.gid;
    *process = credentials.pid;
    return 0;
}

int mg_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int mg_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

#define _GNU_SOURCE
#include "mosquitto_client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct mosquitto;
typedef struct mqtt5__property properties;

/* mosquitto.h, 2.0.0 to 2.0.22. */
struct message {
    int mid;
    char *topic;
    void *payload;
    int payloadlen;
    int qos;
    bool retain;
};

enum { OPTION_PROTOCOL = 1, LOG_ERROR = 8, SUBSCRIBE_NO_LOCAL = 4, INVALID = 3, NO_MEMORY = 1 };
/* Properties of MQTT 5, 2.2.2.2. */
enum {
    MESSAGE_EXPIRY = 2,
    SERVER_KEEP_ALIVE = 19,
    RECEIVE_MAXIMUM = 33,
    MAXIMUM_QOS = 36,
    RETAIN_AVAILABLE = 37,
    MAXIMUM_PACKET_SIZE = 39,
    WILDCARDS_AVAILABLE = 40,
};

#define FUNCTIONS(F)                                                                                                   \
    F(int, lib_init, (void))                                                                                           \
    F(int, lib_version, (int *, int *, int *))                                                                         \
    F(struct mosquitto *, new, (const char *, bool, void *))                                                           \
    F(void, destroy, (struct mosquitto *))                                                                             \
    F(int, int_option, (struct mosquitto *, int, int))                                                                 \
    F(int, username_pw_set, (struct mosquitto *, const char *, const char *))                                          \
    F(int, tls_set,                                                                                                    \
      (struct mosquitto *, const char *, const char *, const char *, const char *, int (*)(char *, int, int, void *))) \
    F(int, will_set, (struct mosquitto *, const char *, int, const void *, int, bool))                                 \
    F(int, connect_bind_v5, (struct mosquitto *, const char *, int, int, const char *, const properties *))            \
    F(int, disconnect, (struct mosquitto *))                                                                           \
    F(int, publish_v5, (struct mosquitto *, int *, const char *, int, const void *, int, bool, const properties *))    \
    F(int, subscribe_v5, (struct mosquitto *, int *, const char *, int, int, const properties *))                      \
    F(int, socket, (struct mosquitto *))                                                                               \
    F(bool, want_write, (struct mosquitto *))                                                                          \
    F(int, loop_read, (struct mosquitto *, int))                                                                       \
    F(int, loop_write, (struct mosquitto *, int))                                                                      \
    F(int, loop_misc, (struct mosquitto *))                                                                            \
    F(const char *, strerror, (int))                                                                                   \
    F(const char *, connack_string, (int))                                                                             \
    F(const char *, reason_string, (int))                                                                              \
    F(int, property_add_int32, (properties **, int, uint32_t))                                                         \
    F(const properties *, property_read_byte, (const properties *, int, uint8_t *, bool))                              \
    F(const properties *, property_read_int16, (const properties *, int, uint16_t *, bool))                            \
    F(const properties *, property_read_int32, (const properties *, int, uint32_t *, bool))                            \
    F(void, property_free_all, (properties **))                                                                        \
    F(void, connect_v5_callback_set,                                                                                   \
      (struct mosquitto *, void (*)(struct mosquitto *, void *, int, int, const properties *)))                        \
    F(void, disconnect_v5_callback_set,                                                                                \
      (struct mosquitto *, void (*)(struct mosquitto *, void *, int, const properties *)))                             \
    F(void, publish_v5_callback_set,                                                                                   \
      (struct mosquitto *, void (*)(struct mosquitto *, void *, int, int, const properties *)))                        \
    F(void, message_v5_callback_set,                                                                                   \
      (struct mosquitto *, void (*)(struct mosquitto *, void *, const struct message *, const properties *)))          \
    F(void, subscribe_v5_callback_set,                                                                                 \
      (struct mosquitto *, void (*)(struct mosquitto *, void *, int, int, const int *, const properties *)))           \
    F(void, log_callback_set, (struct mosquitto *, void (*)(struct mosquitto *, void *, int, const char *)))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct { FUNCTIONS(MEMBER) } library;
static int version;

/* OpenSSL's, which the library brings along; NULL if either has no such function. */
static void *(*ssl_of)(struct mosquitto *);
static long (*verification_of)(const void *);

/* Where a thread continues if the library aborts during a read. */
static _Thread_local sigjmp_buf after_abort;
static _Thread_local volatile sig_atomic_t is_reading;
static struct sigaction abort_before;

/* A handler may leave abort(3) by a jump (C11 7.22.4.1). This jump crosses C only: nothing is caught during event callbacks. */
static void on_abort(int number) {
    if (is_reading) siglongjmp(after_abort, 1);
    sigaction(number, &abort_before, NULL);
    raise(number);
}

static void catch_aborts(void) {
    struct sigaction action = {.sa_handler = on_abort, .sa_flags = SA_NODEFER};
    sigaction(SIGABRT, &action, &abort_before);
}

const char *mg_mosquitto_load(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_loaded;
    const char *why = NULL;
    pthread_mutex_lock(&lock);
    if (!is_loaded) {
        void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!handle) why = dlerror();
#define FIND(result, name, parameters)                                                                                 \
    if (!why && !(library.name = (result(*) parameters)dlsym(handle, "mosquitto_" #name))) why = dlerror();
        FUNCTIONS(FIND)
        if (!why) {
            int major = 0, minor = 0, revision = 0;
            library.lib_init();
            library.lib_version(&major, &minor, &revision);
            version = major * 1000000 + minor * 1000 + revision;
            ssl_of = (void *(*)(struct mosquitto *))dlsym(handle, "mosquitto_ssl_get");
            verification_of = (long (*)(const void *))dlsym(handle, "SSL_get_verify_result");
            catch_aborts();
            is_loaded = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return why;
}

int mg_mosquitto_version(void) { return version; }

#define TELL(client, event, ...)                                                                                       \
    do {                                                                                                               \
        sig_atomic_t was_reading = is_reading;                                                                         \
        is_reading = false;                                                                                            \
        (client)->events.event((client)->context, __VA_ARGS__);                                                        \
        is_reading = was_reading;                                                                                      \
    } while (0)

struct mg_mosquitto {
    struct mosquitto *handle;
    struct mg_mosquitto_events events;
    void *context;
    int protocol;
    uint32_t maximum_packet_size;
};

static void on_answer(struct mosquitto *handle, void *object, int code, int flags, const properties *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)flags;
    uint8_t byte;
    struct mg_mosquitto_limits limits = {
        .receive_maximum = UINT16_MAX, .maximum_qos = 2, .retains = true, .wildcards = true};
    /* Each connection has its own handle, so these are this broker's and not an earlier one's. */
    library.property_read_int32(list, MAXIMUM_PACKET_SIZE, &limits.maximum_packet_size, false);
    library.property_read_int16(list, RECEIVE_MAXIMUM, &limits.receive_maximum, false);
    library.property_read_int16(list, SERVER_KEEP_ALIVE, &limits.keep_alive, false);
    if (library.property_read_byte(list, MAXIMUM_QOS, &byte, false)) limits.maximum_qos = byte;
    if (library.property_read_byte(list, RETAIN_AVAILABLE, &byte, false)) limits.retains = byte;
    if (library.property_read_byte(list, WILDCARDS_AVAILABLE, &byte, false)) limits.wildcards = byte;
    TELL(client, answered, code, &limits);
}

static void on_end(struct mosquitto *handle, void *object, int code, const properties *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    /* Codes below 128 are the library's own. */
    TELL(client, ended, code < 128 ? 0 : code);
}

static void on_acknowledgement(struct mosquitto *handle, void *object, int message, int code, const properties *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    TELL(client, acknowledged, message, code);
}

static void on_message(struct mosquitto *handle, void *object, const struct message *message, const properties *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    size_t size = message->payloadlen > 0 ? (size_t)message->payloadlen : 0;
    TELL(client, received, message->topic, message->payload, size, message->qos, message->retain);
}

static void on_subscription(
    struct mosquitto *handle, void *object, int message, int count, const int *codes, const properties *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    /* A SUBACK may come without codes (2.0.19 refuses that). */
    int worst = count > 0 ? 0 : 128;
    for (int i = 0; i < count; i++)
        if (codes[i] > worst) worst = codes[i];
    TELL(client, subscribed, message, worst);
}

static void on_log(struct mosquitto *handle, void *object, int level, const char *text) {
    struct mg_mosquitto *client = object;
    if (level != LOG_ERROR) return;
    /* Now, because the library frees it before the call that fails returns. */
    const void *ssl = ssl_of && verification_of ? ssl_of(handle) : NULL;
    int verification = ssl ? (int)verification_of(ssl) : 0;
    TELL(client, complained, text, verification);
}

/* Refuses a key with a passphrase, instead of asking for it on a service's terminal. */
static int no_passphrase(char *buffer, int size, int is_new, void *object) {
    (void)is_new, (void)object;
    if (size > 0) buffer[0] = 0;
    return 0;
}

static int set_up(struct mosquitto *handle, const struct mg_mosquitto_settings *settings) {
    int code = library.int_option(handle, OPTION_PROTOCOL, settings->protocol);
    if (!code && settings->user) code = library.username_pw_set(handle, settings->user, settings->password);
    /* The system's directory, because MOSQ_OPT_TLS_USE_OS_CERTS breaks reconnecting before 2.0.12. */
    if (!code && settings->has_tls)
        code = library.tls_set(
            handle, settings->ca, settings->ca ? NULL : "/etc/ssl/certs", settings->certificate, settings->key,
            settings->certificate ? no_passphrase : NULL);
    if (!code && settings->will_topic) {
        int size = 0;
        while (settings->will_payload[size]) size++;
        code = library.will_set(handle, settings->will_topic, size, settings->will_payload, 1, true);
    }
    return code;
}

mg_mosquitto *mg_mosquitto_new(
    const struct mg_mosquitto_settings *settings, const struct mg_mosquitto_events *events, void *context, int *error) {
    struct mg_mosquitto *client = calloc(1, sizeof *client);
    *error = NO_MEMORY;
    if (!client) return NULL;
    client->events = *events;
    client->context = context;
    client->protocol = settings->protocol;
    client->maximum_packet_size = settings->maximum_packet_size;
    /* Before 2.0.15 mosquitto_new ignores SIGPIPE for the whole process and its children. The threads here have it
       blocked. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction pipe;
    pthread_mutex_lock(&lock);
    sigaction(SIGPIPE, NULL, &pipe);
    client->handle = library.new(settings->client_id, true, client);
    sigaction(SIGPIPE, &pipe, NULL);
    pthread_mutex_unlock(&lock);
    if (!client->handle) goto fail;
    library.connect_v5_callback_set(client->handle, on_answer);
    library.disconnect_v5_callback_set(client->handle, on_end);
    library.publish_v5_callback_set(client->handle, on_acknowledgement);
    library.message_v5_callback_set(client->handle, on_message);
    library.subscribe_v5_callback_set(client->handle, on_subscription);
    library.log_callback_set(client->handle, on_log);
    *error = set_up(client->handle, settings);
    if (!*error) return client;
fail:
    mg_mosquitto_free(client);
    return NULL;
}

void mg_mosquitto_free(mg_mosquitto *client) {
    if (client->handle) library.destroy(client->handle);
    free(client);
}

int mg_mosquitto_connect(mg_mosquitto *client, const char *host, int port, int keep_alive) {
    properties *list = NULL;
    int code = 0;
    if (client->protocol == 5) code = library.property_add_int32(&list, MAXIMUM_PACKET_SIZE, client->maximum_packet_size);
    /* The other functions take the first address that returns EINPROGRESS, and never try the second. */
    if (!code) code = library.connect_bind_v5(client->handle, host, port, keep_alive, NULL, list);
    library.property_free_all(&list);
    return code;
}

int mg_mosquitto_socket(mg_mosquitto *client) { return client->handle ? library.socket(client->handle) : -1; }
bool mg_mosquitto_wants_write(mg_mosquitto *client) { return library.want_write(client->handle); }

size_t mg_mosquitto_unread(mg_mosquitto *client) {
    int count = 0;
    return ioctl(mg_mosquitto_socket(client), FIONREAD, &count) == 0 && count > 0 ? (size_t)count : 0;
}

/* 2.0.11 fails an assertion when it logs a property that MQTT 5 does not know: a byte from a broker would end the program.
   The handle's state is unknown after that, and it may hold its own locks: close its connection and abandon it. */
static int leave_behind(mg_mosquitto *client) {
    int descriptor = library.socket(client->handle);
    if (descriptor >= 0) close(descriptor);
    client->handle = NULL;
    return MG_MOSQUITTO_ABORTED;
}

int mg_mosquitto_read(mg_mosquitto *client) {
    /* The threads here have all signals blocked, and abort(3) of glibc 2.41 does not unblock SIGABRT. */
    sigset_t aborts;
    sigemptyset(&aborts);
    sigaddset(&aborts, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &aborts, NULL);
    if (sigsetjmp(after_abort, 0)) {
        is_reading = false;
        return leave_behind(client);
    }
    is_reading = true;
    int code = library.loop_read(client->handle, 1);
    is_reading = false;
    return code;
}

int mg_mosquitto_write(mg_mosquitto *client) { return library.loop_write(client->handle, 1); }
int mg_mosquitto_misc(mg_mosquitto *client) { return library.loop_misc(client->handle); }
int mg_mosquitto_disconnect(mg_mosquitto *client) { return library.disconnect(client->handle); }

int mg_mosquitto_publish(
    mg_mosquitto *client, const char *topic, const void *payload, size_t size, bool is_retained, uint32_t expiry,
    int *message) {
    properties *list = NULL;
    int code = 0;
    if (client->protocol == 5 && expiry > 0) code = library.property_add_int32(&list, MESSAGE_EXPIRY, expiry);
    if (!code) code = library.publish_v5(client->handle, message, topic, (int)size, payload, 1, is_retained, list);
    library.property_free_all(&list);
    return code;
}

int mg_mosquitto_subscribe(mg_mosquitto *client, const char *filter, bool is_local, int *message) {
    int options = client->protocol == 5 && !is_local ? SUBSCRIBE_NO_LOCAL : 0;
    return library.subscribe_v5(client->handle, message, filter, 1, options, NULL);
}

const char *mg_mosquitto_error(int code) { return version ? library.strerror(code) : ""; }

const char *mg_mosquitto_refusal(int protocol, int code) {
    if (!version) return "";
    return protocol == 5 ? library.reason_string(code) : library.connack_string(code);
}

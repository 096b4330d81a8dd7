#define _GNU_SOURCE
#include "mosquitto_client.h"

#include <dlfcn.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(F)                                                                                                   \
    F(lib_init)                                                                                                        \
    F(lib_version)                                                                                                     \
    F(new)                                                                                                             \
    F(int_option)                                                                                                      \
    F(threaded_set)                                                                                                    \
    F(username_pw_set)                                                                                                 \
    F(tls_set)                                                                                                         \
    F(will_set)                                                                                                        \
    F(connect_bind_v5)                                                                                                 \
    F(disconnect)                                                                                                      \
    F(publish_v5)                                                                                                      \
    F(subscribe_v5)                                                                                                    \
    F(unsubscribe_v5)                                                                                                  \
    F(socket)                                                                                                          \
    F(want_write)                                                                                                      \
    F(loop_read)                                                                                                       \
    F(loop_write)                                                                                                      \
    F(loop_misc)                                                                                                       \
    F(strerror)                                                                                                        \
    F(connack_string)                                                                                                  \
    F(reason_string)                                                                                                   \
    F(property_add_int32)                                                                                              \
    F(property_add_varint)                                                                                             \
    F(property_add_string_pair)                                                                                        \
    F(property_read_byte)                                                                                              \
    F(property_read_int16)                                                                                             \
    F(property_read_int32)                                                                                             \
    F(property_read_varint)                                                                                            \
    F(property_read_string_pair)                                                                                       \
    F(property_free_all)                                                                                               \
    F(connect_v5_callback_set)                                                                                         \
    F(disconnect_v5_callback_set)                                                                                      \
    F(publish_v5_callback_set)                                                                                         \
    F(message_v5_callback_set)                                                                                         \
    F(subscribe_v5_callback_set)                                                                                       \
    F(unsubscribe_v5_callback_set)                                                                                     \
    F(log_callback_set)                                                                                                \
    F(ssl_get)

#define MEMBER(name) __typeof__(mosquitto_##name) *name;
static struct { FUNCTIONS(MEMBER) } library;
static int version;

/* OpenSSL's, which the library brings along; NULL if it has no such function. */
static long (*verification_of)(const void *);

const char *mg_mosquitto_load(void) {
    if (version) return NULL;
    void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    const char *why = NULL;
#define FIND(name)                                                                                                     \
    if (!why && !(library.name = (__typeof__(library.name))dlsym(handle, "mosquitto_" #name))) why = dlerror();
    FUNCTIONS(FIND)
    if (why) return why;
    int major = 0, minor = 0, revision = 0;
    library.lib_init();
    library.lib_version(&major, &minor, &revision);
    version = major * 1000000 + minor * 1000 + revision;
    verification_of = (long (*)(const void *))dlsym(handle, "SSL_get_verify_result");
    return NULL;
}

int mg_mosquitto_version(void) { return version; }

struct mg_mosquitto {
    struct mosquitto *handle;
    struct mg_mosquitto_events events;
    void *context;
    int protocol;
    uint32_t maximum_packet_size, session_expiry;
};

static void on_answer(struct mosquitto *handle, void *object, int code, int flags, const mosquitto_property *list) {
    struct mg_mosquitto *client = object;
    (void)handle;
    uint8_t byte;
    struct mg_mosquitto_limits limits = {
        .receive_maximum = UINT16_MAX,
        .maximum_qos = 2,
        .retains = true,
        .wildcards = true,
        .subscription_identifiers = client->protocol == 5};
    library.property_read_int32(list, MQTT_PROP_MAXIMUM_PACKET_SIZE, &limits.maximum_packet_size, false);
    library.property_read_int16(list, MQTT_PROP_RECEIVE_MAXIMUM, &limits.receive_maximum, false);
    library.property_read_int16(list, MQTT_PROP_SERVER_KEEP_ALIVE, &limits.keep_alive, false);
    if (library.property_read_byte(list, MQTT_PROP_MAXIMUM_QOS, &byte, false)) limits.maximum_qos = byte;
    if (library.property_read_byte(list, MQTT_PROP_RETAIN_AVAILABLE, &byte, false)) limits.retains = byte;
    if (library.property_read_byte(list, MQTT_PROP_WILDCARD_SUB_AVAILABLE, &byte, false)) limits.wildcards = byte;
    if (library.property_read_byte(list, MQTT_PROP_SUBSCRIPTION_ID_AVAILABLE, &byte, false))
        limits.subscription_identifiers = byte;
    client->events.answered(client->context, code, flags & 1, &limits);
}

static void on_end(struct mosquitto *handle, void *object, int code, const mosquitto_property *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    /* Codes below 128 are the library's own. */
    client->events.ended(client->context, code < 128 ? 0 : code);
}

static void on_acknowledgement(
    struct mosquitto *handle, void *object, int message, int code, const mosquitto_property *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    client->events.acknowledged(client->context, message, code);
}

static void on_message(
    struct mosquitto *handle, void *object, const struct mosquitto_message *message, const mosquitto_property *list) {
    struct mg_mosquitto *client = object;
    (void)handle;
    struct mg_mosquitto_message received = {
        .topic = message->topic,
        .payload = message->payload,
        .size = message->payloadlen > 0 ? (size_t)message->payloadlen : 0,
        .packet_id = (uint16_t)message->mid,
        .qos = message->qos,
        .is_retained = message->retain,
        .properties = list};
    client->events.received(client->context, &received);
}

static void on_subscription(
    struct mosquitto *handle, void *object, int message, int count, const int *codes, const mosquitto_property *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    /* A SUBACK may come without codes (2.0.19 refuses that). */
    int worst = count > 0 ? 0 : 128;
    for (int i = 0; i < count; i++)
        if (codes[i] > worst) worst = codes[i];
    client->events.subscribed(client->context, message, worst);
}

static void on_unsubscription(struct mosquitto *handle, void *object, int message, const mosquitto_property *list) {
    struct mg_mosquitto *client = object;
    (void)handle, (void)list;
    client->events.unsubscribed(client->context, message);
}

static void on_log(struct mosquitto *handle, void *object, int level, const char *text) {
    struct mg_mosquitto *client = object;
    if (level != MOSQ_LOG_ERR) return;
    /* Now, because the library frees it before the call that fails returns. */
    const void *ssl = verification_of ? library.ssl_get(handle) : NULL;
    int verification = ssl ? (int)verification_of(ssl) : 0;
    client->events.complained(client->context, text, verification);
}

/* Refuses a key with a passphrase, instead of asking for it on a terminal. */
static int no_passphrase(char *buffer, int size, int is_new, void *object) {
    (void)is_new, (void)object;
    if (size > 0) buffer[0] = 0;
    return 0;
}

static int set_up(struct mosquitto *handle, const struct mg_mosquitto_settings *settings) {
    /* Then what is sent is queued, and leaves with loop_write only: PUBACKs too, which otherwise leave before the callback. */
    int code = library.threaded_set(handle, true);
    if (!code) code = library.int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, settings->protocol);
    if (!code && settings->user) code = library.username_pw_set(handle, settings->user, settings->password);
    /* The system's directory, because MOSQ_OPT_TLS_USE_OS_CERTS breaks reconnecting before 2.0.12. */
    if (!code && settings->has_tls)
        code = library.tls_set(
            handle, settings->ca, settings->ca ? NULL : "/etc/ssl/certs", settings->certificate, settings->key,
            settings->certificate ? no_passphrase : NULL);
    if (!code && settings->will_topic)
        code = library.will_set(
            handle, settings->will_topic, (int)strlen(settings->will_payload), settings->will_payload, 1, true);
    return code;
}

mg_mosquitto *mg_mosquitto_new(
    const struct mg_mosquitto_settings *settings, const struct mg_mosquitto_events *events, void *context, int *error) {
    struct mg_mosquitto *client = calloc(1, sizeof *client);
    *error = MOSQ_ERR_NOMEM;
    if (!client) return NULL;
    client->events = *events;
    client->context = context;
    client->protocol = settings->protocol;
    client->maximum_packet_size = settings->maximum_packet_size;
    client->session_expiry = settings->session_expiry;
    client->handle = library.new(settings->client_id, settings->is_clean, client);
    if (!client->handle) return NULL;
    library.connect_v5_callback_set(client->handle, on_answer);
    library.disconnect_v5_callback_set(client->handle, on_end);
    library.publish_v5_callback_set(client->handle, on_acknowledgement);
    library.message_v5_callback_set(client->handle, on_message);
    library.subscribe_v5_callback_set(client->handle, on_subscription);
    library.unsubscribe_v5_callback_set(client->handle, on_unsubscription);
    library.log_callback_set(client->handle, on_log);
    *error = set_up(client->handle, settings);
    return *error ? NULL : client;
}

int mg_mosquitto_connect(mg_mosquitto *client, const char *host, int port, int keep_alive) {
    mosquitto_property *list = NULL;
    int code = 0;
    if (client->protocol == 5) {
        code = library.property_add_int32(&list, MQTT_PROP_MAXIMUM_PACKET_SIZE, client->maximum_packet_size);
        if (!code && client->session_expiry)
            code = library.property_add_int32(&list, MQTT_PROP_SESSION_EXPIRY_INTERVAL, client->session_expiry);
    }
    /* The other functions take the first address that returns EINPROGRESS, and never try the second. */
    if (!code) code = library.connect_bind_v5(client->handle, host, port, keep_alive, NULL, list);
    library.property_free_all(&list);
    return code;
}

int mg_mosquitto_socket(mg_mosquitto *client) { return library.socket(client->handle); }
bool mg_mosquitto_wants_write(mg_mosquitto *client) { return library.want_write(client->handle); }
int mg_mosquitto_read(mg_mosquitto *client) { return library.loop_read(client->handle, 1); }
int mg_mosquitto_write(mg_mosquitto *client) { return library.loop_write(client->handle, 1); }
int mg_mosquitto_misc(mg_mosquitto *client) { return library.loop_misc(client->handle); }
int mg_mosquitto_disconnect(mg_mosquitto *client) { return library.disconnect(client->handle); }

int mg_mosquitto_publish(mg_mosquitto *client, const struct mg_mosquitto_publication *publication, int *message) {
    mosquitto_property *list = NULL;
    int code = 0;
    if (client->protocol == 5 && publication->expiry > 0)
        code = library.property_add_int32(&list, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, publication->expiry);
    for (size_t i = 0; !code && client->protocol == 5 && i < publication->pair_count; i++)
        code = library.property_add_string_pair(
            &list, MQTT_PROP_USER_PROPERTY, publication->pairs[i].name, publication->pairs[i].value);
    if (!code)
        code = library.publish_v5(
            client->handle, message, publication->topic, (int)publication->size, publication->payload, publication->qos,
            publication->is_retained, list);
    library.property_free_all(&list);
    return code;
}

int mg_mosquitto_subscribe(mg_mosquitto *client, const struct mg_mosquitto_subscription *subscription, int *message) {
    mosquitto_property *list = NULL;
    int options = 0, code = 0;
    if (client->protocol == 5) {
        options = subscription->retain_handling << 4;
        if (subscription->no_local) options |= MQTT_SUB_OPT_NO_LOCAL;
        if (subscription->retain_as_published) options |= MQTT_SUB_OPT_RETAIN_AS_PUBLISHED;
        if (subscription->identifier)
            code = library.property_add_varint(&list, MQTT_PROP_SUBSCRIPTION_IDENTIFIER, subscription->identifier);
    }
    if (!code)
        code = library.subscribe_v5(client->handle, message, subscription->filter, subscription->qos, options, list);
    library.property_free_all(&list);
    return code;
}

int mg_mosquitto_unsubscribe(mg_mosquitto *client, const char *filter, int *message) {
    return library.unsubscribe_v5(client->handle, message, filter, NULL);
}

mg_mosquitto_properties mg_mosquitto_next_identifier(mg_mosquitto_properties list, uint32_t *value, bool skips_first) {
    return list ? library.property_read_varint(list, MQTT_PROP_SUBSCRIPTION_IDENTIFIER, value, skips_first) : NULL;
}

mg_mosquitto_properties mg_mosquitto_next_pair(
    mg_mosquitto_properties list, char **name, char **value, bool skips_first) {
    return list ? library.property_read_string_pair(list, MQTT_PROP_USER_PROPERTY, name, value, skips_first) : NULL;
}

const char *mg_mosquitto_error(int code) { return version ? library.strerror(code) : ""; }

const char *mg_mosquitto_refusal(int protocol, int code) {
    if (!version) return "";
    return protocol == 5 ? library.reason_string(code) : library.connack_string(code);
}

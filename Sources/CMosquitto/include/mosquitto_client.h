#ifndef MESH_GATEWAY_MOSQUITTO_CLIENT_H
#define MESH_GATEWAY_MOSQUITTO_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libmosquitto 2.0 as one small client, loaded with dlopen(3) in the process of a connection: a machine without a broker does not
   need it. Functions are found by name and have the types of Debian's header. One thread. */

/* Loads and initialises the library. NULL on success, else the text of dlerror(3). */
const char *mg_mosquitto_load(void);

/* 2000011 for 2.0.11; 0 if not loaded. */
int mg_mosquitto_version(void);

/* One connection to a broker, which is not used again after it has ended. What is to be sent waits for mg_mosquitto_write. */
typedef struct mg_mosquitto mg_mosquitto;

/* What the broker's CONNACK says about the broker; with MQTT 3.1.1 the defaults. */
struct mg_mosquitto_limits {
    uint32_t maximum_packet_size; /* bytes; 0 for any */
    uint16_t receive_maximum;     /* messages in flight to the broker */
    uint16_t keep_alive;          /* seconds; 0 if not given */
    uint8_t maximum_qos;
    bool retains, wildcards, subscription_identifiers;
};

/* A list of properties (MQTT 5), valid during the call that it is given to; NULL is an empty one. */
typedef const void *mg_mosquitto_properties;

struct mg_mosquitto_message {
    const char *topic;
    const void *payload;
    size_t size;
    /* 0 with QoS 0. */
    uint16_t packet_id;
    int qos;
    bool is_retained;
    mg_mosquitto_properties properties;
};

/* Called from mg_mosquitto_read, _write, _misc and _connect. They may call nothing here but the readers of properties. */
struct mg_mosquitto_events {
    /* A CONNACK, with a code of MQTT 5, or 0 to 5 of MQTT 3.1.1. */
    void (*answered)(void *context, int code, bool is_session_present, const struct mg_mosquitto_limits *limits);
    void (*received)(void *context, const struct mg_mosquitto_message *message);
    /* A PUBACK or PUBCOMP, or that a message of QoS 0 has been written. 0 or 16 is success, which is all that MQTT 3.1.1 reports. */
    void (*acknowledged)(void *context, int message, int code);
    /* A SUBACK, with its worst code, or 128 if it has none. */
    void (*subscribed)(void *context, int message, int code);
    /* An UNSUBACK, whose code libmosquitto does not tell. */
    void (*unsubscribed)(void *context, int message);
    /* The broker's DISCONNECT; 0 if the connection ended without one. */
    void (*ended)(void *context, int code);
    /* The library's error message, the only place that says why TLS failed, and what OpenSSL thinks of the broker's certificate:
       X509_V_ERR_..., 0 if all is well or nothing is known. */
    void (*complained)(void *context, const char *text, int verification);
};

struct mg_mosquitto_settings {
    /* 5, or 4 for MQTT 3.1.1. */
    int protocol;
    const char *client_id;
    /* The broker forgets an earlier session. */
    bool is_clean;
    /* Seconds that the broker keeps the session after the connection (MQTT 5); 0 for none. */
    uint32_t session_expiry;
    /* NULL for none. */
    const char *user, *password;
    /* TLS. `ca` is a file of authorities, NULL for the system's. Certificate and key may be NULL. */
    bool has_tls;
    const char *ca, *certificate, *key;
    /* Retained, QoS 1. */
    const char *will_topic, *will_payload;
    /* The largest packet that we accept, in bytes (MQTT 5). */
    uint32_t maximum_packet_size;
};

/* NULL on failure, with libmosquitto's code in `error`. */
mg_mosquitto *mg_mosquitto_new(
    const struct mg_mosquitto_settings *settings, const struct mg_mosquitto_events *events, void *context, int *error);

/* Looks the name up and connects, which may take minutes. Returns libmosquitto's codes, as all below; 14 means see errno. */
int mg_mosquitto_connect(mg_mosquitto *client, const char *host, int port, int keep_alive);

/* The descriptor to wait on; -1 if not connected. Any call may change it. */
int mg_mosquitto_socket(mg_mosquitto *client);
bool mg_mosquitto_wants_write(mg_mosquitto *client);
/* Reads a packet, or those of one record of TLS. */
int mg_mosquitto_read(mg_mosquitto *client);
/* Writes what waits, until the socket takes no more. */
int mg_mosquitto_write(mg_mosquitto *client);
/* Keep-alive. */
int mg_mosquitto_misc(mg_mosquitto *client);
/* Queues DISCONNECT, behind which the will is not published. */
int mg_mosquitto_disconnect(mg_mosquitto *client);

/* MQTT 5 only; with 3.1.1 it is left out. `name` and `value` in UTF-8. */
struct mg_mosquitto_pair {
    const char *name, *value;
};

struct mg_mosquitto_publication {
    const char *topic;
    const void *payload;
    size_t size;
    int qos;
    bool is_retained;
    /* Seconds; 0 for never (MQTT 5). */
    uint32_t expiry;
    const struct mg_mosquitto_pair *pairs;
    size_t pair_count;
};

/* Never call it while not connected: the library would keep the message and report a failure. `message` receives the message's
   number. */
int mg_mosquitto_publish(mg_mosquitto *client, const struct mg_mosquitto_publication *publication, int *message);

struct mg_mosquitto_subscription {
    const char *filter;
    int qos;
    /* MQTT 5: nothing that this client publishes; the retain flag as it was published; 0: retained messages come, 1: for a new
       subscription, 2: never; 0: no identifier. */
    bool no_local, retain_as_published;
    int retain_handling;
    uint32_t identifier;
};

int mg_mosquitto_subscribe(mg_mosquitto *client, const struct mg_mosquitto_subscription *subscription, int *message);
int mg_mosquitto_unsubscribe(mg_mosquitto *client, const char *filter, int *message);

/* The next subscription identifier of a message, or user property, from `list` on; NULL if there is none. To go on: what it returned,
   with `skips_first`. `name` and `value` are to be freed, and may be NULL when empty. */
mg_mosquitto_properties mg_mosquitto_next_identifier(mg_mosquitto_properties list, uint32_t *value, bool skips_first);
mg_mosquitto_properties mg_mosquitto_next_pair(mg_mosquitto_properties list, char **name, char **value, bool skips_first);

/* The text of a code. */
const char *mg_mosquitto_error(int code);
const char *mg_mosquitto_refusal(int protocol, int code);

#endif

#ifndef MESH_GATEWAY_MOSQUITTO_CLIENT_H
#define MESH_GATEWAY_MOSQUITTO_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libmosquitto 2.0, found when it is first needed (dlopen): it brings OpenSSL, 2 to 5 MB, and nobody who has no broker is to
   pay for that. It is never closed again: OpenSSL leaves functions of its own to be called at the end of the process.
   No header of Debian is needed: these functions and types have been the same since 2.0.0. */

/* Loads the library and makes it ready; once in a process, from any thread. NULL: it is there. Otherwise the sentence of
   dlerror(3). */
const char *mg_mosquitto_load(void);

/* 2000011 is 2.0.11; 0: not loaded. */
int mg_mosquitto_version(void);

/* One connection to a broker, from before it is made until it has ended; it is not used again. Belongs to one thread at a
   time. */
typedef struct mg_mosquitto mg_mosquitto;

/* What the broker has said of itself in its CONNACK; with MQTT 3.1.1 what holds without that. */
struct mg_mosquitto_limits {
    uint32_t maximum_packet_size; /* bytes; 0: any */
    uint16_t receive_maximum;     /* messages in flight towards it */
    uint16_t keep_alive;          /* seconds; 0: it does not say */
    uint8_t maximum_qos;
    bool retains, wildcards;
};

enum { MG_MOSQUITTO_ABORTED = -1000 };

/* Called in mg_mosquitto_read, _write, _misc and _connect. None may call anything here but mg_mosquitto_publish. */
struct mg_mosquitto_events {
    /* A CONNACK. Code of MQTT 5, or 0 to 5 of MQTT 3.1.1. */
    void (*answered)(void *context, int code, const struct mg_mosquitto_limits *limits);
    void (*received)(
        void *context, const char *topic, const void *payload, size_t size, int qos, bool is_retained);
    /* A PUBACK; the code is 0 or 16 where it went well, with MQTT 3.1.1 always. */
    void (*acknowledged)(void *context, int message, int code);
    /* A SUBACK: its worst code, 128 when it has none. */
    void (*subscribed)(void *context, int message, int code);
    /* A DISCONNECT of the broker's; 0: the connection just ended. */
    void (*ended)(void *context, int code);
    /* An error, in the library's words: why TLS failed is said nowhere else. */
    void (*complained)(void *context, const char *text);
};

struct mg_mosquitto_settings {
    /* 5, or 4 for MQTT 3.1.1. */
    int protocol;
    const char *client_id;
    /* NULL: without. */
    const char *user, *password;
    /* TLS. `ca` is a file of authorities, NULL: those of the system. Certificate and key may be NULL. */
    bool has_tls;
    const char *ca, *certificate, *key;
    /* Retained, QoS 1. */
    const char *will_topic, *will_payload;
    /* Bytes of a packet towards us that we take (MQTT 5). */
    uint32_t maximum_packet_size;
};

/* NULL and a code of libmosquitto in `error` on failure. SIGPIPE stays as it was. */
mg_mosquitto *mg_mosquitto_new(
    const struct mg_mosquitto_settings *settings, const struct mg_mosquitto_events *events, void *context, int *error);
void mg_mosquitto_free(mg_mosquitto *client);

/* Looks the name up and connects, which may take minutes. Codes of libmosquitto here and below; 14: errno says it. */
int mg_mosquitto_connect(mg_mosquitto *client, const char *host, int port, int keep_alive);

/* The descriptor to wait on; -1: not connected. It may be another one after each call. */
int mg_mosquitto_socket(mg_mosquitto *client);
bool mg_mosquitto_wants_write(mg_mosquitto *client);
/* Bytes that have arrived and are not read yet (FIONREAD); 0 on a readable socket: the broker has closed it. */
size_t mg_mosquitto_unread(mg_mosquitto *client);
/* MG_MOSQUITTO_ABORTED: the library has called abort(3). No other function may be called then but _socket (-1) and _free,
   which leaves behind what the library has allocated. */
int mg_mosquitto_read(mg_mosquitto *client);
int mg_mosquitto_write(mg_mosquitto *client);
/* Keep-alive. */
int mg_mosquitto_misc(mg_mosquitto *client);
/* Sends DISCONNECT, so that the will is not published. */
int mg_mosquitto_disconnect(mg_mosquitto *client);

/* QoS 1. Never while not connected: the library would keep it and say that it failed.
   `expiry` is in seconds, 0: never; MQTT 5 only. The number of the message comes back in `message`. */
int mg_mosquitto_publish(
    mg_mosquitto *client, const char *topic, const void *payload, size_t size, bool is_retained, uint32_t expiry,
    int *message);
/* QoS 1. `is_local`: also what this client itself publishes; without MQTT 5 that comes anyway. */
int mg_mosquitto_subscribe(mg_mosquitto *client, const char *filter, bool is_local, int *message);

/* The sentence of a code. */
const char *mg_mosquitto_error(int code);
const char *mg_mosquitto_refusal(int protocol, int code);

#endif

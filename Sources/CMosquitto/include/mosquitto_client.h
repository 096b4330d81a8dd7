#ifndef MESH_GATEWAY_MOSQUITTO_CLIENT_H
#define MESH_GATEWAY_MOSQUITTO_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libmosquitto 2.0, loaded with dlopen(3) when first needed: it brings OpenSSL, 2 to 5 MB, which a gateway without a broker
   should not pay for. It is never closed again, because OpenSSL registers functions that run at the end of the process.
   Debian's header is not needed: these functions and types have been the same since 2.0.0. */

/* Loads and initialises the library, once per process, from any thread. NULL on success, else the text of dlerror(3). */
const char *mg_mosquitto_load(void);

/* 2000011 for 2.0.11; 0 if not loaded. */
int mg_mosquitto_version(void);

/* One connection to a broker, which is not used again after it has ended. Belongs to one thread at a time. */
typedef struct mg_mosquitto mg_mosquitto;

/* What the broker's CONNACK says about the broker; with MQTT 3.1.1 the defaults. */
struct mg_mosquitto_limits {
    uint32_t maximum_packet_size; /* bytes; 0 for any */
    uint16_t receive_maximum;     /* messages in flight to the broker */
    uint16_t keep_alive;          /* seconds; 0 if not given */
    uint8_t maximum_qos;
    bool retains, wildcards;
};

enum { MG_MOSQUITTO_ABORTED = -1000 };

/* Called from mg_mosquitto_read, _write, _misc and _connect. They may call nothing here but mg_mosquitto_publish. */
struct mg_mosquitto_events {
    /* A CONNACK, with a code of MQTT 5, or 0 to 5 of MQTT 3.1.1. */
    void (*answered)(void *context, int code, const struct mg_mosquitto_limits *limits);
    void (*received)(
        void *context, const char *topic, const void *payload, size_t size, int qos, bool is_retained);
    /* A PUBACK; 0 or 16 is success, which is all that MQTT 3.1.1 reports. */
    void (*acknowledged)(void *context, int message, int code);
    /* A SUBACK, with its worst code, or 128 if it has none. */
    void (*subscribed)(void *context, int message, int code);
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

/* NULL on failure, with libmosquitto's code in `error`. SIGPIPE stays as it was. */
mg_mosquitto *mg_mosquitto_new(
    const struct mg_mosquitto_settings *settings, const struct mg_mosquitto_events *events, void *context, int *error);
void mg_mosquitto_free(mg_mosquitto *client);

/* Looks the name up and connects, which may take minutes. Returns libmosquitto's codes, as all below; 14 means see errno. */
int mg_mosquitto_connect(mg_mosquitto *client, const char *host, int port, int keep_alive);

/* The descriptor to wait on; -1 if not connected. Any call may change it. */
int mg_mosquitto_socket(mg_mosquitto *client);
bool mg_mosquitto_wants_write(mg_mosquitto *client);
/* Bytes that have arrived and are not read yet (FIONREAD); 0 on a readable socket if the broker has closed it. */
size_t mg_mosquitto_unread(mg_mosquitto *client);
/* MG_MOSQUITTO_ABORTED if the library has called abort(3). Only _socket (-1) and _free may be called after that, and _free
   leaks what the library has allocated. */
int mg_mosquitto_read(mg_mosquitto *client);
int mg_mosquitto_write(mg_mosquitto *client);
/* Keep-alive. */
int mg_mosquitto_misc(mg_mosquitto *client);
/* Sends DISCONNECT, so that the will is not published. */
int mg_mosquitto_disconnect(mg_mosquitto *client);

/* QoS 1. Never call it while not connected: the library would keep the message and report a failure.
   `expiry` is in seconds, 0 for never; MQTT 5 only. `message` receives the message's number. */
int mg_mosquitto_publish(
    mg_mosquitto *client, const char *topic, const void *payload, size_t size, bool is_retained, uint32_t expiry,
    int *message);
/* QoS 1. `is_local` includes what this client publishes; without MQTT 5 that comes anyway. */
int mg_mosquitto_subscribe(mg_mosquitto *client, const char *filter, bool is_local, int *message);

/* The text of a code. */
const char *mg_mosquitto_error(int code);
const char *mg_mosquitto_refusal(int protocol, int code);

#endif

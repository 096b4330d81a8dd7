// What the gateway's way of a frame is measured against: the least that a C program on protobuf-c and SQLite has to do to
// find, decode and store what a radio's bytes have in them.
//
//   frames DATABASE    reads the stream from its input: for each packet a row of the log, the sender's row, and a row of
//                      telemetry, position or text, in transactions of a hundred packets, or one for each text. Prints
//                      the microseconds of processor time for a frame.
#include <CMeshtastic.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static sqlite3 *database;
static sqlite3_stmt *begin, *commit, *add_packet, *heard, *add_telemetry, *add_position, *add_text;
static int frames, open_packets;

static void fail(const char *what) {
    fprintf(stderr, "frames: %s: %s\n", what, database ? sqlite3_errmsg(database) : "");
    exit(1);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)) fail(sql);
    return statement;
}

static void step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_sql(statement));
    sqlite3_reset(statement);
}

static void open_database(const char *path) {
    if (sqlite3_open(path, &database)) fail(path);
    const char *schema =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE packet (id INTEGER PRIMARY KEY, number INTEGER, sender INTEGER, receiver INTEGER, channel INTEGER,"
        " port INTEGER, time INTEGER, snr REAL, rssi INTEGER, hops INTEGER, payload BLOB);"
        "CREATE TABLE node (number INTEGER PRIMARY KEY, last_heard INTEGER, snr REAL, rssi INTEGER, hops INTEGER);"
        "CREATE TABLE telemetry (id INTEGER PRIMARY KEY, node INTEGER, time INTEGER, battery INTEGER, voltage REAL,"
        " utilization REAL, air REAL, uptime INTEGER);"
        "CREATE INDEX telemetry_node ON telemetry (node, time);"
        "CREATE TABLE position (id INTEGER PRIMARY KEY, node INTEGER, time INTEGER, latitude INTEGER, longitude INTEGER);"
        "CREATE INDEX position_node ON position (node, time);"
        "CREATE TABLE message (id INTEGER PRIMARY KEY, number INTEGER, sender INTEGER, channel INTEGER, time INTEGER, text TEXT);"
        "CREATE UNIQUE INDEX message_number ON message (sender, number);"
        "CREATE INDEX message_channel ON message (channel, time);";
    if (sqlite3_exec(database, schema, NULL, NULL, NULL)) fail(schema);
    begin = prepare("BEGIN");
    commit = prepare("COMMIT");
    add_packet = prepare("INSERT INTO packet VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    heard = prepare("INSERT INTO node VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET last_heard = excluded.last_heard,"
                    " snr = excluded.snr, rssi = excluded.rssi, hops = excluded.hops");
    add_telemetry = prepare("INSERT INTO telemetry VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)");
    add_position = prepare("INSERT INTO position VALUES (NULL, ?, ?, ?, ?)");
    add_text = prepare("INSERT INTO message VALUES (NULL, ?, ?, ?, ?, ?)");
}

static void store_content(const Meshtastic__MeshPacket *packet, const Meshtastic__Data *data) {
    if (data->portnum == MESHTASTIC__PORT_NUM__TELEMETRY_APP) {
        Meshtastic__Telemetry *telemetry = meshtastic__telemetry__unpack(NULL, data->payload.len, data->payload.data);
        if (!telemetry) return;
        sqlite3_bind_int64(add_telemetry, 1, packet->from);
        sqlite3_bind_int64(add_telemetry, 2, telemetry->time);
        if (telemetry->variant_case == MESHTASTIC__TELEMETRY__VARIANT_DEVICE_METRICS) {
            const Meshtastic__DeviceMetrics *metrics = telemetry->device_metrics;
            sqlite3_bind_int64(add_telemetry, 3, metrics->battery_level);
            sqlite3_bind_double(add_telemetry, 4, metrics->voltage);
            sqlite3_bind_double(add_telemetry, 5, metrics->channel_utilization);
            sqlite3_bind_double(add_telemetry, 6, metrics->air_util_tx);
            sqlite3_bind_int64(add_telemetry, 7, metrics->uptime_seconds);
        }
        step(add_telemetry);
        meshtastic__telemetry__free_unpacked(telemetry, NULL);
    } else if (data->portnum == MESHTASTIC__PORT_NUM__POSITION_APP) {
        Meshtastic__Position *position = meshtastic__position__unpack(NULL, data->payload.len, data->payload.data);
        if (!position) return;
        sqlite3_bind_int64(add_position, 1, packet->from);
        sqlite3_bind_int64(add_position, 2, position->time);
        sqlite3_bind_int64(add_position, 3, position->latitude_i);
        sqlite3_bind_int64(add_position, 4, position->longitude_i);
        step(add_position);
        meshtastic__position__free_unpacked(position, NULL);
    } else if (data->portnum == MESHTASTIC__PORT_NUM__TEXT_MESSAGE_APP) {
        sqlite3_bind_int64(add_text, 1, packet->id);
        sqlite3_bind_int64(add_text, 2, packet->from);
        sqlite3_bind_int64(add_text, 3, packet->channel);
        sqlite3_bind_int64(add_text, 4, packet->rx_time);
        sqlite3_bind_text(add_text, 5, (const char *)data->payload.data, (int)data->payload.len, SQLITE_STATIC);
        step(add_text);
        open_packets = 100;
    }
}

static void store_packet(const Meshtastic__MeshPacket *packet) {
    if (packet->payload_variant_case != MESHTASTIC__MESH_PACKET__PAYLOAD_VARIANT_DECODED) return;
    const Meshtastic__Data *data = packet->decoded;
    uint32_t hops = packet->hop_start - packet->hop_limit;
    if (open_packets++ == 0) step(begin);
    sqlite3_bind_int64(add_packet, 1, packet->id);
    sqlite3_bind_int64(add_packet, 2, packet->from);
    sqlite3_bind_int64(add_packet, 3, packet->to);
    sqlite3_bind_int64(add_packet, 4, packet->channel);
    sqlite3_bind_int64(add_packet, 5, data->portnum);
    sqlite3_bind_int64(add_packet, 6, packet->rx_time);
    sqlite3_bind_double(add_packet, 7, packet->rx_snr);
    sqlite3_bind_int64(add_packet, 8, packet->rx_rssi);
    sqlite3_bind_int64(add_packet, 9, hops);
    sqlite3_bind_blob(add_packet, 10, data->payload.data, (int)data->payload.len, SQLITE_STATIC);
    step(add_packet);
    sqlite3_bind_int64(heard, 1, packet->from);
    sqlite3_bind_int64(heard, 2, packet->rx_time);
    sqlite3_bind_double(heard, 3, packet->rx_snr);
    sqlite3_bind_int64(heard, 4, packet->rx_rssi);
    sqlite3_bind_int64(heard, 5, hops);
    step(heard);
    store_content(packet, data);
    if (open_packets >= 100) {
        step(commit);
        open_packets = 0;
    }
}

// Takes the whole frames off the front of the bytes; how many bytes they were.
static size_t take(const uint8_t *bytes, size_t count) {
    size_t place = 0;
    while (count - place >= 4) {
        if (bytes[place] != 0x94 || bytes[place + 1] != 0xC3) {
            place++;
            continue;
        }
        size_t length = (size_t)bytes[place + 2] << 8 | bytes[place + 3];
        if (count - place < 4 + length) break;
        Meshtastic__FromRadio *frame = meshtastic__from_radio__unpack(NULL, length, bytes + place + 4);
        if (frame) {
            if (frame->payload_variant_case == MESHTASTIC__FROM_RADIO__PAYLOAD_VARIANT_PACKET) store_packet(frame->packet);
            meshtastic__from_radio__free_unpacked(frame, NULL);
            frames++;
        }
        place += 4 + length;
    }
    return place;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fputs("usage: frames DATABASE <STREAM\n", stderr);
        return 64;
    }
    open_database(arguments[1]);
    static uint8_t bytes[4096];
    size_t held = 0;
    ssize_t more;
    while ((more = read(STDIN_FILENO, bytes + held, sizeof bytes - held)) > 0) {
        held += (size_t)more;
        size_t taken = take(bytes, held);
        memmove(bytes, bytes + taken, held -= taken);
    }
    if (open_packets) step(commit);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double spent = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("frame_us %f\n", spent / (frames ? frames : 1));
    return 0;
}

// What the gateway is measured against: the least that a C program on libmicrohttpd and SQLite has to do for the same
// answers. One thread, one read-only connection with prepared statements, a bearer token compared by its digest.
//
//   server load DATABASE NODES.json MESSAGES.json TELEMETRY.json COUNT
//                                               fills DATABASE from three answers of the gateway: a column for each key,
//                                               so that both send the same bytes
//   server serve DATABASE PORT TOKEN CONSTANT   answers GET /node/NUMBER, /nodes, /messages, /telemetry/NUMBER,
//                                               and /constant with the bytes of the file CONSTANT, until its input ends
#include <microhttpd.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sqlite3 *database;

static void fail(const char *what) {
    fprintf(stderr, "reference server: %s: %s\n", what, database ? sqlite3_errmsg(database) : "");
    exit(1);
}

static char *contents(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail(path);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (!bytes || fread(bytes, 1, *length, file) != *length) fail(path);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

static void execute(const char *sql) {
    if (sqlite3_exec(database, sql, NULL, NULL, NULL)) fail(sql);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)) fail(sql);
    return statement;
}

// --- load

// Makes a table from the objects in the answer's `data`: a column for each key, declared `flag` where it is a boolean.
static void load_table(const char *name, const char *path) {
    size_t length;
    char *document = contents(path, &length);
    sqlite3_str *columns = sqlite3_str_new(NULL), *values = sqlite3_str_new(NULL);
    sqlite3_stmt *keys = prepare(
        "SELECT k.key, max(k.type IN ('true', 'false')) FROM json_each(?, '$.data') AS o, json_each(o.value) AS k"
        " GROUP BY k.key ORDER BY min(k.id)");
    sqlite3_bind_text(keys, 1, document, (int)length, SQLITE_STATIC);
    for (int i = 0; sqlite3_step(keys) == SQLITE_ROW; i++) {
        const char *key = (const char *)sqlite3_column_text(keys, 0);
        sqlite3_str_appendf(columns, "%s\"%w\" %s", i ? ", " : "", key, sqlite3_column_int(keys, 1) ? "flag" : "");
        sqlite3_str_appendf(values, "%sjson_extract(o.value, '$.%w')", i ? ", " : "", key);
    }
    sqlite3_finalize(keys);
    char *create = sqlite3_mprintf("CREATE TABLE %s (%s)", name, sqlite3_str_value(columns));
    char *insert = sqlite3_mprintf(
        "INSERT INTO %s SELECT %s FROM json_each(?, '$.data') AS o", name, sqlite3_str_value(values));
    execute(create);
    sqlite3_stmt *rows = prepare(insert);
    sqlite3_bind_text(rows, 1, document, (int)length, SQLITE_STATIC);
    if (sqlite3_step(rows) != SQLITE_DONE) fail(insert);
    sqlite3_finalize(rows);
    sqlite3_free(create);
    sqlite3_free(insert);
    sqlite3_free(sqlite3_str_finish(columns));
    sqlite3_free(sqlite3_str_finish(values));
    free(document);
}

// Makes a table of one page, copied until there are `count` rows; rowid is their order in time.
static void load_copies(const char *name, const char *path, int count) {
    load_table(name, path);
    char *copy = sqlite3_mprintf(
        "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < %d)"
        " INSERT INTO %s SELECT page.* FROM copy, (SELECT * FROM %s LIMIT 100) AS page", count / 100 - 1, name, name);
    execute(copy);
    sqlite3_free(copy);
}

static void load(char **arguments) {
    if (sqlite3_open(arguments[0], &database)) fail(arguments[0]);
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    load_table("node", arguments[1]);
    execute("CREATE UNIQUE INDEX node_number ON node (nodeNum)");
    load_copies("message", arguments[2], atoi(arguments[4]));
    execute("CREATE INDEX message_channel ON message (channel)");
    load_copies("telemetry", arguments[3], atoi(arguments[4]));
    execute("CREATE INDEX telemetry_node ON telemetry (nodeNum); COMMIT; PRAGMA journal_mode = WAL");
    sqlite3_close(database);
}

// --- JSON

struct text {
    char *bytes;
    size_t length, capacity;
};

static char *room(struct text *text, size_t more) {
    if (text->length + more > text->capacity) {
        text->capacity = (text->length + more) * 2;
        if (!(text->bytes = realloc(text->bytes, text->capacity))) abort();
    }
    return text->bytes + text->length;
}

static void append(struct text *text, const char *bytes, size_t length) {
    memcpy(room(text, length), bytes, length);
    text->length += length;
}

static void append_string(struct text *text, const unsigned char *string, size_t length) {
    char *to = room(text, 6 * length + 2), *start = to;
    *to++ = '"';
    for (size_t i = 0; i < length; i++) {
        unsigned char c = string[i];
        if (c == '"' || c == '\\') {
            *to++ = '\\';
            *to++ = (char)c;
        } else if (c < 0x20) {
            to += sprintf(to, "\\u%04x", c);
        } else {
            *to++ = (char)c;
        }
    }
    *to++ = '"';
    text->length += (size_t)(to - start);
}

static void append_integer(struct text *text, int64_t value) {
    char digits[20], *digit = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do *--digit = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) append(text, "-", 1);
    append(text, digit, (size_t)(digits + sizeof digits - digit));
}

// The keys of a statement's columns as they stand before the values: `"name":`.
struct keys {
    int count;
    struct key {
        char *text;
        size_t length;
        int is_flag;
    } keys[128];
};

static void read_keys(struct keys *keys, sqlite3_stmt *statement) {
    keys->count = sqlite3_column_count(statement);
    if (keys->count > 128) fail("too many columns");
    for (int i = 0; i < keys->count; i++) {
        const char *type = sqlite3_column_decltype(statement, i);
        struct key *key = &keys->keys[i];
        key->text = sqlite3_mprintf("%s\"%s\":", i ? "," : "{", sqlite3_column_name(statement, i));
        key->length = strlen(key->text);
        key->is_flag = type && !strcmp(type, "flag");
    }
}

static void append_row(struct text *text, sqlite3_stmt *row, const struct keys *keys) {
    for (int i = 0; i < keys->count; i++) {
        const struct key *key = &keys->keys[i];
        append(text, key->text, key->length);
        switch (sqlite3_column_type(row, i)) {
        case SQLITE_INTEGER:
            if (!key->is_flag) append_integer(text, sqlite3_column_int64(row, i));
            else if (sqlite3_column_int(row, i)) append(text, "true", 4);
            else append(text, "false", 5);
            break;
        case SQLITE_FLOAT:
            text->length += (size_t)sprintf(room(text, 32), "%.15g", sqlite3_column_double(row, i));
            break;
        case SQLITE_NULL:
            append(text, "null", 4);
            break;
        default:
            append_string(text, sqlite3_column_text(row, i), (size_t)sqlite3_column_bytes(row, i));
        }
    }
    append(text, "}", 1);
}

// --- serve

static sqlite3_stmt *one_node, *all_nodes, *page, *series;
static struct keys node_keys, message_keys, telemetry_keys;
static uint8_t token_digest[SHA256_DIGEST_SIZE];
static struct MHD_Response *constant;

static int is_admitted(struct MHD_Connection *connection) {
    const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (!header || strncmp(header, "Bearer ", 7)) return 0;
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, strlen(header + 7), (const uint8_t *)header + 7);
    sha256_digest(&context, sizeof digest, digest);
    return nettle_memeql_sec(digest, token_digest, sizeof digest);
}

static enum MHD_Result answer(
    struct MHD_Connection *connection, unsigned status, void *bytes, size_t length, enum MHD_ResponseMemoryMode mode) {
    struct MHD_Response *response = MHD_create_response_from_buffer(length, bytes, mode);
    MHD_add_response_header(response, "Content-Type", "application/json; charset=utf-8");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_rows(
    struct MHD_Connection *connection, sqlite3_stmt *statement, const struct keys *keys, size_t expected) {
    struct text text = {malloc(expected), 0, expected};
    append(&text, "{\"success\":true,\"data\":[", 24);
    int count = 0;
    for (; sqlite3_step(statement) == SQLITE_ROW; count++) {
        if (count) append(&text, ",", 1);
        append_row(&text, statement, keys);
    }
    sqlite3_reset(statement);
    append(&text, "],\"count\":", 10);
    append_integer(&text, count);
    append(&text, "}", 1);
    return answer(connection, MHD_HTTP_OK, text.bytes, text.length, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **request) {
    (void)context, (void)method, (void)version, (void)upload, (void)upload_size;
    // libmicrohttpd 0.9.75 closes a connection whose request is answered with its headers.
    static int is_complete;
    if (!*request) {
        *request = &is_complete;
        return MHD_YES;
    }
    if (!is_admitted(connection))
        return answer(connection, MHD_HTTP_UNAUTHORIZED, "{}", 2, MHD_RESPMEM_PERSISTENT);
    if (!strcmp(url, "/constant")) return MHD_queue_response(connection, MHD_HTTP_OK, constant);
    if (!strcmp(url, "/nodes")) return answer_rows(connection, all_nodes, &node_keys, 1 << 21);
    if (!strcmp(url, "/messages")) {
        sqlite3_bind_int(page, 1, 0);
        return answer_rows(connection, page, &message_keys, 1 << 17);
    }
    if (!strncmp(url, "/telemetry/", 11)) {
        sqlite3_bind_int64(series, 1, strtoll(url + 11, NULL, 10));
        return answer_rows(connection, series, &telemetry_keys, 1 << 16);
    }
    if (!strncmp(url, "/node/", 6)) {
        sqlite3_bind_int64(one_node, 1, strtoll(url + 6, NULL, 10));
        return answer_rows(connection, one_node, &node_keys, 4096);
    }
    return answer(connection, MHD_HTTP_NOT_FOUND, "{}", 2, MHD_RESPMEM_PERSISTENT);
}

static void serve(char **arguments) {
    if (sqlite3_open_v2(arguments[0], &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)) fail(arguments[0]);
    one_node = prepare("SELECT * FROM node WHERE nodeNum = ?");
    all_nodes = prepare("SELECT * FROM node");
    page = prepare("SELECT * FROM message WHERE channel = ? ORDER BY rowid DESC LIMIT 100");
    series = prepare(
        "SELECT * FROM telemetry WHERE nodeNum = ? AND telemetryType = 'batteryLevel' ORDER BY rowid DESC LIMIT 100");
    read_keys(&node_keys, one_node);
    read_keys(&message_keys, page);
    read_keys(&telemetry_keys, series);

    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, strlen(arguments[2]), (const uint8_t *)arguments[2]);
    sha256_digest(&context, sizeof token_digest, token_digest);

    size_t length;
    char *bytes = contents(arguments[3], &length);
    constant = MHD_create_response_from_buffer(length, bytes, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(constant, "Content-Type", "application/json; charset=utf-8");

    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, (uint16_t)atoi(arguments[1]), NULL, NULL, &handle, NULL, MHD_OPTION_END);
    if (!daemon) fail("the port is taken");
    puts("listening");
    fflush(stdout);
    char end;
    while (read(STDIN_FILENO, &end, 1) > 0) {}
    MHD_stop_daemon(daemon);
}

int main(int count, char **arguments) {
    if (count == 7 && !strcmp(arguments[1], "load")) load(arguments + 2);
    else if (count == 6 && !strcmp(arguments[1], "serve")) serve(arguments + 2);
    else {
        fputs("usage: server load DATABASE NODES MESSAGES TELEMETRY COUNT | server serve DATABASE PORT TOKEN CONSTANT\n", stderr);
        return 64;
    }
    return 0;
}

#ifndef MESH_GATEWAY_YAML_READER_H
#define MESH_GATEWAY_YAML_READER_H

#include <stdbool.h>
#include <stddef.h>

/* libyaml 0.2 as a reader of events, loaded with dlopen(3) when a file is read: a machine where nobody reads one does not need it.
   Functions are found by name and have the types of Debian's header. One thread. */

/* Loads the library. NULL on success, else the text of dlerror(3), or its version if that is another one than 0.2. */
const char *mg_yaml_load(void);

enum mg_yaml_kind {
    MG_YAML_STREAM,
    MG_YAML_STREAM_END,
    MG_YAML_DOCUMENT,
    MG_YAML_DOCUMENT_END,
    MG_YAML_SCALAR,
    MG_YAML_ALIAS,
    MG_YAML_SEQUENCE,
    MG_YAML_SEQUENCE_END,
    MG_YAML_MAPPING,
    MG_YAML_MAPPING_END,
};

struct mg_yaml_event {
    enum mg_yaml_kind kind;
    size_t line; /* from 1 */
    /* Of a scalar, valid until the next call; it may hold zero bytes. */
    const char *value;
    size_t length;
    bool is_plain;
    /* Of a scalar, a sequence or a mapping. */
    bool has_anchor, has_tag;
};

struct mg_yaml_problem {
    const char *text;
    size_t line; /* from 1 */
};

typedef struct mg_yaml mg_yaml;

/* `bytes` are UTF-8 and stay until mg_yaml_free. NULL when there is no memory. */
mg_yaml *mg_yaml_new(const void *bytes, size_t size);
/* Reads the next event. False: the text is no YAML from there on; `problem` says why. Not to be called again then, nor after
   MG_YAML_STREAM_END. */
bool mg_yaml_next(mg_yaml *reader, struct mg_yaml_event *event, struct mg_yaml_problem *problem);
void mg_yaml_free(mg_yaml *reader);

#endif

#include "yaml_reader.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <yaml.h>

#define FUNCTIONS(F)                                                                                                   \
    F(get_version)                                                                                                     \
    F(parser_initialize)                                                                                               \
    F(parser_set_input_string)                                                                                         \
    F(parser_set_encoding)                                                                                             \
    F(parser_parse)                                                                                                    \
    F(parser_delete)                                                                                                   \
    F(event_delete)

#define MEMBER(name) __typeof__(yaml_##name) *name;
static struct { FUNCTIONS(MEMBER) } library;
static bool is_loaded;

const char *mg_yaml_load(void) {
    if (is_loaded) return NULL;
    void *handle = dlopen("libyaml-0.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    const char *why = NULL;
#define FIND(name)                                                                                                     \
    if (!why && !(library.name = (__typeof__(library.name))dlsym(handle, "yaml_" #name))) why = dlerror();
    FUNCTIONS(FIND)
    if (why) return why;
    /* The parser is a structure of ours, whose size is the header's. */
    int major = 0, minor = 0, patch = 0;
    library.get_version(&major, &minor, &patch);
    if (major != 0 || minor != 2) return "it is not version 0.2";
    is_loaded = true;
    return NULL;
}

struct mg_yaml {
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
};

mg_yaml *mg_yaml_new(const void *bytes, size_t size) {
    mg_yaml *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    if (!library.parser_initialize(&reader->parser)) {
        free(reader);
        return NULL;
    }
    /* Otherwise it would look for UTF-16. */
    library.parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
    library.parser_set_input_string(&reader->parser, bytes, size);
    return reader;
}

static void delete_event(mg_yaml *reader) {
    if (reader->has_event) library.event_delete(&reader->event);
    reader->has_event = false;
}

static void describe(const yaml_event_t *from, struct mg_yaml_event *event) {
    switch (from->type) {
    case YAML_STREAM_END_EVENT: event->kind = MG_YAML_STREAM_END; break;
    case YAML_DOCUMENT_START_EVENT: event->kind = MG_YAML_DOCUMENT; break;
    case YAML_DOCUMENT_END_EVENT: event->kind = MG_YAML_DOCUMENT_END; break;
    case YAML_ALIAS_EVENT: event->kind = MG_YAML_ALIAS; break;
    case YAML_SCALAR_EVENT:
        event->kind = MG_YAML_SCALAR;
        event->value = (const char *)from->data.scalar.value;
        event->length = from->data.scalar.length;
        event->is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        event->has_anchor = from->data.scalar.anchor;
        event->has_tag = from->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        event->kind = MG_YAML_SEQUENCE;
        event->has_anchor = from->data.sequence_start.anchor;
        event->has_tag = from->data.sequence_start.tag;
        break;
    case YAML_SEQUENCE_END_EVENT: event->kind = MG_YAML_SEQUENCE_END; break;
    case YAML_MAPPING_START_EVENT:
        event->kind = MG_YAML_MAPPING;
        event->has_anchor = from->data.mapping_start.anchor;
        event->has_tag = from->data.mapping_start.tag;
        break;
    case YAML_MAPPING_END_EVENT: event->kind = MG_YAML_MAPPING_END; break;
    default: event->kind = MG_YAML_STREAM; break;
    }
}

bool mg_yaml_next(mg_yaml *reader, struct mg_yaml_event *event, struct mg_yaml_problem *problem) {
    delete_event(reader);
    if (!library.parser_parse(&reader->parser, &reader->event)) {
        const yaml_parser_t *parser = &reader->parser;
        problem->text = parser->error == YAML_MEMORY_ERROR ? "there is no memory for it" : parser->problem;
        if (!problem->text) problem->text = "it is no YAML";
        /* A mistake in the bytes has an offset and no place: it is where the reader is. */
        problem->line = 1 + (parser->error == YAML_READER_ERROR ? parser->mark.line : parser->problem_mark.line);
        return false;
    }
    reader->has_event = true;
    *event = (struct mg_yaml_event){.line = reader->event.start_mark.line + 1};
    describe(&reader->event, event);
    return true;
}

void mg_yaml_free(mg_yaml *reader) {
    if (!reader) return;
    delete_event(reader);
    library.parser_delete(&reader->parser);
    free(reader);
}

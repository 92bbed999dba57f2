#include "json.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 64

typedef struct {
    const uint8_t *at;
    const uint8_t *end;
} reader_t;

static bool read_value(reader_t *reader, json_t *value, int depth);

static void skip_space(reader_t *reader) {
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at) reader->at++;
}

// Takes the byte if it comes next, after white space.
static bool take(reader_t *reader, char byte) {
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != (uint8_t)byte) return false;
    reader->at++;
    return true;
}

static bool take_word(reader_t *reader, const char *word) {
    size_t len = strlen(word);
    if ((size_t)(reader->end - reader->at) < len || memcmp(reader->at, word, len) != 0) return false;
    reader->at += len;
    return true;
}

// Room for one more item; the capacity is the next power of two.
static void *grown(void *items, size_t len, size_t size) {
    if (len & (len - 1)) return items;
    items = realloc(items, (len ? 2 * len : 1) * size);
    if (!items) abort();
    return items;
}

static bool read_hex(reader_t *reader, uint32_t *code) {
    if (reader->end - reader->at < 4) return false;
    *code = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t byte = *reader->at++;
        uint32_t digit;
        if (byte >= '0' && byte <= '9') digit = byte - '0';
        else if (byte >= 'a' && byte <= 'f') digit = byte - 'a' + 10;
        else if (byte >= 'A' && byte <= 'F') digit = byte - 'A' + 10;
        else return false;
        *code = *code << 4 | digit;
    }
    return true;
}

// Writes a character as UTF-8 and gives the place after it.
static uint8_t *put(uint8_t *to, uint32_t code) {
    if (code < 0x80) {
        *to++ = (uint8_t)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (uint8_t)(first[more] | code >> 6 * more);
    while (more--) *to++ = (uint8_t)(0x80 | (code >> 6 * more & 0x3f));
    return to;
}

static bool read_escape(reader_t *reader, uint8_t **to) {
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    if (reader->at == reader->end) return false;
    uint8_t name = *reader->at++;
    if (name != 'u') {
        const char *found = name ? strchr(names, name) : NULL;
        if (!found) return false;
        *(*to)++ = (uint8_t)bytes[found - names];
        return true;
    }
    uint32_t code, low;
    if (!read_hex(reader, &code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (!take_word(reader, "\\u") || !read_hex(reader, &low) || low < 0xdc00 || low > 0xdfff) return false;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
        return false;
    }
    *to = put(*to, code);
    return true;
}

// After the opening quote. No text gets longer by reading it.
static bool read_string(reader_t *reader, guest_string_t *text) {
    uint8_t *to = malloc((size_t)(reader->end - reader->at) + 1);
    if (!to) abort();
    text->ptr = to;
    while (reader->at < reader->end) {
        uint8_t byte = *reader->at++;
        if (byte == '"') {
            text->len = (size_t)(to - text->ptr);
            return true;
        }
        if (byte != '\\') *to++ = byte;
        else if (!read_escape(reader, &to)) return false;
    }
    return false;
}

static bool read_array(reader_t *reader, json_t *value, int depth) {
    if (take(reader, ']')) return true;
    do {
        value->items = grown(value->items, value->len, sizeof(json_t));
        if (!read_value(reader, &value->items[value->len++], depth)) return false;
    } while (take(reader, ','));
    return take(reader, ']');
}

static bool read_object(reader_t *reader, json_t *value, int depth) {
    if (take(reader, '}')) return true;
    do {
        value->keys = grown(value->keys, value->len, sizeof(guest_string_t));
        value->items = grown(value->items, value->len, sizeof(json_t));
        if (!take(reader, '"') || !read_string(reader, &value->keys[value->len]) || !take(reader, ':')) return false;
        if (!read_value(reader, &value->items[value->len++], depth)) return false;
    } while (take(reader, ','));
    return take(reader, '}');
}

static bool read_value(reader_t *reader, json_t *value, int depth) {
    memset(value, 0, sizeof *value);
    if (depth == DEPTH) return false;
    if (take(reader, '{')) {
        value->kind = JSON_OBJECT;
        return read_object(reader, value, depth + 1);
    }
    if (take(reader, '[')) {
        value->kind = JSON_ARRAY;
        return read_array(reader, value, depth + 1);
    }
    if (take(reader, '"')) {
        value->kind = JSON_STRING;
        return read_string(reader, &value->text);
    }
    value->text.ptr = (uint8_t *)reader->at;
    if (take_word(reader, "null")) {
        value->kind = JSON_NULL;
    } else if (take_word(reader, "true") || take_word(reader, "false")) {
        value->kind = JSON_BOOL;
    } else {
        value->kind = JSON_NUMBER;
        while (reader->at < reader->end && *reader->at && strchr("+-.0123456789Ee", *reader->at)) reader->at++;
    }
    value->text.len = (size_t)(reader->at - value->text.ptr);
    return value->text.len > 0;
}

bool json_read(guest_string_t text, json_t *value) {
    reader_t reader = {text.ptr, text.ptr + text.len};
    if (!read_value(&reader, value, 0)) return false;
    skip_space(&reader);
    return reader.at == reader.end;
}

const json_t *json_get(const json_t *object, const char *key) {
    for (size_t i = 0; object->kind == JSON_OBJECT && i < object->len; i++) {
        guest_string_t found = object->keys[i];
        if (found.len == strlen(key) && memcmp(found.ptr, key, found.len) == 0) return &object->items[i];
    }
    return NULL;
}

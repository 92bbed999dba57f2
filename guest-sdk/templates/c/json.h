// A small reader of JSON for settings and inputs.
//
// It takes what the host sends, which is always valid, and refuses what it does not understand. Nothing is freed: an
// instance of the policy serves one call, and its memory goes with it.

#ifndef JSON_H
#define JSON_H

#include "bindings/guest.h"

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind_t;

typedef struct json {
    json_kind_t kind;
    guest_string_t text;  // of a string, its text; of a number or a bool, as it is written
    size_t len;           // of an array or an object
    struct json *items;
    guest_string_t *keys; // of an object
} json_t;

// Reads a whole text; false if it is not JSON, or nested more than 64 deep.
bool json_read(guest_string_t text, json_t *value);

// The value of a key of an object; NULL if there is none.
const json_t *json_get(const json_t *object, const char *key);

#endif

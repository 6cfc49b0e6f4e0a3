// JSON: values from foreign files, and complete output.
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "arena.h"
#include "error.h"

// --- one value of a foreign file

// Sets *word to the string that the file's outermost object has under `name`, in the arena: NULL if it is
// missing, null, or there is no file; "true" for true; "" for any other value. Returns false and sets err if
// the machine fails.
bool json_word(const char *path, const char *name, Arena *arena, const char **word, Error *err);

// --- several values of a file

typedef struct json_t JsonValue; // any JSON value

// Sets *whole to the outermost object, NULL if there is no file; release it with json_decref. Returns false and
// sets err if it is not a JSON object or the machine fails.
bool json_file_open(const char *path, JsonValue **whole, Error *err);

// A value by dotted path ("rope_scaling.factor"); NULL if missing or null. `in` may be NULL.
const JsonValue *json_value(const JsonValue *in, const char *name);

// A member of an object or item of a list by number; NULL past the last. `name` is "" for an item.
const JsonValue *json_value_at(const JsonValue *in, int number, const char **name);

// A number; true is 1, false 0. Returns false for other values.
bool json_value_number(const JsonValue *value, double *number);

// The value as one line of JSON, in the arena; NULL and err without memory.
const char *json_value_shown(const JsonValue *value, Arena *arena, Error *err);

// --- complete output
//
// Without memory jansson drops what it cannot store, and the result looks valid. Call json_whole_begin first,
// build without checking each piece, and ask json_whole once at the end. jansson's parsers read out of bounds
// without memory: use json_whole_read instead of json_loads.

// A number. JSON has no NaN and infinities: they become "NaN", "Infinity" and "-Infinity".
json_t *json_number(double number);

// A list of integers.
json_t *json_sizes(int count, const ptrdiff_t sizes[]);

// Starts to watch jansson's memory.
void json_whole_begin(void);

// True if no allocation has failed since. Otherwise sets err.
bool json_whole(Error *err);

// Parses like json_loadb; release with json_decref. NULL with an empty message if it is not JSON (`where`, if
// set, gets the position), NULL with a message without memory. Watching continues.
json_t *json_whole_read(const char *bytes, size_t length, size_t flags, json_error_t *where,
                        Error *err);

// Parses a file of at most `most` bytes. NULL and err, with the path and the position, on failure.
json_t *json_whole_file(const char *path, size_t most, Error *err);

// Prints JSON and a newline. Returns false, and prints nothing, if it is incomplete (NULL counts as that);
// false also if the write fails.
bool json_whole_print(const json_t *json, size_t flags, FILE *out, Error *err);

#endif

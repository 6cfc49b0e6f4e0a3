// JSON: values out of somebody else's file, and text that is whole or not written.
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "arena.h"
#include "error.h"

// --- values out of a file
//
// Values out of a JSON file of somebody else's, such as a model's config.json.

// The text that the file's outermost object has under that name, in the arena; NULL where there is none, or
// null, or no such file; "true" for true, and "" for any other value. False with a sentence when this machine
// cannot tell.
bool json_word(const char *path, const char *name, Arena *arena, const char **word, Error *err);

// --- a file that is asked more than once

typedef struct json_t JsonValue; // an object, a list, a text, a number, a flag

// The file's outermost object; NULL where there is no such file. False with a sentence where it is no
// JSON object, or when this machine cannot tell. json_file_close takes NULL too.
bool json_file_open(const char *path, JsonValue **whole, Error *err);
void json_file_close(JsonValue *whole);

// The value of that name, through names joined by dots ("rope_scaling.factor"); NULL where there is
// none, or null. `in` may be NULL.
const JsonValue *json_value(const JsonValue *in, const char *name);

// The member of an object, or the item of a list, of that number; NULL beyond the last. `name` of an
// item is "".
const JsonValue *json_value_at(const JsonValue *in, int number, const char **name);

// A number; true is 1, and false 0. False where the value is none of these.
bool json_value_number(const JsonValue *value, double *number);

// A text; NULL where the value is none.
const char *json_value_text(const JsonValue *value);

// As JSON has it, in one line, in the arena; NULL when memory is short.
const char *json_value_shown(const JsonValue *value, Arena *arena, Error *err);

// --- whole or not at all
//
// JSON that is whole or not written at all.
//
// jansson leaves out what there was no memory for: a list that cannot take one more member stays as it
// was, and everything built of it looks right. So whoever builds JSON says json_whole_begin first, puts
// it together without looking at each piece, and asks at the end, once, whether all of it is there.
// Reading without memory goes beyond the end of what jansson has kept: nobody calls json_loads and its
// like, but json_whole_read.

// From here on jansson's memory is watched.
void json_whole_begin(void);

// Whether all memory that jansson has asked for since was there. False with a sentence.
bool json_whole(Error *err);

// Reads JSON as json_loadb; the caller gives it back with json_decref. NULL when it is none, with an empty
// sentence and, unless `where` is NULL, the place, or when there is no memory for it, with a sentence.
// What is being built meanwhile is watched on.
json_t *json_whole_read(const char *bytes, size_t length, size_t flags, json_error_t *where,
                        Error *err);

// Writes the JSON and ends the line. False with a sentence, and nothing written, when it is not whole;
// false too when the stream does not take it. `json` may be NULL, which is not whole.
bool json_whole_print(const json_t *json, size_t flags, FILE *out, Error *err);

#endif

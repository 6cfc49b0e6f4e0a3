// Values out of a JSON file of somebody else's, such as a model's config.json.
#ifndef JSON_NUMBER_H
#define JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include "arena.h"
#include "error.h"

// The first of `names` (NULL-terminated) that the file's outermost object has with a whole number; 0
// where there is none, or no such file. False with a sentence when this machine cannot tell.
bool json_number(const char *path, const char *const names[], int64_t *number, Error *err);

// The number of that name, whole or not; what `number` holds stays where there is none. False as above.
bool json_decimal(const char *path, const char *name, double *number, Error *err);

// The text of that name, in the arena; NULL where there is none, or null; "true" for true, and "" for any other value.
// False as above.
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

#endif

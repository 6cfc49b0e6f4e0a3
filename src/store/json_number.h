// One value out of a JSON file of somebody else's, such as a model's config.json.
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

#endif

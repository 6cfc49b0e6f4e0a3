// One whole number out of a JSON file of somebody else's, such as a model's config.json.
#ifndef JSON_NUMBER_H
#define JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include "error.h"

// The first of `names` (NULL-terminated) that the file's outermost object has with a whole number; 0
// where there is none, or no such file. False with a sentence when this machine cannot tell.
bool json_number(const char *path, const char *const names[], int64_t *number, Error *err);

#endif

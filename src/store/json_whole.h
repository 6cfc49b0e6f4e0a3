// JSON that is whole or not written at all.
//
// jansson leaves out what there was no memory for: a list that cannot take one more member stays as it
// was, and everything built of it looks right. So whoever builds JSON says json_whole_begin first, puts
// it together without looking at each piece, and asks at the end, once, whether all of it is there.
// Reading without memory goes beyond the end of what jansson has kept: nobody calls json_loads and its
// like, but json_whole_read.
#ifndef JSON_WHOLE_H
#define JSON_WHOLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "error.h"

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

// json_number: see json_number.h.
#include "json_number.h"
#include "input_file.h"
#include "json_whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "store_words.h"

enum { BYTES_MAX = 1 << 20, NAME_MAX_BYTES = 128 };

// The whole file; NULL where there is none, or it cannot be read. False when this machine cannot tell.
static bool read_whole(const char *path, json_t **whole, Error *err)
{
    Arena scratch = {0};
    unsigned char *bytes;
    size_t length;
    *whole = NULL;
    *err = (Error){.text = ""};
    if (input_file_all(path, BYTES_MAX, &scratch, &bytes, &length, err))
        *whole = json_whole_read((const char *)bytes, length, 0, NULL, err);
    arena_finish(&scratch);
    return !err->of_machine;
}

bool json_number(const char *path, const char *const names[], int64_t *number, Error *err)
{
    json_t *whole;
    bool told = read_whole(path, &whole, err);
    *number = 0;
    for (int i = 0; *number == 0 && names[i]; i++)
        *number = (int64_t)json_integer_value(json_object_get(whole, names[i]));
    json_decref(whole);
    return told;
}

bool json_decimal(const char *path, const char *name, double *number, Error *err)
{
    json_t *whole;
    bool told = read_whole(path, &whole, err);
    const json_t *value = json_object_get(whole, name);
    if (json_is_number(value))
        *number = json_number_value(value);
    json_decref(whole);
    return told;
}

bool json_word(const char *path, const char *name, Arena *arena, const char **word, Error *err)
{
    json_t *whole;
    bool told = read_whole(path, &whole, err);
    const json_t *value = json_object_get(whole, name);
    bool is_there = value && !json_is_null(value);
    *word = NULL;
    if (told && is_there) {
        const char *text = json_is_string(value) ? json_string_value(value)
                           : json_is_true(value) ? "true"
                                                 : "";
        *word = arena_text(arena, text, err);
        told = *word != NULL;
    }
    json_decref(whole);
    return told;
}

// --- a file that is asked more than once

bool json_file_open(const char *path, JsonValue **whole, Error *err)
{
    if (!read_whole(path, whole, err))
        return false;
    if (json_is_object(*whole) || access(path, F_OK) != 0)
        return true;
    json_file_close(*whole);
    *whole = NULL;
    return err->text[0] ? false : error_set(err, TELL(JSON_NO_OBJECT), path);
}

void json_file_close(JsonValue *whole)
{
    json_decref(whole);
}

const JsonValue *json_value(const JsonValue *in, const char *name)
{
    char word[NAME_MAX_BYTES];
    for (size_t length; in && *name; name += length + (name[length] == '.')) {
        length = strcspn(name, ".");
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        in = json_object_get(in, word);
    }
    return json_is_null(in) ? NULL : in;
}

const JsonValue *json_value_at(const JsonValue *in, int number, const char **name)
{
    *name = "";
    if (json_is_array(in))
        return json_array_get(in, (size_t)number);
    void *at = json_object_iter((JsonValue *)in);
    while (at && number-- > 0)
        at = json_object_iter_next((JsonValue *)in, at);
    *name = at ? json_object_iter_key(at) : "";
    return at ? json_object_iter_value(at) : NULL;
}

bool json_value_number(const JsonValue *value, double *number)
{
    if (json_is_number(value))
        *number = json_number_value(value);
    else if (json_is_boolean(value))
        *number = json_is_true(value);
    return json_is_number(value) || json_is_boolean(value);
}

const char *json_value_text(const JsonValue *value)
{
    return json_string_value(value);
}

const char *json_value_shown(const JsonValue *value, Arena *arena, Error *err)
{
    json_whole_begin();
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    const char *kept = text ? arena_text(arena, text, err) : NULL;
    if (!text)
        error_machine(err, TELL(JSON_NO_MEMORY));
    free(text);
    return kept;
}

// json_number: see json_number.h.
#include "json_number.h"
#include "input_file.h"
#include "json_whole.h"

enum { BYTES_MAX = 1 << 20 };

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

// JSON: values of foreign files, and complete output; see json.h.
#include "json.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input_file.h"
#include "store_words.def"

// --- one value

enum { BYTES_MAX = 1 << 20, NAME_MAX_BYTES = 128 };

// Reads the file; NULL if it is missing or malformed. Returns false and sets err if the machine fails.
static bool read_whole(const char *path, json_t **whole, Error *err)
{
    *err = (Error){.text = ""};
    *whole = json_whole_file(path, BYTES_MAX, err);
    return !err->of_machine;
}

bool json_word(const char *path, const char *name, Arena *arena, const char **word, Error *err)
{
    json_t *whole;
    bool good = read_whole(path, &whole, err);
    const json_t *value = json_object_get(whole, name);
    bool is_there = value && !json_is_null(value);
    *word = NULL;
    if (good && is_there) {
        const char *text = json_is_string(value) ? json_string_value(value)
                           : json_is_true(value) ? "true"
                                                 : "";
        *word = arena_text(arena, text, err);
        good = *word != NULL;
    }
    json_decref(whole);
    return good;
}

// --- several values

bool json_file_open(const char *path, JsonValue **whole, Error *err)
{
    if (!read_whole(path, whole, err))
        return false;
    if (json_is_object(*whole) || access(path, F_OK) != 0)
        return true;
    json_decref(*whole);
    *whole = NULL;
    return err->text[0] ? false : error_set(err, TELL(JSON_NO_OBJECT), path);
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

// --- complete output: jansson gets a malloc that remembers failures

json_t *json_number(double number)
{
    return isfinite(number) ? json_real(number)
           : isnan(number)  ? json_string("NaN")
                            : json_string(number > 0.0 ? "Infinity" : "-Infinity");
}

json_t *json_sizes(int count, const ptrdiff_t sizes[])
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(sizes[i]));
    return list;
}

// Memory of a running parse. Without memory jansson continues, and reads past a name that it has not stored. So the first
// failure aborts the parse, and everything allocated during it is freed here.
typedef struct Reading {
    jmp_buf end;
    void **pieces;
    size_t count, room;
} Reading;

static _Thread_local Reading *reading; // NULL: no parse is running
static _Atomic bool has_failed;

static bool note_piece(void *piece)
{
    if (reading->count == reading->room) {
        size_t room = reading->room ? 2 * reading->room : 64;
        void **pieces = realloc(reading->pieces, room * sizeof *pieces);
        if (!pieces)
            return false;
        reading->pieces = pieces;
        reading->room = room;
    }
    reading->pieces[reading->count++] = piece;
    return true;
}

// Mostly the newest allocation is freed.
static void give_back(void *memory)
{
    for (size_t i = reading && memory ? reading->count : 0; i-- > 0;)
        if (reading->pieces[i] == memory) {
            reading->pieces[i] = reading->pieces[--reading->count];
            break;
        }
    free(memory);
}

static void *take(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory && (!reading || note_piece(memory)))
        return memory;
    free(memory);
    if (reading)
        longjmp(reading->end, 1);
    has_failed = true;
    return NULL;
}

void json_whole_begin(void)
{
    json_set_alloc_funcs(take, give_back);
    has_failed = false;
}

bool json_whole(Error *err)
{
    return !has_failed || error_machine(err, TELL(JSON_NO_MEMORY));
}

json_t *json_whole_read(const char *bytes, size_t length, size_t flags, json_error_t *where,
                        Error *err)
{
    Reading now = {.pieces = NULL};
    json_t *volatile json = NULL;
    json_set_alloc_funcs(take, give_back);
    *err = (Error){.text = ""};
    reading = &now;
    if (setjmp(now.end) == 0) {
        json = json_loadb(bytes, length, flags, where);
    } else {
        for (size_t i = 0; i < now.count; i++)
            free(now.pieces[i]);
        error_machine(err, TELL(JSON_NO_MEMORY));
    }
    reading = NULL;
    free(now.pieces);
    return json;
}

json_t *json_whole_file(const char *path, size_t most, Error *err)
{
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    json_error_t where;
    json_t *json = NULL;
    if (input_file_all(path, most, &arena, &bytes, &length, err)) {
        json = json_whole_read((const char *)bytes, length, 0, &where, err);
        if (!json && !*err->text)
            error_set(err, TELL(JSON_UNREADABLE), path, where.line, where.column,
                      library_text("jansson", where.text));
    }
    arena_finish(&arena);
    return json;
}

bool json_whole_print(const json_t *json, size_t flags, FILE *out, Error *err)
{
    if (!json_whole(err))
        return false;
    if (!json)
        return error_set(err, TELL(JSON_NOT_UTF8));
    errno = 0;
    if (json_dumpf(json, out, flags) == 0 && fputc('\n', out) != EOF)
        return true;
    return json_whole(err) && error_set(err, TELL(JSON_UNWRITTEN), error_reason(errno));
}

// JSON where there is no memory for a part of it: nothing is read, and what was taken is given back. The
// Nth malloc fails, for each N until the text is read as a whole (malloc and free are wrapped by the linker).
#include "json.h"
#include "suite.h"

#include <string.h>
#include <unistd.h>

// jansson keeps 16, then 32, then 64 bytes of what it reads: with its quotation marks and the NUL each of
// these is one byte too long, so that it is the closing mark that there is no memory for.
#define NAME "14 letters lon"
#define TEXT "30 letters long: abcdefghijklm"
#define LONG "62 letters long: abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrs"
static const char text[] = "{\"" NAME "\": [\"" TEXT "\", \"" LONG "\", 1.5, {\"heads\": 2}], "
                           "\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6, \"g\": 7, "
                           "\"h\": 8, \"i\": 9}";

void *__real_malloc(size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *memory);

static long left; // calls until one fails; negative: none does
static long held; // pieces that were taken and not given back
static bool counts;

static bool fails(void)
{
    return counts && left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    void *memory = fails() ? NULL : __real_malloc(bytes);
    held += counts && memory;
    return memory;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    void *memory = fails() ? NULL : __real_realloc(old, bytes);
    held += counts && memory && !old;
    return memory;
}

void __wrap_free(void *memory)
{
    held -= counts && memory;
    __real_free(memory);
}

static json_t *read_with(long calls, json_error_t *where, Error *err)
{
    left = calls;
    held = 0;
    counts = true;
    json_t *json = json_whole_read(text, strlen(text), 0, where, err);
    counts = false;
    return json;
}

TEST(text_without_memory_is_not_read_and_leaves_nothing)
{
    json_error_t where;
    Error err;
    json_t *json = NULL;
    int calls = 0;
    for (; calls < 1000 && !(json = read_with(calls, &where, &err)); calls++) {
        ck_assert_msg(err.of_machine, "call %d: '%s' is not about the machine", calls, err.text);
        ck_assert_str_eq(err.text, "out of memory for JSON");
        ck_assert_msg(held == 0, "call %d leaves %ld pieces", calls, held);
    }
    ck_assert_int_gt(calls, 40); // one for each of 28 names and values, and those for tables
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(json, NAME), 1)), LONG);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "i")), 9);
    ck_assert_int_eq(json_object_size(json), 10);
    json_decref(json);
}

TEST(text_that_is_no_json_has_a_place_and_no_sentence)
{
    json_error_t where;
    Error err;
    ck_assert_ptr_null(json_whole_read("{\n  1", 5, 0, &where, &err));
    ck_assert_str_eq(err.text, "");
    ck_assert(!err.of_machine);
    ck_assert_int_eq(where.line, 2);
}

TEST(what_is_being_built_is_watched_while_something_is_read)
{
    json_error_t where;
    Error err;
    json_whole_begin();
    ck_assert_ptr_null(read_with(3, &where, &err));
    ck_assert(json_whole(&err)); // what was read is not a part of it
    left = 0;
    counts = true;
    json_t *lacking = json_array();
    counts = false;
    ck_assert_ptr_null(lacking);
    json_t *read = read_with(-1, &where, &err);
    ck_assert_ptr_nonnull(read);
    ck_assert(!json_whole(&err));
    json_decref(read);
    json_whole_begin();
    ck_assert(json_whole(&err));
}

TEST(value_of_a_file_is_not_said_to_be_missing_where_there_is_no_memory)
{
    char path[] = "/tmp/test_json_whole-XXXXXX";
    Error err = {.text = ""};
    Arena arena = {0};
    const char *word = NULL;
    int file = mkstemp(path);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    int calls = 0;
    bool good = false;
    for (; calls < 1000 && !good; calls++) {
        left = calls;
        counts = true;
        good = json_word(path, "h", &arena, &word, &err);
        counts = false;
        ck_assert_msg(good || err.of_machine, "call %d: '%s'", calls, err.text);
        ck_assert_msg(good || *err.text, "call %d says nothing", calls);
    }
    unlink(path);
    ck_assert_int_gt(calls, 40);
    ck_assert_str_eq(word, ""); // it is there, and no text
    ck_assert_msg(json_word(path, "h", &arena, &word, &err), "%s", err.text);
    ck_assert_ptr_null(word); // the file is gone
    arena_finish(&arena);
}

SUITE("json_whole")

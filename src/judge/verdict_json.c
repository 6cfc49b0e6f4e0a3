// verdict_json: a record as JSON, and back; see verdict.h. The keys are the names of the fields.
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "input_file.h"
#include "json.h"
#include "new_file.h"
#include "verdict.h"
#include "verdict_words.def"
#include "words.h"

enum { JSON_BYTES_MAX = 1 << 22 };

static const char *const ends[] = {
    [VERDICT_PASSED] = "passed",
    [VERDICT_WRONG] = "wrong",
    [VERDICT_BROKEN] = "broken",
    [VERDICT_NOT_RUN] = "not run",
};
static const char *const kinds[] = {
    [VERDICT_KIND_NONE] = NULL,
#define VERDICT_KIND(NAME, word, ...) [VERDICT_KIND_##NAME] = word,
#include "verdict_kinds.def"
};
// The fields that are texts or whole numbers, once for both directions.
typedef struct TextField {
    const char *key;
    size_t place;
} TextField;
#define FIELD_AS(key, type, name) \
    { \
        key, offsetof(type, name) \
    }
#define FIELD(type, name) FIELD_AS(#name, type, name)

static const TextField verdict_texts[] = {
    FIELD(Verdict, exercise),
    FIELD(Verdict, version),
    FIELD(Verdict, fence),
    FIELD_AS("chain_why", Verdict, chain_why[LANGUAGE_ENGLISH]),
    FIELD_AS("chain_why_korean", Verdict, chain_why[LANGUAGE_KOREAN]),
};
static const TextField verdict_numbers[] = {
    FIELD(Verdict, spent),        FIELD(Verdict, points),    FIELD(Verdict, max),
    FIELD(Verdict, chain_points), FIELD(Verdict, chain_max),
};
static const TextField test_texts[] = {
    FIELD(VerdictTest, name),     FIELD_AS("why", VerdictTest, why[LANGUAGE_ENGLISH]),
    FIELD(VerdictTest, given),    FIELD(VerdictTest, where),
    FIELD(VerdictTest, expected), FIELD(VerdictTest, got),
    FIELD(VerdictTest, map),      FIELD_AS("why_korean", VerdictTest, why[LANGUAGE_KOREAN]),
    FIELD(VerdictTest, printed),  FIELD(VerdictTest, formulas),
    FIELD(VerdictTest, edited),
};
static const TextField test_numbers[] = {
    FIELD(VerdictTest, points),
    FIELD(VerdictTest, max),
};
static const TextField test_counts[] = {
    FIELD(VerdictTest, wrong),
    FIELD(VerdictTest, all),
    FIELD(VerdictTest, unwritten),
    FIELD(VerdictTest, worst_ulp),
};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void *field(const void *record, size_t place)
{
    return (char *)record + place;
}

// --- writing: false, or NULL, when memory is short, so that no record lacks a part

static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool put_texts(json_t *object, const void *record, const TextField fields[], int count)
{
    bool good = true;
    for (int i = 0; i < count; i++) {
        const char *text = *(const char **)field(record, fields[i].place);
        if (text)
            good = put(object, fields[i].key, json_string(text)) && good;
    }
    return good;
}

static bool put_numbers(json_t *object, const void *record, const TextField fields[], int count)
{
    bool good = true;
    for (int i = 0; i < count; i++) {
        const int *number = field(record, fields[i].place);
        good = put(object, fields[i].key, json_integer(*number)) && good;
    }
    return good;
}

static bool put_counts(json_t *object, const VerdictTest *test)
{
    bool good = true;
    for (int i = 0; i < COUNT(test_counts); i++) {
        const long long *number = field(test, test_counts[i].place);
        good = put(object, test_counts[i].key, json_integer(*number)) && good;
    }
    return good;
}

// A text in the languages that it has.
static json_t *from_languages(const char *const texts[LANGUAGES])
{
    json_t *all = json_object();
    bool good = all != NULL;
    for (int language = 0; language < LANGUAGES && good; language++)
        good = !texts[language] ||
               put(all, language_name((Language)language), json_string(texts[language]));
    if (good)
        return all;
    json_decref(all);
    return NULL;
}

static bool take_languages(const json_t *all, Arena *arena, const char *texts[LANGUAGES],
                           Error *err)
{
    for (int language = 0; language < LANGUAGES; language++) {
        const char *text =
            json_string_value(json_object_get(all, language_name((Language)language)));
        if (text && !(texts[language] = arena_text(arena, text, err)))
            return false;
    }
    return true;
}

static json_t *from_mistakes(const VerdictTest *test)
{
    json_t *mistakes = json_array();
    bool good = mistakes != NULL;
    for (int i = 0; i < VERDICT_MISTAKES_MAX && test->mistakes[i] && good; i++)
        good = json_array_append_new(mistakes, json_string(test->mistakes[i])) == 0;
    if (good)
        return mistakes;
    json_decref(mistakes);
    return NULL;
}

static json_t *from_test(const VerdictTest *test)
{
    json_t *object = json_object();
    bool good = object && put_texts(object, test, test_texts, COUNT(test_texts)) &&
                put_numbers(object, test, test_numbers, COUNT(test_numbers)) &&
                put_counts(object, test) && put(object, "end", json_string(ends[test->end])) &&
                (!kinds[test->kind] || put(object, "kind", json_string(kinds[test->kind]))) &&
                put(object, "hidden", json_boolean(test->hidden)) &&
                put(object, "worst", json_real(isfinite(test->worst) ? test->worst : 0.0)) &&
                put(object, "title", from_languages(test->title)) &&
                (!test->property[LANGUAGE_ENGLISH] ||
                 put(object, "property", from_languages(test->property))) &&
                (!test->relation[LANGUAGE_ENGLISH] ||
                 put(object, "relation", from_languages(test->relation))) &&
                (!test->edit_kind[LANGUAGE_ENGLISH] ||
                 put(object, "edit_kind", from_languages(test->edit_kind))) &&
                put(object, "mistakes", from_mistakes(test)) &&
                (!test->smallest || put(object, "smallest", from_test(test->smallest)));
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *from_verdict(const Verdict *verdict)
{
    json_t *object = json_object(), *tests = json_array();
    bool good = object && put(object, "schema", json_integer(VERDICT_SCHEMA)) &&
                put(object, "seed", json_integer(verdict->seed)) &&
                put(object, "judged", json_boolean(verdict_judged(verdict))) &&
                put_texts(object, verdict, verdict_texts, COUNT(verdict_texts)) &&
                put_numbers(object, verdict, verdict_numbers, COUNT(verdict_numbers));
    for (int i = 0; i < verdict->count && good; i++)
        good = json_array_append_new(tests, from_test(&verdict->tests[i])) == 0;
    if (good && json_object_set(object, "tests", tests) == 0) {
        json_decref(tests);
        return object;
    }
    json_decref(tests);
    json_decref(object);
    return NULL;
}

bool verdict_write(const Verdict *verdict, const char *path, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool begun = new_file_begin(&file, path, &arena, err);
    json_t *object = begun ? from_verdict(verdict) : NULL;
    bool good = begun;
    errno = ENOMEM; // what else json_dump_file may lack
    if (begun && !object)
        good = error_set(err, TELL(RECORD_MEMORY), path);
    else if (begun && json_dump_file(object, file.temporary, JSON_INDENT(2)) != 0)
        good = error_set(err, TELL(RECORD_UNWRITTEN), path, error_reason(errno));
    if (begun && !good)
        new_file_drop(&file);
    good = good && new_file_keep(&file, err);
    json_decref(object);
    arena_finish(&arena);
    return good;
}

// --- reading

static bool take_texts(const json_t *object, Arena *arena, void *record, const TextField fields[],
                       int count, Error *err)
{
    for (int i = 0; i < count; i++) {
        const char *text = json_string_value(json_object_get(object, fields[i].key));
        char *copy = text ? arena_text(arena, text, err) : NULL;
        if (text && !copy)
            return false;
        *(const char **)field(record, fields[i].place) = copy;
    }
    return true;
}

static void take_numbers(const json_t *object, void *record, const TextField fields[], int count)
{
    for (int i = 0; i < count; i++)
        *(int *)field(record, fields[i].place) =
            (int)json_integer_value(json_object_get(object, fields[i].key));
}

static bool take_list(const json_t *object, Arena *arena, VerdictTest *test, Error *err)
{
    const json_t *mistakes = json_object_get(object, "mistakes");
    if (!take_languages(json_object_get(object, "title"), arena, test->title, err) ||
        !take_languages(json_object_get(object, "property"), arena, test->property, err) ||
        !take_languages(json_object_get(object, "relation"), arena, test->relation, err) ||
        !take_languages(json_object_get(object, "edit_kind"), arena, test->edit_kind, err))
        return false;
    for (size_t i = 0; i < json_array_size(mistakes) && i < VERDICT_MISTAKES_MAX; i++) {
        const char *name = json_string_value(json_array_get(mistakes, i));
        if (name && !(test->mistakes[i] = arena_text(arena, name, err)))
            return false;
    }
    return true;
}

// The number of a word among those that a field can have; -1: the record does not say.
static int word_of(const json_t *object, const char *key, const char *const words[], int count)
{
    const char *word = json_string_value(json_object_get(object, key));
    for (int i = 0; i < count; i++)
        if (word && words[i] && strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

static bool to_test(const json_t *object, Arena *arena, VerdictTest *test, Error *err);

// Of a case within a case there is no smaller one.
static bool take_smallest(const json_t *object, Arena *arena, VerdictTest *test, Error *err)
{
    const json_t *smallest = json_object_get(object, "smallest");
    if (!smallest || json_object_get(smallest, "smallest"))
        return true;
    VerdictTest *small = arena_take(arena, 1, sizeof *small, err);
    test->smallest = small;
    return small && to_test(smallest, arena, small, err);
}

static bool to_test(const json_t *object, Arena *arena, VerdictTest *test, Error *err)
{
    int end = word_of(object, "end", ends, COUNT(ends));
    int kind = word_of(object, "kind", kinds, COUNT(kinds));
    if (end < 0)
        return error_set(err, TELL(RECORD_NO_END));
    test->end = (VerdictEnd)end;
    test->kind = kind < 0 ? VERDICT_KIND_NONE : (VerdictKind)kind;
    test->hidden = json_is_true(json_object_get(object, "hidden"));
    test->worst = json_number_value(json_object_get(object, "worst"));
    take_numbers(object, test, test_numbers, COUNT(test_numbers));
    for (int i = 0; i < COUNT(test_counts); i++)
        *(long long *)field(test, test_counts[i].place) =
            json_integer_value(json_object_get(object, test_counts[i].key));
    return take_texts(object, arena, test, test_texts, COUNT(test_texts), err) &&
           take_list(object, arena, test, err) && take_smallest(object, arena, test, err);
}

static bool to_verdict(const json_t *object, const char *path, Verdict *verdict, Error *err)
{
    if (json_integer_value(json_object_get(object, "schema")) != VERDICT_SCHEMA)
        return error_set(err, TELL(RECORD_NOT), path, VERDICT_SCHEMA);
    const json_t *tests = json_object_get(object, "tests");
    verdict->seed = json_integer_value(json_object_get(object, "seed"));
    take_numbers(object, verdict, verdict_numbers, COUNT(verdict_numbers));
    if (!take_texts(object, &verdict->arena, verdict, verdict_texts, COUNT(verdict_texts), err))
        return false;
    for (size_t i = 0; i < json_array_size(tests); i++) {
        VerdictTest *test = verdict_add(verdict);
        if (!test)
            return error_set(err, TELL(RECORD_MANY), path, VERDICT_TESTS_MAX);
        if (!to_test(json_array_get(tests, i), &verdict->arena, test, err))
            return error_prefix(err, "%s: ", path);
    }
    return (verdict->exercise && verdict->count > 0) || error_set(err, TELL(RECORD_NONE), path);
}

bool verdict_take(Verdict *verdict, const json_t *object, const char *path, Error *err)
{
    *verdict = (Verdict){.exercise = NULL};
    bool good = to_verdict(object, path, verdict, err);
    if (!good)
        verdict_finish(verdict);
    return good;
}

json_t *verdict_record(const char *path, Error *err)
{
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    json_error_t where;
    json_t *record = NULL;
    if (input_file_all(path, JSON_BYTES_MAX, &arena, &bytes, &length, err)) {
        record = json_whole_read((const char *)bytes, length, 0, &where, err);
        if (!record && !*err->text)
            error_set(err, "%s:%d:%d: %s", path, where.line, where.column,
                      library_text("jansson", where.text));
    }
    arena_finish(&arena);
    return record;
}

bool verdict_read(Verdict *verdict, const char *path, Error *err)
{
    *verdict = (Verdict){.exercise = NULL};
    json_t *record = verdict_record(path, err);
    bool good = record && verdict_take(verdict, record, path, err);
    json_decref(record);
    return good;
}

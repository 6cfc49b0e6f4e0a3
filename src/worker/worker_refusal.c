// worker_refusal: why a learner's file does not compile, from what the compiler and the linker said; see
// worker_internal.h.
#include <stdio.h>
#include <string.h>
#include "worker_internal.h"
#include "worker_words.h"

// The name that the compiler or the linker says one of these things of; false: it does not.
typedef struct Phrase {
    const char *before, *after;
} Phrase;

#define PHRASE(NAME, before, after) static const Phrase NAME = {before, after};
#include "worker_phrases.def"
#undef PHRASE

static bool says(const char *said, const Phrase *phrase, char name[64])
{
    const char *found = strstr(said, phrase->before);
    for (; found; found = strstr(found, phrase->before)) {
        found += strlen(phrase->before);
        size_t length = strcspn(found, "'\n ");
        const char *end = strstr(found, phrase->after);
        length = end && (size_t)(end - found) < length ? (size_t)(end - found) : length;
        snprintf(name, 64, "%.*s", (int)length, found);
        if (strncmp(found + length, phrase->after, strlen(phrase->after)) == 0)
            return true;
    }
    return false;
}

// The linker lacks a function: the exercise's own, which our exercise_call calls, or another.
static bool tell_lacking(Language language, const char *file, const char *said, const char *name,
                         Error *err)
{
    char unused[64];
    const char *ours = strstr(said, "`exercise_call'"), *found = strstr(said, lacking.before);
    bool is_static = (says(said, &unused_gcc, unused) || says(said, &unused_clang, unused)) &&
                     strcmp(unused, name) == 0;
    const char *sentence = !ours || ours > found ? TELL_IN(language, CALLED_UNDEFINED)
                           : is_static           ? TELL_IN(language, DEFINED_STATIC)
                                                 : TELL_IN(language, NOT_DEFINED);
    return error_set(err, sentence, file, name);
}

static bool tell(Language column, const char *name, const char *said, Error *err)
{
    Language language = language_beside(column);
    char named[64];
    bool is_twice = says(said, &twice, named) || says(said, &twice_elsewhere, named);
    if (is_twice && strcmp(named, "main") == 0)
        return error_set(err, TELL_IN(language, HAS_MAIN), name);
    if (is_twice)
        return error_set(err, TELL_IN(language, DEFINED_TWICE), name, named);
    if (says(said, &lacking, named))
        return tell_lacking(language, name, said, named, err);
    if (strstr(said, lacking_elsewhere.before))
        return error_set(err, TELL_IN(language, LACKS_SOMETHING), name);
    const char *first = strstr(said, "error: ");
    bool more = first && strstr(first + 1, "error: ");
    return more ? error_set(err, TELL_IN(language, NOT_COMPILED_MORE), name)
                : error_set(err, TELL_IN(language, NOT_COMPILED), name);
}

bool worker_refusal_say(const char *name, const char *said, Error why[LANGUAGES], Error *err)
{
    for (Language language = 0; language < LANGUAGES; language++)
        tell(language, name, said, &why[language]);
    *err = why[LANGUAGE_ENGLISH];
    return false;
}

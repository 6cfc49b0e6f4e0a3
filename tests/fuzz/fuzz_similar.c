// What tells how alike two sources are. Whatever a source holds, it is like itself, like itself with
// other names and another layout, and like a source that holds all of it.
#define _GNU_SOURCE // asprintf
#include "class.h"
#include "fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Arena arena;

static SimilarText read_text(const char *source)
{
    SimilarText text;
    Error err = {.text = ""};
    fuzz_must(similar_read(&text, source, &arena, &err), "it is read: %s", err.text);
    fuzz_must(text.count >= 0 && (size_t)text.count <= strlen(source), "no more than its tokens");
    for (int i = 1; i < text.count; i++)
        fuzz_must(text.prints[i - 1] < text.prints[i], "fingerprints are sorted, each once");
    return text;
}

static void is_same(const SimilarText *text, const SimilarText *other, const char *how)
{
    fuzz_must(text->count == other->count &&
                  memcmp(text->prints, other->prints, (size_t)text->count * sizeof *text->prints) ==
                      0,
              "%s changes nothing", how);
}

static bool is_of_name(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

// Every name that is not a keyword for sure, since it holds a capital, a figure or a "_", becomes longer.
static char *rename_all(const char *source)
{
    char *renamed = malloc(3 * strlen(source) + 1), *out = renamed;
    fuzz_must(renamed != NULL, "there is memory");
    while (*source) {
        bool has_sign = false, begins = isalpha((unsigned char)*source) || *source == '_';
        if (!is_of_name(*source)) {
            *out++ = *source++;
            continue;
        }
        for (; is_of_name(*source) || (!begins && *source == '.'); *out++ = *source++)
            has_sign |= !islower((unsigned char)*source);
        if (begins && has_sign) {
            memcpy(out, "_q", 2);
            out += 2;
        }
    }
    *out = '\0';
    return renamed;
}

static void check_renamed(const SimilarText *text, const char *source)
{
    char *renamed = rename_all(source);
    SimilarText other = read_text(renamed);
    is_same(text, &other, "another name");
    free(renamed);
}

static void check_within(const SimilarText *text, const char *source, const char *before,
                         const char *how)
{
    char *longer = NULL;
    fuzz_must(asprintf(&longer, "%s%s", before, source) >= 0, "there is memory");
    SimilarText other = read_text(longer);
    if (how)
        is_same(text, &other, how);
    fuzz_must(similar_share(text, &other) == similar_share(&other, text), "both are as alike");
    fuzz_must(similar_share(text, &other) == (text->count > 0),
              "all of it is found in what holds it");
    free(longer);
}

static void take_out_itself(SimilarText *text)
{
    SimilarText known = *text, none = {.count = 0};
    known.prints = malloc((size_t)text->count * sizeof *text->prints + 1);
    fuzz_must(known.prints != NULL, "there is memory");
    memcpy(known.prints, text->prints, (size_t)text->count * sizeof *text->prints);
    similar_take_out(text, &none);
    is_same(text, &known, "to take out nothing");
    similar_take_out(text, &known);
    fuzz_must(text->count == 0 && similar_share(text, &known) == 0.0, "nothing of it is left");
    free(known.prints);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *source = malloc(size + 1);
    fuzz_must(source != NULL, "there is memory");
    memcpy(source, size > 0 ? data : (const uint8_t *)"", size);
    source[size] = '\0';
    SimilarText text = read_text(source);
    check_renamed(&text, source);
    check_within(&text, source, " /* one\n * two */\t// three\n", "a comment");
    check_within(&text, source, "int other = 1;\n", NULL);
    take_out_itself(&text);
    arena_finish(&arena);
    free(source);
    return 0;
}

// similar: see class.h.
#include "class.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS_MAX = 20000 };

static const char *const keywords[] = {
    "break",  "case",   "const",  "continue", "default",  "do",   "double", "else",
    "float",  "for",    "goto",   "if",       "int",      "long", "return", "sizeof",
    "static", "struct", "switch", "typedef",  "unsigned", "void", "while"};

static bool is_keyword(const char *at, size_t length, int *which)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == length && memcmp(keywords[i], at, length) == 0) {
            *which = (int)i;
            return true;
        }
    return false;
}

// What is no token: blanks, comments, lines of the preprocessor.
static const char *skip_nothing(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at))
            at++;
        else if (*at == '#' || (at[0] == '/' && at[1] == '/'))
            at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            at = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : at + strlen(at);
        else
            return at;
    }
}

// The next token as a small number: all names are one, all numbers another. 0 at the end.
static int next_token(const char **text)
{
    const char *at = skip_nothing(*text);
    int token = (unsigned char)*at, which;
    size_t length = 1;
    if (isalpha(token) || token == '_') {
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        token = is_keyword(at, length, &which) ? 256 + which : 'n';
    } else if (isdigit(token)) {
        while (isalnum((unsigned char)at[length]) || at[length] == '.')
            length++;
        token = '0';
    }
    *text = *at ? at + length : at;
    return token;
}

static uint64_t hash_run(const int *tokens)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (int i = 0; i < SIMILAR_RUN; i++)
        hash = (hash ^ (uint64_t)tokens[i]) * 0x100000001b3u;
    return hash;
}

static int by_value(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static int sort_once(uint64_t *prints, int count)
{
    int kept = 0;
    qsort(prints, (size_t)count, sizeof *prints, by_value);
    for (int i = 0; i < count; i++)
        if (kept == 0 || prints[kept - 1] != prints[i])
            prints[kept++] = prints[i];
    return kept;
}

bool similar_read(SimilarText *text, const char *source, Arena *arena, Error *err)
{
    int *tokens = arena_take(arena, TOKENS_MAX, sizeof *tokens, err);
    uint64_t *runs = arena_take(arena, TOKENS_MAX, sizeof *runs, err);
    int count = 0;
    *text = (SimilarText){.count = 0};
    if (!tokens || !runs)
        return false;
    while (count < TOKENS_MAX && (tokens[count] = next_token(&source)) != 0)
        count++;
    int run_count = count - SIMILAR_RUN + 1;
    for (int i = 0; i < run_count; i++)
        runs[i] = hash_run(tokens + i);
    text->prints = arena_take(arena, (size_t)(run_count > 0 ? run_count : 0), sizeof *runs, err);
    for (int i = 0; text->prints && i + SIMILAR_WINDOW <= run_count; i++) {
        uint64_t least = runs[i];
        for (int j = 1; j < SIMILAR_WINDOW; j++)
            least = runs[i + j] < least ? runs[i + j] : least;
        text->prints[text->count++] = least;
    }
    if (text->prints)
        text->count = sort_once(text->prints, text->count);
    return text->prints != NULL;
}

// How many fingerprints both have.
static int count_shared(const SimilarText *one, const SimilarText *other)
{
    int shared = 0;
    for (int i = 0, j = 0; i < one->count && j < other->count;)
        if (one->prints[i] == other->prints[j]) {
            shared++;
            i++;
            j++;
        } else if (one->prints[i] < other->prints[j]) {
            i++;
        } else {
            j++;
        }
    return shared;
}

void similar_take_out(SimilarText *text, const SimilarText *known)
{
    int kept = 0;
    for (int i = 0; i < text->count; i++)
        if (known->count == 0 || !bsearch(&text->prints[i], known->prints, (size_t)known->count,
                                          sizeof *known->prints, by_value))
            text->prints[kept++] = text->prints[i];
    text->count = kept;
}

double similar_share(const SimilarText *one, const SimilarText *other)
{
    int smaller = one->count < other->count ? one->count : other->count;
    return smaller > 0 ? (double)count_shared(one, other) / smaller : 0.0;
}

// tokenizer.json, which then cuts two texts as a pair; and its regular expressions, which find places in
// a text.
#include "fuzz.h"
#include "tokenizer_parts.h"

#include <string.h>

static const char text[] = "<s>She  caf\u00e9's 12 \uc548\ub155\t\u4e2d e\u0301\r\n [MASK]\u2581";

static void cut(const Tokenizer *tokenizer, Arena *arena)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    if (!tokenizer_ids(tokenizer, text, "lowers \U0001f600", arena, &ids, &err)) {
        fuzz_refused(&err);
        return;
    }
    for (size_t i = 0; i < ids.count; i++)
        fuzz_must(ids.ids[i] >= 0 && (ids.types[i] == 0 || ids.types[i] == 1),
                  "an id is of a token, and of one of two texts");
}

// What is no JSON may be a regular expression.
static void find(const char *regex, Arena *arena)
{
    Error err = {.text = ""};
    const Pattern *pattern = pattern_read(regex, PATTERN_REGEX, arena, &err);
    long searches = 0;
    PatternSearch search = {.searches = &searches, .text = text, .length = strlen(text)};
    while (pattern && pattern_find(pattern, &search, &err) == PATTERN_FOUND) {
        fuzz_must(search.begin >= search.from && search.end > search.begin &&
                      search.end <= search.length,
                  "what is found lies in the text");
        search.from = search.end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    Error err = {.text = ""};
    Tokenizer *tokenizer =
        tokenizer_json(&(TokenizerBytes){data, size}, "tokenizer.json", &arena, &err);
    char *own = arena_take(&arena, size + 1, 1, &err);
    if (own && size > 0)
        memcpy(own, data, size);
    if (!tokenizer)
        fuzz_refused(&err);
    if (tokenizer) {
        cut(tokenizer, &arena);
        fuzz_must(tokenizer_shown(tokenizer, 1000, &arena, &err), "tokens are shown: %s", err.text);
    } else if (own) {
        find(own, &arena);
    }
    arena_finish(&arena);
    return 0;
}

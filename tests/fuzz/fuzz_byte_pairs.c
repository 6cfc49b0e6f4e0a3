// vocab.json and merges.txt of a tokenizer, with a 0 between them; it then cuts a text, and its merges.
#include "fuzz.h"
#include "tokenizer_parts.h"

#include <string.h>

static void cut(const Tokenizer *tokenizer, const char *text, Arena *arena)
{
    Error err = {.text = ""};
    TokenizerIds ids;
    if (!tokenizer_ids(tokenizer, text, NULL, arena, &ids, &err)) {
        fuzz_refused(&err);
        return;
    }
    for (size_t i = 0; i < ids.count; i++)
        fuzz_must(ids.ids[i] >= 0 && ids.ids[i] < tokenizer->id_count, "an id is of a token");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    Error err = {.text = ""};
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t json = zero ? (size_t)(zero - data) : size;
    size_t merges = zero ? size - json - 1 : 0;
    const Tokenizer *tokenizer = tokenizer_byte_pairs(
        &(TokenizerBytes){data, json}, &(TokenizerBytes){zero ? zero + 1 : data, merges},
        "merges.txt", &arena, &err);
    char *own = arena_take(&arena, merges + 1, 1, &err);
    if (!tokenizer)
        fuzz_refused(&err);
    if (own && merges > 0)
        memcpy(own, zero + 1, merges);
    if (tokenizer && own) {
        cut(tokenizer, "low  lower's 12 \uc548", &arena);
        cut(tokenizer, own, &arena);
        fuzz_must(tokenizer_shown(tokenizer, 1000, &arena, &err), "tokens are shown: %s", err.text);
    }
    arena_finish(&arena);
    return 0;
}

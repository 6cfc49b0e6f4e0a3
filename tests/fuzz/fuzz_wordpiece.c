// vocab.txt of a WordPiece tokenizer, which then cuts a text, and its own lines.
#include "fuzz.h"
#include "tokenizer_parts.h"

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
    const Tokenizer *tokenizer = tokenizer_wordpiece(&(TokenizerBytes){data, size}, "vocab.txt",
                                                     TOKENIZER_CASE_GUESSED, &arena, &err);
    char *own = arena_take(&arena, size + 1, 1, &err);
    if (!tokenizer)
        fuzz_refused(&err);
    for (size_t i = 0; own && i < size; i++)
        own[i] = (char)data[i];
    if (tokenizer && own) {
        cut(tokenizer, "She caf\u00e9's \uc548\ub155 \u4e2d[MASK]", &arena);
        cut(tokenizer, own, &arena);
    }
    arena_finish(&arena);
    return 0;
}

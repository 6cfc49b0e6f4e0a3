// The words of a tokenizer and the ids it gives, which both kinds share; see tokenizer.h.
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>
#include "scenarios_words.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(((const TokenizerWord *)a)->text, ((const TokenizerWord *)b)->text);
}

bool tokenizer_sort(Tokenizer *tokenizer, TokenizerWord words[], size_t count, Error *err)
{
    qsort(words, count, sizeof *words, by_text);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(words[i - 1].text, words[i].text) == 0)
            return error_set(err, TELL(TOKENIZER_TWICE), tokenizer->name, words[i].text);
        if (words[i].id >= tokenizer->id_count)
            tokenizer->id_count = words[i].id + 1;
    }
    tokenizer->sorted = words;
    tokenizer->word_count = count;
    return count > 0 || error_set(err, TELL(TOKENIZER_EMPTY), tokenizer->name);
}

int64_t tokenizer_find(const Tokenizer *tokenizer, const char *text)
{
    const TokenizerWord wanted = {.text = text};
    const TokenizerWord *found =
        bsearch(&wanted, tokenizer->sorted, tokenizer->word_count, sizeof wanted, by_text);
    return found ? found->id : -1;
}

bool tokenizer_add(TokenizerIds *ids, int64_t id, Error *err)
{
    if (ids->count == ids->room)
        return error_set(err, TELL(TOKENIZER_LONG), TOKENIZER_TOKENS_MAX);
    ids->ids[ids->count++] = id;
    return true;
}

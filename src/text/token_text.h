// Tokens of models as a person reads them: the blank that a tokenizer writes as a letter is shown as
// a dot, a byte that is no whole character as <ec>, a character that cannot be seen as <0a> or <202e>.
// The mark of a word's end, </w>, is a dot as well: the blank behind it.
#ifndef TOKEN_TEXT_H
#define TOKEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the tokens of one vocabulary are spelled.
typedef enum TokenSpelling {
    TOKEN_AS_IT_IS,
    TOKEN_BYTES,  // a letter for each byte, as in GPT-2: U+0120 is a blank
    TOKEN_BLANKS, // U+2581 for a blank, <0x0A> for a byte, as in LLaMA
} TokenSpelling;

// The letter that stands for a byte in TOKEN_BYTES, and back; -1: it stands for none.
uint32_t token_letter_of(int byte);

// Guesses the spelling from the tokens of a text, in their order; NULL entries are passed over.
TokenSpelling token_spelling_of(const char *const tokens[], size_t count);

// Writes what the token stands for to `out`, which has room for TOKEN_TEXT_GROWTH * strlen(token) + 1
// bytes; the result is `out`.
enum { TOKEN_TEXT_GROWTH = 4 };
char *token_text(const char *token, TokenSpelling spelling, char *out);

#endif

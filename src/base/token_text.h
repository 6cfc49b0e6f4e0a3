// Makes tokens of models readable: a blank that the tokenizer writes as a letter becomes a dot, a byte of an
// incomplete character <ec>, an invisible character <0a> or <202e>. The end-of-word mark </w> becomes a dot
// too: the blank after it.
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

// The letter for a byte in TOKEN_BYTES, and back; -1 if there is none.
uint32_t token_letter_of(int byte);

// Guesses the spelling from the tokens of a text, in order. Skips NULL entries.
TokenSpelling token_spelling_of(const char *const tokens[], size_t count);

// Writes the readable token to `out`, which has room for TOKEN_TEXT_GROWTH * strlen(token) + 1 bytes. Returns
// `out`.
enum { TOKEN_TEXT_GROWTH = 4 };
char *token_text(const char *token, TokenSpelling spelling, char *out);

#endif

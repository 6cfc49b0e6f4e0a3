// Makes text printable: names, shell words, Markdown, tokens. Finds the name that was meant.
#ifndef SHOWN_NAME_H
#define SHOWN_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// --- names
//
// Makes a name from an untrusted archive safe to print: escapes terminal controls, marks that change the
// reading direction, and bytes that are not text.

// True for a character that acts on the text around it: a control character, a direction mark, a line
// separator.
bool character_steers(uint32_t character);

// The largest size of an escaped name of `length` bytes, with the NUL.
enum { SHOWN_NAME_GROWTH = 4 };

// Writes the name to `out`, which has room for SHOWN_NAME_GROWTH * strlen(name) + 1 bytes. Returns
// `out`. A byte that is not text becomes "\xff", a control character "\u202e", a backslash two.
char *shown_name(const char *name, char *out);

// --- words of a shell
//
// Quotes a text as one shell word, so that the user can copy a printed command.

// The largest size of the word for a text of `length` bytes, with the NUL: every quote becomes four bytes,
// plus one quote at each end.
#define SHELL_WORD_ROOM(length) (4 * (length) + 3)

// Writes the word to `out`, which has room for SHELL_WORD_ROOM(strlen(text)) bytes. Returns `out`. Text without
// special characters is unchanged; other text is put in single quotes (POSIX.1-2017, Shell Command Language,
// 2.2.2).
char *shell_word(const char *text, char *out);

// The same for a path in a printed command. Returns `out`, or the path itself if it is longer than
// SHELL_PATH_MAX bytes, which no system opens.
enum { SHELL_PATH_MAX = 4096, SHELL_PATH_ROOM = SHELL_WORD_ROOM(SHELL_PATH_MAX) };
const char *shell_path(const char *path, char out[SHELL_PATH_ROOM]);

// --- the word that was meant

// The entry of `known` (NULL-terminated) with the smallest edit distance (change, add, remove, swap
// neighbours); the earlier one on a tie. NULL if more than a third of the longer word's letters (at least one)
// or all of them would change.
const char *nearest_word(const char *word, const char *const known[]);

// The same for names with parts (separated by ".", "_" or blanks), such as tensors'; NULL unless exactly one
// is near. Every part must be near its counterpart, and parts of one or two letters equal, so that
// q_proj.weight does not suggest k_proj.weight, nor query.weight key.weight. Ignores case.
const char *nearest_name(const char *word, const char *const known[]);

// --- Markdown

// Prints Markdown as plain lines, each after `prefix` and at most `columns` wide in all; longer words stick
// out. Wraps paragraphs and list items, keeps code blocks, drops emphasis and the fences of code blocks.
void prose_print(const char *markdown, const char *prefix, int columns, FILE *out);

// --- tokens of models
//
// Makes tokens readable: a blank that the tokenizer writes as a letter becomes a dot, a byte of an
// incomplete character <ec>, an invisible character <0a> or <202e>. The end-of-word mark </w> becomes a dot
// too: the blank after it.

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

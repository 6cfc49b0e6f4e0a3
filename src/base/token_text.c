// token_text: see token_text.h.
#include "token_text.h"

#include <stdio.h>
#include <string.h>
#include "shown_name.h"
#include "utf8.h"

static const char word_end[] = "</w>"; // of CLIP and the first GPT

enum { WORD_END = sizeof word_end - 1 };
enum { BYTES = 256, DOT = 0xb7, LOW_LINE = 0x2581, NEW_LINE_LETTER = 0x10a, BLANK_LETTER = 0x120 };

// Bytes that can be seen stand for themselves; the others are U+0100 and on, in their order.
static bool is_seen(int byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

uint32_t token_letter_of(int byte)
{
    uint32_t others = BYTES;
    for (int i = 0; i < byte; i++)
        others += !is_seen(i);
    return is_seen(byte) ? (uint32_t)byte : others;
}

static int token_byte_of(uint32_t letter)
{
    if (letter < BYTES)
        return is_seen((int)letter) ? (int)letter : -1;
    for (int byte = 0; byte < BYTES; byte++)
        if (!is_seen(byte) && token_letter_of(byte) == letter)
            return byte;
    return -1;
}

// --- guessing

// "[CLS]", "<s>", "<|endoftext|>": tokens that stand for themselves in every vocabulary.
static bool is_special(const char *token)
{
    size_t length = strlen(token);
    return length > 2 && ((token[0] == '[' && token[length - 1] == ']') ||
                          (token[0] == '<' && token[length - 1] == '>'));
}

// What tokens look like, gathered over all of them.
typedef struct Look {
    bool all_bytes;   // nothing but letters that stand for bytes
    bool has_blank;   // one of them for a blank or a new line
    bool has_stretch; // one of them for a byte beyond ASCII that letters do not show
    bool has_beyond;  // one of them for a byte beyond ASCII
    bool is_text;     // the bytes of all, one behind the other, are UTF-8
    int open;         // continuation bytes that the character before still wants
} Look;

static bool ends_word(const char *token)
{
    size_t length = strlen(token);
    return length > WORD_END && strcmp(token + length - WORD_END, word_end) == 0;
}

static void look_at(const char *token, Look *look)
{
    uint32_t letter;
    const char *end = token + strlen(token) - (ends_word(token) ? WORD_END : 0);
    for (const char *at = token; at < end;) {
        at += utf8_next(at, &letter);
        int byte = token_byte_of(letter);
        bool continues = byte >= 0x80 && byte < 0xc0;
        look->all_bytes &= byte >= 0;
        look->has_blank |= letter == BLANK_LETTER || letter == NEW_LINE_LETTER;
        look->has_stretch |= letter >= BYTES;
        look->has_beyond |= byte >= 0x80;
        look->is_text &= continues == (look->open > 0);
        look->open = continues      ? look->open - 1
                     : byte >= 0xf0 ? 3
                     : byte >= 0xe0 ? 2
                     : byte >= 0xc0 ? 1
                                    : 0;
        if (look->open < 0)
            look->open = 0;
    }
}

static bool has_blanks(const char *token)
{
    unsigned byte;
    char end;
    return strstr(token, "\u2581") ||
           (strlen(token) == 6 && sscanf(token, "<0x%2x%c", &byte, &end) == 2 && end == '>');
}

TokenSpelling token_spelling_of(const char *const tokens[], size_t count)
{
    Look look = {.all_bytes = true, .is_text = true};
    bool has_end = false;
    for (size_t i = 0; i < count; i++)
        if (tokens[i] && has_blanks(tokens[i]))
            return TOKEN_BLANKS;
    for (size_t i = 0; i < count; i++)
        if (tokens[i] && (ends_word(tokens[i]) || !is_special(tokens[i]))) {
            has_end |= ends_word(tokens[i]);
            look_at(tokens[i], &look);
        }
    bool stretches = look.is_text && (look.has_stretch || (has_end && look.has_beyond));
    bool is_bytes = look.all_bytes && (look.has_blank || stretches);
    return is_bytes ? TOKEN_BYTES : TOKEN_AS_IT_IS;
}

// --- showing

static size_t put_byte(unsigned byte, char *out)
{
    return byte == ' ' ? (size_t)sprintf(out, "\u00b7") : (size_t)sprintf(out, "<%02x>", byte);
}

// Whole characters stay; blanks, what cannot be seen and stray bytes are written.
static char *show_bytes(char *bytes, size_t count, char *out)
{
    size_t used = 0;
    bytes[count] = '\0';
    for (size_t i = 0; i < count;) {
        uint32_t character;
        size_t length = bytes[i] ? utf8_next(bytes + i, &character) : 1;
        unsigned char byte = (unsigned char)bytes[i];
        bool is_whole = bytes[i] && utf8_valid(bytes + i, length);
        if (is_whole && byte > ' ' && byte != 0x7f) {
            memcpy(out + used, bytes + i, length);
            used += length;
        } else {
            length = 1;
            used += put_byte(byte, out + used);
        }
        i += length;
    }
    out[used] = '\0';
    return out;
}

// Characters that cannot be seen are written: those that steer the text around them, and blanks at an end.
// The joiners of Persian and of Indian scripts stay.
static char *show_plain(const char *token, char *out)
{
    const char *last = token + strlen(token);
    char *to = out;
    while (last > token && last[-1] == ' ')
        last--;
    for (const char *at = token; *at;) {
        uint32_t character;
        size_t length = utf8_next(at, &character);
        bool joins = character == 0x200c || character == 0x200d;
        if (character == ' ' && (to == out || at >= last || at[-1] == ' '))
            to += put_byte(' ', to);
        else if (character_steers(character) && !joins)
            to += sprintf(to, "<%02x>", (unsigned)character);
        else
            to = (char *)memcpy(to, at, length) + length;
        at += length;
    }
    *to = '\0';
    return out;
}

// The bytes are gathered at the end of `out`: of each letter, which takes as many bytes or more, at most
// four come in front of them.
static char *show_letters(const char *token, char *out)
{
    size_t length = strlen(token), count = 0;
    char *bytes = out + (TOKEN_TEXT_GROWTH - 1) * length;
    uint32_t letter;
    for (const char *at = token; *at;) {
        at += utf8_next(at, &letter);
        int byte = token_byte_of(letter);
        if (byte < 0)
            return show_plain(token, out); // a token that is none of bytes
        bytes[count++] = (char)byte;
    }
    return show_bytes(bytes, count, out);
}

static char *show_blanks(const char *token, char *out)
{
    unsigned byte;
    char end, *to = out;
    if (strlen(token) == 6 && sscanf(token, "<0x%2x%c", &byte, &end) == 2 && end == '>') {
        sprintf(out, "<%02x>", byte);
        return out;
    }
    for (uint32_t character; *token;) {
        size_t length = utf8_next(token, &character);
        if (character == LOW_LINE || character < ' ')
            to += put_byte(character == LOW_LINE ? ' ' : character, to);
        else
            to = (char *)memcpy(to, token, length) + length;
        token += length;
    }
    *to = '\0';
    return out;
}

char *token_text(const char *token, TokenSpelling spelling, char *out)
{
    spelling == TOKEN_BYTES    ? show_letters(token, out)
    : spelling == TOKEN_BLANKS ? show_blanks(token, out)
                               : show_plain(token, out);
    if (ends_word(token) && ends_word(out))
        strcpy(out + strlen(out) - WORD_END, "\u00b7");
    return out;
}

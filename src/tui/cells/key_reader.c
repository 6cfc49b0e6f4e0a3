// key_reader: see key_reader.h.
#include "key_reader.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

enum { CONTINUED = 0x80, CONTINUED_MASK = 0xc0 };

static bool name_ascii(unsigned char byte, char key[KEY_NAME_MAX])
{
    static const struct {
        unsigned char byte;
        const char *name;
    } names[] = {{' ', "Space"}, {'\t', "Tab"},      {'\r', "Enter"}, {'\n', "Enter"},
                 {27, "Escape"}, {127, "Backspace"}, {8, "Backspace"}};
    snprintf(key, KEY_NAME_MAX, byte < 32 ? "^%c" : "%c", byte < 32 ? byte + '@' : byte);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].byte == byte)
            snprintf(key, KEY_NAME_MAX, "%s", names[i].name);
    return byte != 0;
}

// How many bytes a character has that starts with this one; 0: none starts so.
static int length_of(unsigned char byte)
{
    return byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? (byte < 0xf0) * 3 : (byte >= 0xc2) * 2;
}

bool key_reader_take(KeyReader *reader, unsigned char byte, char key[KEY_NAME_MAX])
{
    if ((byte & CONTINUED_MASK) != CONTINUED) { // whatever had begun is no character
        reader->count = 0;
        reader->wanted = byte < CONTINUED ? 0 : length_of(byte);
    }
    if (byte < CONTINUED)
        return name_ascii(byte, key);
    if (reader->count >= reader->wanted)
        return false;
    reader->bytes[reader->count++] = (char)byte;
    snprintf(key, KEY_NAME_MAX, "%.*s", reader->count, reader->bytes);
    return reader->count == reader->wanted && utf8_valid(key, strlen(key));
}

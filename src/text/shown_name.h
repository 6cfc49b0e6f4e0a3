// A name from somebody else's archive, as it can be shown: what would steer a terminal, turn the
// direction of reading, or is no text at all is written as an escape.
#ifndef SHOWN_NAME_H
#define SHOWN_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether a character does something to the text around it instead of being seen: a control character,
// a mark of direction, a separator of lines.
bool character_steers(uint32_t character);

// Bytes that a name of `length` bytes takes at most, with the NUL.
enum { SHOWN_NAME_GROWTH = 4 };

// Writes the name to `out`, which has room for SHOWN_NAME_GROWTH * strlen(name) + 1 bytes; the result
// is `out`. A byte that is no text becomes "\xff", a character that steers "\u202e", a backslash two.
char *shown_name(const char *name, char *out);

#endif

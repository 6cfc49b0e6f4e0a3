// Makes a name from an untrusted archive safe to print: escapes terminal controls, marks that change the
// reading direction, and bytes that are not text.
#ifndef SHOWN_NAME_H
#define SHOWN_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// True for a character that acts on the text around it: a control character, a direction mark, a line
// separator.
bool character_steers(uint32_t character);

// The largest size of an escaped name of `length` bytes, with the NUL.
enum { SHOWN_NAME_GROWTH = 4 };

// Writes the name to `out`, which has room for SHOWN_NAME_GROWTH * strlen(name) + 1 bytes. Returns
// `out`. A byte that is not text becomes "\xff", a control character "\u202e", a backslash two.
char *shown_name(const char *name, char *out);

#endif

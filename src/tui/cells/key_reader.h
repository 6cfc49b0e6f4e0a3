// Bytes from a terminal become the names of keys (command_for_key), one character after the other. A
// character may arrive in pieces; bytes that are no character are left out.
#ifndef KEY_READER_H
#define KEY_READER_H

#include <stdbool.h>
#include "command.h"

// A zeroed KeyReader has read nothing.
typedef struct KeyReader {
    char bytes[4]; // of the character that has begun
    int count, wanted;
} KeyReader;

// True when the byte completes a character.
bool key_reader_take(KeyReader *reader, unsigned char byte, char key[KEY_NAME_MAX]);

#endif

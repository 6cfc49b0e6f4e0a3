// What the key bar says: keys with a word each, the most useful first. Keys and words come from
// commands.def.
#ifndef HINTS_H
#define HINTS_H

#include <stdbool.h>
#include "command.h"

enum { HINT_KEYS_MAX = 64, HINTS_MAX = 32 };

typedef struct Hint {
    char keys[HINT_KEYS_MAX];
    const char *label;
} Hint;

typedef struct Hints {
    Hint hints[HINTS_MAX];
    int count;
} Hints;

// The first keys of up to four commands.
typedef struct HintCommands {
    CommandKind kinds[4];
    int count;
} HintCommands;

extern const HintCommands hint_arrows; // left, up, down, right
extern const HintCommands hint_rows;   // up, down
extern const HintCommands hint_terms;  // J, K

// Adds the keys under a label (NULL: the first command's own); where `wanted` is false, nothing.
void hints_add(Hints *hints, bool wanted, HintCommands commands, const char *label);

// One command under a label of its own, or under another.
void hints_add_one(Hints *hints, bool wanted, CommandKind kind);
void hints_add_as(Hints *hints, bool wanted, CommandKind kind, const char *label);

// A key that is no command's; of `keys`, separated by spaces, the first.
void hints_add_key(Hints *hints, const char *keys, const char *label);

#endif

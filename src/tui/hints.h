// What the key bar says: keys with a word each, the most useful first. Keys and words come from
// commands.def.
#ifndef HINTS_H
#define HINTS_H

#include <stdbool.h>
#include "command.h"

enum { HINT_KEYS_MAX = 64, HINTS_MAX = 32 };

// How useful a hint is, the most useful first: what does not fit into the key bar is left out.
typedef enum HintUse {
    HINT_LEADS_ON,
    HINT_OPENS_FIRST, // what stands beside the values, where its key comes first
    HINT_OF_DETAIL,
    HINT_MOVES,
    HINT_OPENS, // what else can stand there
    HINT_ALTERS,
} HintUse;

typedef struct Hint {
    char keys[HINT_KEYS_MAX];
    const char *label;
    HintUse use;
} Hint;

// In the order of their use; those of one use as they were added.
typedef struct Hints {
    Hint hints[HINTS_MAX];
    int count;
    HintUse use;  // of what is added next
    bool is_full; // nothing else can be done now: further hints are dropped
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

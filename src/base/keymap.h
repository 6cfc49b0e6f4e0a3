// Which key does what, and how help lists keys. keymaps.def is the table; each folder makes its own rows of
// it.
#ifndef KEYMAP_H
#define KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include "words.h"

// --- how a key is written: "Left" is an arrow, most keys are their own name

const char *key_glyph(const char *key);

// --- keys by place

typedef enum KeyPlace {
    PLACE_STEPPER, // keys of commands.def
    PLACE_LAYERS,  // replace those of the stepper in models of several layers
    PLACE_LECTURE,
    PLACE_PRESENTER,
    PLACE_WINDOW,
    PLACE_ORIGIN,
    PLACE_PROMPT,
    PLACE_COURSE,
    PLACE_EXERCISE,
    PLACE_NOTES,
    PLACE_TRAINING,
    PLACE_TYPING,
} KeyPlace;

// Bits of `when` that affect only how keys are listed; see keymaps.def.
enum { KEY_STAYS = 1 << 30, KEY_JOINS = 1 << 29, KEY_TOLD = KEY_STAYS | KEY_JOINS };

enum { KEY_NAME_MAX = 16 };

typedef struct KeyRow {
    KeyPlace place;
    int does;         // for commands: a CommandKind
    unsigned when;    // bits of the place that must all be set, and KEY_TOLD
    const char *keys; // separated by spaces
    Words label;      // {NULL}, like `help`: the command's words
    Words help;
} KeyRow;

typedef struct Keymap {
    const KeyRow *rows;
    int count;
} Keymap;

// A row without a command.
#define KEY_ROW(place_, when_, keys_, label_, korean_label, help_, korean_help) \
    { \
        .place = PLACE_##place_, .when = (when_), .keys = (keys_), \
        .label = WORDS(label_, korean_label), .help = WORDS(help_, korean_help) \
    }

// The row of a key, given the bits `now`; -1 if it does nothing. Keys are named as in keymaps.def; a Hangul
// letter counts as the key it is on (utf8.h).
int keymap_find(Keymap map, KeyPlace place, unsigned now, const char *key);

// True if `key` is in the space-separated list `keys`.
bool keymap_has(const char *keys, const char *key);

// The first key of the list. Returns `text`.
const char *keymap_first(const char *keys, char text[KEY_NAME_MAX]);

// --- lists of keys

typedef enum KeyColumn { KEY_LABEL, KEY_HELP } KeyColumn;

enum { KEY_LABEL_MAX = 64 };

// Keys and what they do, in one column of the table: "[ ]", "chooses a checkpoint".
typedef struct KeyLabel {
    char keys[KEY_LABEL_MAX];
    const char *words;
    bool stays;
} KeyLabel;

// Makes the label of the rows from *at on, and moves *at past them. Returns false if no labels are left; keys
// without words may remain. A map of one row uses that row's own label.
bool keymap_describe(Keymap map, KeyColumn column, unsigned now, int *at, KeyLabel *label);

// A status line of at most `columns` columns: "n next  q quit". If there is too little room, drops words,
// except for keys that must stay. Returns `text`.
enum { KEY_BAR_MAX = 512 };
const char *keymap_bar(Keymap map, unsigned now, int columns, char text[KEY_BAR_MAX]);

#endif

// Keys by place: which one is pressed, and how keys are told. keymaps.def is the list; a floor makes its own
// rows of what stands there.
#ifndef KEYMAP_H
#define KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include "words.h"

// --- how a key is written
//
// How a key is written on screen: "Left" is an arrow, most keys are their own name.

const char *key_glyph(const char *key);

// --- keys by place

typedef enum KeyPlace {
    PLACE_STEPPER, // keys of commands.def
    PLACE_LAYERS,  // the stepper, where a model has several layers: instead of those
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

// Bits of `when` that are about how keys are told, not when they do something: see keymaps.def.
enum { KEY_STAYS = 1 << 30, KEY_JOINS = 1 << 29, KEY_TOLD = KEY_STAYS | KEY_JOINS };

enum { KEY_NAME_MAX = 16 };

typedef struct KeyRow {
    KeyPlace place;
    int does;         // of commands: a CommandKind
    unsigned when;    // the place's own bits, all of which must hold; KEY_TOLD
    const char *keys; // separated by spaces
    Words label;      // of {NULL}, as `help`: the words are its command's
    Words help;
} KeyRow;

typedef struct Keymap {
    const KeyRow *rows;
    int count;
} Keymap;

// A row of a place without commands.
#define KEY_ROW(place_, when_, keys_, label_, korean_label, help_, korean_help) \
    { \
        .place = PLACE_##place_, .when = (when_), .keys = (keys_), \
        .label = WORDS(label_, korean_label), .help = WORDS(help_, korean_help) \
    }

// The number of the row of a key, while the bits of `now` hold; -1 where it means nothing there. Keys have the
// names that keymaps.def uses; a letter of Hangul is the key it lies on (utf8.h).
int keymap_find(Keymap map, KeyPlace place, unsigned now, const char *key);

// True when `key` is one of `keys`, which spaces separate.
bool keymap_has(const char *keys, const char *key);

// The first of them; returns `text`.
const char *keymap_first(const char *keys, char text[KEY_NAME_MAX]);

// --- how they are told

typedef enum KeyColumn { KEY_LABEL, KEY_HELP } KeyColumn;

enum { KEY_LABEL_MAX = 64 };

// Keys with what they do in one column of the table: "[ ]", "chooses a checkpoint".
typedef struct KeyLabel {
    char keys[KEY_LABEL_MAX];
    const char *words;
    bool stays;
} KeyLabel;

// What rows from *at on tell, while `now` holds; *at goes behind them. False: no more is told; there may be keys
// left that have no words. Of a map of one row the label is its own, whatever it joins.
bool keymap_tell(Keymap map, KeyColumn column, unsigned now, Language language, int *at,
                 KeyLabel *told);

// The last line of a screen, of at most so many columns: "n next  q quit". Where not all have room, those
// that stay are told without words. Returns `text`.
enum { KEY_BAR_MAX = 512 };
const char *keymap_bar(Keymap map, unsigned now, Language language, int columns,
                       char text[KEY_BAR_MAX]);

#endif

// What a person can ask for, as a value: one key, one line of a script and one line typed later
// all become a Command. The list is commands.def.
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"
#include "keymap.h"
#include "tensor.h"
#include "words.h"

typedef enum CommandKind {
#define COMMAND(name, action, word, argument, names, traits, keys, ...) COMMAND_##name,
#include "commands.def"
#undef COMMAND
    COMMAND_COUNT
} CommandKind;

typedef enum ArgumentKind {
    ARGUMENT_NONE,
    ARGUMENT_COUNT, // may be left out: 1
    ARGUMENT_NUMBER,
    ARGUMENT_NAME,
    ARGUMENT_INDEX,
} ArgumentKind;

enum { COMMAND_NAME_MAX = 1280 }; // a formula has room in it

// The fields beyond `kind` are set as far as its argument needs them.
typedef struct Command {
    CommandKind kind;
    ptrdiff_t number;            // COUNT, NUMBER; not negative
    char name[COMMAND_NAME_MAX]; // NAME
    int rank;                    // INDEX: how many numbers there are
    ptrdiff_t index[TENSOR_RANK_MAX];
} Command;

// Properties of a command; commands.def says what each means.
typedef enum CommandTrait {
    COMMAND_STRAYS = 1,
    COMMAND_TAUGHT = 2, // lectures may say it
    COMMAND_ON_HELP = 4,
    COMMAND_ON_LIST = 8,
    COMMAND_SILENT = 16,
    COMMAND_OF_PICTURE = 32,
} CommandTrait;

// A row of commands.def.
typedef struct CommandInfo {
    const char *word;
    ArgumentKind argument;
    unsigned traits;  // CommandTraits
    const char *keys; // separated by spaces; "" where there is none
    Words label;
    Words help;
} CommandInfo;

const CommandInfo *command_info(CommandKind kind);

// Its word for the key bar and its line on the help page, in the person's language.
const char *command_label(CommandKind kind);
const char *command_about(CommandKind kind);

bool command_is(CommandKind kind, CommandTrait trait);

// How its argument is written: "", " [n]", " name", ...
const char *command_argument(CommandKind kind);

// The command of a word; false when there is none.
bool command_find(const char *word, CommandKind *kind);

// Reads "next", "down 5", "goto score" or "@[0, 3, 2, 1]". False with the nearest known word, or
// with what the argument should be.
bool command_parse(const char *words, Command *command, Error *err);

// The command of a key in the stepper, by the key's name: the character itself ("n", "?"), or one of Space,
// Tab, BackTab, Enter, Escape, Backspace, Up, Down, Left, Right, Home, End, PageUp, PageDown, F1 ..., ^A ... A
// letter of Hangul is the key it lies on (utf8.h). False when the key means nothing.
bool command_for_key(const char *key, Command *command);

// Rows of commands: their keys in the stepper (commands.def) and those elsewhere (keymaps.def). NULL beyond
// the last.
const KeyRow *command_key_row(int number);

// The command of a key in that place; false when the key means nothing special there.
bool command_for_key_in(KeyPlace place, const char *key, Command *command);

// The first key of a command in the stepper, "" where it has none; returns `text`.
const char *command_first_key(CommandKind kind, char text[KEY_NAME_MAX]);

#endif

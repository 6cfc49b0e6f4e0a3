// Commands of the stepper. Keys, lines of scripts and typed lines all become a Command. commands.def lists them.
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
    ARGUMENT_COUNT, // optional; 1
    ARGUMENT_NUMBER,
    ARGUMENT_NAME,
    ARGUMENT_INDEX,
} ArgumentKind;

enum { COMMAND_NAME_MAX = 1280 }; // a formula fits

// Only the fields that the argument needs are set.
typedef struct Command {
    CommandKind kind;
    ptrdiff_t number;            // COUNT, NUMBER; not negative
    char name[COMMAND_NAME_MAX]; // NAME
    int rank;                    // INDEX: its length
    ptrdiff_t index[TENSOR_RANK_MAX];
} Command;

// Properties of a command; commands.def says what each means.
typedef enum CommandTrait {
    COMMAND_STRAYS = 1,
    COMMAND_TAUGHT = 2, // lectures may use it
    COMMAND_ON_HELP = 4,
    COMMAND_ON_LIST = 8,
    COMMAND_SILENT = 16,
    COMMAND_OF_PICTURE = 32,
    COMMAND_OF_LECTURE = 64,
} CommandTrait;

// A row of commands.def.
typedef struct CommandInfo {
    const char *word;
    ArgumentKind argument;
    unsigned traits;  // CommandTraits
    const char *keys; // separated by spaces; "": none
    Words label;
    Words help;
} CommandInfo;

const CommandInfo *command_info(CommandKind kind);

// Its label in the key bar and its line on the help page, in the user's language.
const char *command_label(CommandKind kind);
const char *command_about(CommandKind kind);

bool command_is(CommandKind kind, CommandTrait trait);

// The syntax of its argument: "", " [n]", " name", ...
const char *command_argument(CommandKind kind);

// Finds a command by its word. False if there is none.
bool command_find(const char *word, CommandKind *kind);

// True for a formula without "formula" before it: "scores[b,h,i,j] = 1". Its name is no command.
bool command_is_formula(const char *words);

// Parses "next", "down 5", "goto score", "@[0, 3, 2, 1]", or a formula. On failure, err has the nearest word or the
// syntax of the argument.
bool command_parse(const char *words, Command *command, Error *err);

// Finds the stepper's command for a key, named by its character ("n", "?") or as Space, Tab, BackTab, Enter,
// Escape, Backspace, Up, Down, Left, Right, Home, End, PageUp, PageDown, F1 ..., ^A ... A letter of Hangul counts
// as the Latin key it shares (utf8.h). False if the key does nothing.
bool command_for_key(const char *key, Command *command);

// Rows of keys: the stepper's (commands.def), then those of other places (keymaps.def). NULL after the last.
const KeyRow *command_key_row(int number);

// The same for keys of another place; false if the key does nothing special there.
bool command_for_key_in(KeyPlace place, const char *key, Command *command);

// The first key of a command in the stepper, or "". Returns `text`.
const char *command_first_key(CommandKind kind, char text[KEY_NAME_MAX]);

#endif

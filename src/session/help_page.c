// help_page: see help_page.h.
#include "help_page.h"

#include <assert.h>
#include "session_prompt.h"
#include "session_words.h"

// A row of commands.def: a command or, with a heading, the start of a group.
typedef struct Row {
    Words heading; // of {NULL}: a command
    CommandKind kind;
} Row;

static const Row rows[] = {
#define COMMAND_GROUP(heading, korean) {WORDS(heading, korean), COMMAND_COUNT},
#define COMMAND(name, action, word, argument, names, traits, keys, ...) {{{NULL}}, COMMAND_##name},
#include "commands.def"
#undef COMMAND
};

enum { ROWS = sizeof rows / sizeof *rows };

// Its keys in the stepper, or in the window where the command is about the picture and has keys there.
static const char *keys_of(CommandKind kind)
{
    for (int i = 0; command_is(kind, COMMAND_OF_PICTURE) && command_key_row(i); i++)
        if (command_key_row(i)->place == PLACE_WINDOW && command_key_row(i)->does == (int)kind)
            return command_key_row(i)->keys;
    return command_info(kind)->keys;
}

int help_page_lines(void)
{
    return ROWS + 1 + prompt_key_count();
}

HelpLine help_page_line(int line)
{
    assert(line >= 0 && line < help_page_lines());
    if (line == ROWS)
        return (HelpLine){.heading = TELL(WHILE_TYPED)};
    if (line > ROWS) {
        const KeyRow *key = prompt_key(line - ROWS - 1);
        return (HelpLine){NULL, key->keys, "", "", words_tell(key->help)};
    }
    if (words_tell(rows[line].heading))
        return (HelpLine){.heading = words_tell(rows[line].heading)};
    const CommandInfo *info = command_info(rows[line].kind);
    return (HelpLine){NULL, keys_of(rows[line].kind), info->word, command_argument(rows[line].kind),
                      command_about(rows[line].kind)};
}

// help_page: see help_page.h.
#include "help_page.h"

#include <assert.h>
#include "session_prompt.h"

// A row of commands.def: a command or, with a heading, the start of a group.
typedef struct Row {
    const char *heading;
    CommandKind kind;
} Row;

static const Row rows[] = {
#define COMMAND_GROUP(heading) {heading, COMMAND_COUNT},
#define COMMAND(name, action, word, argument, names, traits, keys, label, help) \
    {NULL, COMMAND_##name},
#include "commands.def"
#undef COMMAND
};

enum { ROWS = sizeof rows / sizeof *rows };

// In the stepper; of what is about the picture, in the window.
static const char *keys_of(CommandKind kind)
{
    for (int i = 0; command_is(kind, COMMAND_OF_PICTURE) && command_key_row(i); i++)
        if (command_key_row(i)->place == PLACE_WINDOW && command_key_row(i)->kind == kind)
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
        return (HelpLine){.heading = "while words are typed"};
    if (line > ROWS) {
        const PromptKey *key = prompt_key(line - ROWS - 1);
        return (HelpLine){NULL, key->keys, "", "", key->help};
    }
    if (rows[line].heading)
        return (HelpLine){.heading = rows[line].heading};
    const CommandInfo *info = command_info(rows[line].kind);
    return (HelpLine){NULL, keys_of(rows[line].kind), info->word, command_argument(rows[line].kind),
                      info->help};
}

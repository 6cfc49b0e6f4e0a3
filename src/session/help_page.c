// help_page: see help_page.h.
#include "help_page.h"

#include <assert.h>

static const HelpLine lines[] = {
#define COMMAND_GROUP(heading) {heading, COMMAND_COUNT},
#define COMMAND(name, action, word, argument, keys, label, help) {NULL, COMMAND_##name},
#include "commands.def"
#undef COMMAND
};

int help_page_lines(void)
{
    return (int)(sizeof lines / sizeof *lines);
}

HelpLine help_page_line(int line)
{
    assert(line >= 0 && line < help_page_lines());
    return lines[line];
}

// What the help page says, line by line: every command of commands.def under the heading of its group.
#ifndef HELP_PAGE_H
#define HELP_PAGE_H

#include "command.h"

// A heading, or a command.
typedef struct HelpLine {
    const char *heading; // NULL for a command
    CommandKind kind;
} HelpLine;

int help_page_lines(void);

// Lines are counted from 0.
HelpLine help_page_line(int line);

#endif

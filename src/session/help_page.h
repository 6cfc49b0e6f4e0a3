// What the help page says, line by line: every command of commands.def under the heading of its group,
// then the keys of the line for words (keymaps.def).
#ifndef HELP_PAGE_H
#define HELP_PAGE_H

// A heading, or a key with what it does.
typedef struct HelpLine {
    const char *heading;  // NULL: no heading
    const char *keys;     // separated by spaces
    const char *word;     // "": not in scripts
    const char *argument; // how what follows the word is written
    const char *help;
} HelpLine;

int help_page_lines(void);

// Lines are counted from 0.
HelpLine help_page_line(int line);

#endif

// The help in forms for others than a reader: manual pages, and what shells need to complete words.
// All of it comes from the tables that --help is printed from.
#ifndef HELP_FORMAT_H
#define HELP_FORMAT_H

#include "app.h"

// What `attnscope help NAME` tells about that is no command.
typedef struct HelpTopic {
    const char *name; // "scenario"
    Words about;
    Words text; // whole lines
} HelpTopic;

// The topics in order, NULL beyond the last.
const HelpTopic *help_topic(int number);

// A page: of a command, of a topic, or of the program where both are NULL.
typedef struct HelpPage {
    const AppCommand *command;
    const HelpTopic *topic;
} HelpPage;

typedef struct HelpFormat {
    const char *name; // "man"
    bool has_pages;   // false: there is one for the whole program, and none for a command
    void (*print)(const HelpPage *page, FILE *out);
} HelpFormat;

// NULL when there is none of this name.
const HelpFormat *help_format(const char *name);

// formula_grammar.txt and formula_grammar.ko.txt, put into the program when it is built.
extern const Words formula_grammar;

#endif

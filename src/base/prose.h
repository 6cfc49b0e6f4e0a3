// Markdown as plain lines, for a terminal or a comment in code: paragraphs and items of lists are
// broken at spaces, blocks of code stay as they are.
#ifndef PROSE_H
#define PROSE_H

#include <stdio.h>

// Writes `markdown`, every line after `prefix` and at most `columns` wide (with the prefix; a longer
// word sticks out). Asterisks of emphasis and the lines around blocks of code are left out.
void prose_print(const char *markdown, const char *prefix, int columns, FILE *out);

#endif

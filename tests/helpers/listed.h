// A display list as text.
#ifndef LISTED_H
#define LISTED_H

#include <stdio.h>
#include "display_list.h"

// Prints one line per item; cells as rows of colours and marks if there are at most `most`.
void display_list_print(const DisplayList *list, size_t most, FILE *out);

#endif

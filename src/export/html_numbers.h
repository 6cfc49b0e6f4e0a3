// The numbers that a page of a lecture looks at as a table, each with the calculation behind it: to be
// touched on a telephone. All is computed beforehand, and the page needs no script.
#ifndef HTML_NUMBERS_H
#define HTML_NUMBERS_H

#include <stdio.h>
#include "session.h"

enum { HTML_NUMBERS_NAME_MAX = 512, HTML_NUMBERS_MAX = 64 };

// The tables of a lecture so far: one that is there already is only led back to.
typedef struct HtmlNumbers {
    char names[HTML_NUMBERS_MAX][HTML_NUMBERS_NAME_MAX];
    int count;
} HtmlNumbers;

// Of inputs and weights, which nothing computed, there is none. The session's chosen number stays. False
// with a sentence: no memory.
bool html_numbers(FILE *out, Session *session, HtmlNumbers *numbers, Error *err);

#endif

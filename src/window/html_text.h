// Pieces of HTML pages: screens, spans, the glossary, tables of numbers.
#ifndef HTML_TEXT_H
#define HTML_TEXT_H

#include <stdio.h>
#include "cells.h"
#include "html.h"
#include "lecture.h"
#include "session.h"
#include "words.h"

// --- words

#include "view_words.def"

// --- text and screens

// Spans as inline elements. Names of terms become links; `terms` NULL: they stay text.
struct HtmlTerms;
void html_spans(FILE *out, const LectureSpan *spans, struct HtmlTerms *terms);

// Rows of a screen as the content of <pre>, with a <span> per run of one look. Several blank rows become one.
void html_cells(FILE *out, const Cells *cells, int first_row, int end_row);

// The start of a lecture's page, up to <body>.
void html_head(FILE *out, const Lecture *lecture);

// --- the glossary in a page

enum { HTML_TERMS_MAX = 128 };

// The terms that are links so far.
typedef struct HtmlTerms {
    Language language; // of the text
    bool linked[HTML_TERMS_MAX];
} HtmlTerms;

// The text of a span, in which a term's name becomes a link the first time. Bold text becomes a link only if it
// is nothing but a name; short names only there (glossary_is_explained).
void html_terms_text(FILE *out, const char *text, bool is_bold, HtmlTerms *terms);

// A line of links to the terms that a page uses, if any. Returns false and sets err without memory.
bool html_glossary_links(FILE *out, const Lecture *lecture, int page, Error *err);

// A section with every term that the lecture uses, the target of the links: name in both languages, PyTorch's
// name, a sentence. Returns false and sets err without memory.
bool html_glossary(FILE *out, const Lecture *lecture, Error *err);

// --- tables of numbers
//
// The current numbers of a lecture's page as a table; a touch on a number shows its calculation. Needs no
// script.

enum { HTML_NUMBERS_NAME_MAX = 512, HTML_NUMBERS_MAX = 64 };

// The tables of a page so far; a repeated one becomes a link.
typedef struct HtmlNumbers {
    char names[HTML_NUMBERS_MAX][HTML_NUMBERS_NAME_MAX];
    int count;
} HtmlNumbers;

// Puts the table, except for inputs and weights. Leaves the session's cursor unchanged. Returns false and sets
// err without memory.
bool html_numbers(FILE *out, Session *session, HtmlNumbers *numbers, Error *err);

#endif

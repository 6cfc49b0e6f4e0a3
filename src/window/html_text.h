// What pages say: the rows of view_words.def, as words.h has them.
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

// Spans as inline elements. Names of terms become links (html_text.h); NULL: they stay text.
struct HtmlTerms;
void html_spans(FILE *out, const LectureSpan *spans, struct HtmlTerms *terms);

// Rows of a screen, cell by cell, as the inside of <pre>: a span for every run of one look. Of blank
// rows one is kept between others, as a page has no room to fill.
void html_cells(FILE *out, const Cells *cells, int first_row, int end_row);

// Text between what opens and closes it, which is HTML already.
void html_element(FILE *out, const char *open, const char *text, const char *close);

// The start of a page about a lecture, up to and with <body>.
void html_head(FILE *out, const Lecture *lecture);

// --- the glossary inside of a page

enum { HTML_TERMS_MAX = 128 };

// Which terms a page has made a link of so far.
typedef struct HtmlTerms {
    Language language; // of the text
    bool linked[HTML_TERMS_MAX];
} HtmlTerms;

// The text of a span, unchanged; a term's name in it leads to the glossary, the first time. What is bold
// is a link where it is nothing but a name; a short name is one there alone (glossary_is_told).
void html_terms_text(FILE *out, const char *text, bool is_bold, HtmlTerms *terms);

// A line of links to the terms that a page of the lecture speaks of; nothing where it speaks of none. False
// with a sentence: no memory.
bool html_glossary_links(FILE *out, const Lecture *lecture, int page, Error *err);

// A section with every term that the lecture speaks of: its name in both languages, what PyTorch calls
// it, a sentence. The links above lead here. False with a sentence: no memory.
bool html_glossary(FILE *out, const Lecture *lecture, Error *err);

// --- tables of numbers
//
// The numbers that a page of a lecture looks at as a table, each with the calculation behind it: to be
// touched on a telephone. All is computed beforehand, and the page needs no script.

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

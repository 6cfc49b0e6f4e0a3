// Text and screens as HTML. Whatever stands in a lecture or a trace becomes text and nothing else.
#ifndef HTML_TEXT_H
#define HTML_TEXT_H

#include <stdio.h>
#include "cells.h"
#include "lecture.h"

// The text with &, <, >, quotes and control characters made harmless: for content and attributes.
void html_text(FILE *out, const char *text);

// The same of its first bytes.
void html_text_part(FILE *out, const char *text, size_t length);

// Spans as inline elements. Names of terms become links (html_glossary.h); NULL: they stay text.
struct HtmlTerms;
void html_spans(FILE *out, const LectureSpan *spans, struct HtmlTerms *terms);

// Rows of a screen, cell by cell, as the inside of <pre>: a span for every run of one look. Of blank
// rows one is kept between others, as a page has no room to fill.
void html_cells(FILE *out, const Cells *cells, int first_row, int end_row);

// Text between what opens and closes it, which is HTML already.
void html_element(FILE *out, const char *open, const char *text, const char *close);

// The start of a page about a lecture, up to and with <body>.
void html_head(FILE *out, const Lecture *lecture);

// Writes a file whole or not at all. `write` is false, with a sentence, when it cannot.
typedef bool HtmlWrite(const void *what, FILE *out, Error *err);
bool html_save(const char *path, HtmlWrite *write, const void *what, Error *err);

#endif

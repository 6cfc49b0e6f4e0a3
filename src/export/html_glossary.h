// The glossary inside of a page of HTML: what a lecture speaks of, explained at the page's end, with
// links to it from where it is spoken of.
#ifndef HTML_GLOSSARY_H
#define HTML_GLOSSARY_H

#include <stdio.h>
#include "lecture.h"

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

#endif

// HTML pages: escaping, and the style that all pages share.
#ifndef HTML_H
#define HTML_H

#include <stddef.h>
#include <stdio.h>

// Escapes &, <, >, quotes and control characters, for content and attributes.
void html_text(FILE *out, const char *text);

// The same for the first `length` bytes.
void html_text_part(FILE *out, const char *text, size_t length);

extern const char html_style[];

// Escaped text between `open` and `close`, which are HTML.
void html_element(FILE *out, const char *open, const char *text, const char *close);

// Begins a page with the shared style and another one, up to its heading.
void html_page_begin(FILE *out, const char *language, const char *title, const char *style);

#endif

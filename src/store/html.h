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

#endif

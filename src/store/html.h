// Pages of HTML: text made harmless, and the style that all pages share.
#ifndef HTML_H
#define HTML_H

#include <stddef.h>
#include <stdio.h>

// The text with &, <, >, quotes and control characters made harmless: for content and attributes.
void html_text(FILE *out, const char *text);

// The same of its first bytes.
void html_text_part(FILE *out, const char *text, size_t length);

extern const char html_style[];

#endif

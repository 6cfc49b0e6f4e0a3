// How pages look: readable when narrow, wide, dark and printed.
#ifndef HTML_STYLE_H
#define HTML_STYLE_H

extern const char html_style[];

#endif

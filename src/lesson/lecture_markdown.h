// Markdown as cmark's tree, also where there is no memory for it: there cmark itself would end the
// program.
#ifndef LECTURE_MARKDOWN_H
#define LECTURE_MARKDOWN_H

#include <cmark.h>
#include <stddef.h>
#include "error.h"

// The tree of a text, for the caller to give to cmark_node_free; NULL with a sentence when there is no
// memory for it.
cmark_node *lecture_markdown(const char *text, size_t length, Error *err);

#endif

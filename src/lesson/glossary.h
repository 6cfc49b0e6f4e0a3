// The glossary: the field's terms in English and Korean, what PyTorch and the documents call them, and a
// sentence about each. The list is glossary.def.
#ifndef GLOSSARY_H
#define GLOSSARY_H

#include <stdbool.h>
#include "lecture.h"
#include "words.h"

typedef struct GlossaryTerm {
    Words name;            // "dot product", "내적"
    const char *torch;     // "" if PyTorch has no name for it
    const char *documents; // in the documents; "" if they do not use it
    const char *wrong;     // Korean words to avoid, between bars
    const char *seen;      // the stages, tensors, axes and details that show it, between spaces
    Words about;           // one sentence
} GlossaryTerm;

// A term by number, NULL past the end.
const GlossaryTerm *glossary_term(int number);

// Finds a term by its name in either language, ignoring case and a plural s, with '-' or '_' for a space. NULL if
// there is none.
const GlossaryTerm *glossary_find(const char *name);

// The name nearest to a misspelled one, or NULL.
const char *glossary_nearest(const char *name);

// True if a stage, tensor, axis or detail of this name shows the term.
bool glossary_is_seen(const GlossaryTerm *term, const char *place);

// True if a page mentions the term. A name of one syllable or three letters counts only in bold, because it occurs
// inside other words. Returns false and sets errno to ENOMEM without memory; otherwise errno is 0.
bool glossary_is_explained(const GlossaryTerm *term, const LecturePage *page);

#endif

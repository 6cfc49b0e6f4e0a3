// The glossary: the field's terms in English and Korean, what PyTorch and the documents call them, and a
// sentence about each. The list is glossary.def.
#ifndef GLOSSARY_H
#define GLOSSARY_H

#include <stdbool.h>
#include "lecture.h"
#include "words.h"

typedef struct GlossaryTerm {
    Words name;            // "dot product", "내적"
    const char *torch;     // "" where PyTorch has no name for it
    const char *documents; // how the documents say it; "" where they do not
    const char *wrong;     // Korean words for it that no text uses, between bars
    const char *seen;      // where on the screen: stages, tensors, axes, details, between spaces
    Words about;           // one sentence
} GlossaryTerm;

// A term by its number, NULL beyond the last.
const GlossaryTerm *glossary_term(int number);

// The term of this name in either language, in capitals or not and with '-' or '_' for a space, or
// without the word's plural s; NULL when there is none.
const GlossaryTerm *glossary_find(const char *name);

// The name that is nearest to what somebody typed; NULL when none is near.
const char *glossary_nearest(const char *name);

// Whether a stage, a tensor, an axis or a detail of this name shows the term.
bool glossary_is_seen(const GlossaryTerm *term, const char *place);

// Whether a lecture's page speaks of the term. A name of one syllable, or of three letters, counts only
// where the page prints it bold: inside of other words it would be found by chance. False, with errno ENOMEM, when there is no memory to
// look; otherwise errno is 0.
bool glossary_is_told(const GlossaryTerm *term, const LecturePage *page);

#endif

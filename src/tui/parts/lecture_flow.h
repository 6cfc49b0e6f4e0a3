// What a page of a lecture has besides its text, beside the stepper and on a slide alike.
#ifndef LECTURE_FLOW_H
#define LECTURE_FLOW_H

#include "flow.h"
#include "open_lecture.h"

// The speaker's notes, where they are shown.
void lecture_flow_notes(Flow *flow, const OpenLecture *open);

// The question with its choices, what was said to the answer, and the keys; a blank line before it when
// `apart`. The page asks one.
void lecture_flow_question(Flow *flow, const OpenLecture *open, bool apart);

#endif

// Text of a lecture in lines: spans of different looks that flow together, broken at spaces.
// Where that would leave more than half of a line empty, Korean, Chinese and Japanese are
// broken between syllables.
#ifndef FLOW_H
#define FLOW_H

#include "cells.h"
#include "lecture.h"

typedef struct Flow {
    Area area; // without cells: lines are only counted
    int skip;  // lines above the first visible one
    int line;  // the next one, from 0
} Flow;

// Writes the spans, each further line starting at `indent`; the last line ends.
void flow_spans(Flow *flow, int column, int indent, const LectureSpan *spans);

// A block, with what belongs in front of it; a blank line before it when `apart`.
void flow_block(Flow *flow, const LectureBlock *block, bool apart);

#endif

// The speaker's second terminal: the notes of the page that is being presented, what comes next, and
// the time.
#ifndef LECTURE_NOTES_H
#define LECTURE_NOTES_H

#include <stdio.h>
#include "cells.h"
#include "open_lecture.h"

// Draws them: title, notes, the question with its answer, the next page's title. `clock` is written at
// the right end of the first line; NULL: none.
void lecture_notes_draw(const OpenLecture *open, const char *clock, Cells *cells);

// Follows whoever presents, as `path` (presenting.h) tells, until the person presses q or ends the
// program. Where `out` is no terminal, the page is printed once. False with a sentence.
bool lecture_notes_follow(const char *path, FILE *out, Error *err);

#endif

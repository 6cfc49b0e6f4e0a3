// The speaker's second terminal, and whether a screen shows what a lecture speaks of.
#ifndef LECTURE_NOTES_H
#define LECTURE_NOTES_H

#include <stdio.h>
#include "cells.h"
#include "open_lecture.h"

// --- notes
//
// The speaker's second terminal: the notes of the page that is being presented, what comes next, and
// the time.

// Draws them: title, notes, the question with its answer, the next page's title. `clock` is written at
// the right end of the first line; NULL: none.
void lecture_notes_draw(const OpenLecture *open, const char *clock, Cells *cells);

// Follows whoever presents, as `path` (presenting.h) tells, until the person presses q or ends the
// program. Where `out` is no terminal, the page is printed once. False with a sentence.
// Space and p turn the page of the presentation. The lecture shall take so many minutes; 0: two a page.
bool lecture_notes_follow(const char *path, int minutes, FILE *out, Error *err);

// --- screens
//
// Whether a screen shows what a lecture speaks of.

// Draws every page at this size. What its text names has to be on the stepper's part of the screen:
// numbers, rows and columns of the slice that is looked at (of the run beside, too), the shape and the
// strides of a tensor whose memory is shown, and every label (`=label maximum`). Tells each problem with
// file:line; returns how many there are.
int lecture_screen_check(const Lecture *lecture, int columns, int rows, OpenLectureProblem *tell,
                         void *context);

// The same for its slides: all that the text names is on the slide, and title, sentence and question are
// there in full.
int lecture_slide_check(const Lecture *lecture, int columns, int rows, OpenLectureProblem *tell,
                        void *context);

#endif

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
// Space and p turn the page of the presentation. The lecture shall take so many minutes; 0: two a page.
bool lecture_notes_follow(const char *path, int minutes, FILE *out, Error *err);

// "12:05, planned 14:00 of 40 min": how long it has been, and when the page should be over.
void lecture_notes_clock(const OpenLecture *open, int seconds, int minutes, char text[64]);

#endif

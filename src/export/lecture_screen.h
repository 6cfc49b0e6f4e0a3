// Whether a screen shows what a lecture speaks of.
#ifndef LECTURE_SCREEN_H
#define LECTURE_SCREEN_H

#include "open_lecture.h"

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

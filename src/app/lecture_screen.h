// Whether a screen shows what a lecture speaks of.
#ifndef LECTURE_SCREEN_H
#define LECTURE_SCREEN_H

#include "guide.h"

// Draws every page at this size. A number of the tensor looked at that the text names has to be on the
// stepper's part of the screen, unless the text names more of that tensor than any screen this small
// shows: then some of it. Tells each problem with file:line; returns how many there are.
int lecture_screen_check(const Lecture *lecture, int columns, int rows, GuideProblem *tell,
                         void *context);

#endif

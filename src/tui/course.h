// The list of lectures on a screen: what is done and where to go on.
#ifndef COURSE_H
#define COURSE_H

#include "cells.h"

typedef struct CourseRow {
    const char *title, *about;
    int pages, seen;
    int questions, right;
    bool goes_on; // the lecture where somebody was last
} CourseRow;

typedef struct Course {
    const CourseRow *rows;
    int count;
    int chosen;
} Course;

void course_draw(const Course *course, Cells *cells);

// Shows the list in the terminal until a lecture is chosen (*chosen) or the person leaves. False, with a
// sentence, when there is no terminal to draw on.
bool course_run(Course *course, bool *chosen, Error *err);

#endif

// The course on a screen: what there is to sit through and to do, what is done, and where to go on.
#ifndef COURSE_H
#define COURSE_H

#include "cells.h"
#include "lecture.h"

typedef struct CourseRow {
    const char *heading; // above this row; NULL: none
    const char *title;
    const char *state;   // how far it is: "read 3/12"
    const char *about;   // what it is about, shown while it is chosen
    const char *goes_on; // where in it to go on; NULL: at its start
    bool done;           // all of it
    bool passed;         // as much of it as takes one to the next row
    bool last;           // where somebody was last
} CourseRow;

typedef struct Course {
    const CourseRow *rows;
    int count;
    int chosen;
    Language language;
    bool hangul, hangul_said; // that its letters are keys: is said until the next key; was said
} Course;

void course_draw(const Course *course, Cells *cells);

// Shows the list in the terminal until a row is chosen (*chosen) or the person leaves. False, with a
// sentence, when there is no terminal to draw on.
bool course_run(Course *course, bool *chosen, Error *err);

#endif

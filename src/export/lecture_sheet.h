// The questions of a lecture on paper: a page of HTML with an empty box for each, and behind it a sheet
// with the answers, as the trace has them.
#ifndef LECTURE_SHEET_H
#define LECTURE_SHEET_H

#include <stdio.h>
#include "lecture.h"

// Walks through every page. False when a page's scene or answer fails, with file:line. Whether the
// bytes arrived is the business of whoever opened `out`.
bool lecture_sheet(const Lecture *lecture, FILE *out, Error *err);

// The same into a file, whole or not at all.
bool lecture_sheet_save(const Lecture *lecture, const char *path, Error *err);

#endif

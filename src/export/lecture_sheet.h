// The questions of a lecture on paper: a page of HTML with each page's text and picture and an empty box,
// and behind it a sheet with the answers, as the trace has them. A4, or Letter where the locale has it.
#ifndef LECTURE_SHEET_H
#define LECTURE_SHEET_H

#include <stdint.h>
#include <stdio.h>
#include "lecture.h"

// Walks through every page. False when a page's scene or answer fails, with file:line. Whether the
// bytes arrived is the business of whoever opened `out`.
bool lecture_sheet(const Lecture *lecture, FILE *out, Error *err);

// The same into a file, whole or not at all; with a seed ten questions that it draws (seed_sheet.h).
bool lecture_sheet_save(const Lecture *lecture, const uint64_t *seed, const char *path, Error *err);

#endif

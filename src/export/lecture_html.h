// A whole lecture as one HTML page that needs nothing else: text, the program's own screens cell by
// cell, heatmaps, questions whose answers unfold.
#ifndef LECTURE_HTML_H
#define LECTURE_HTML_H

#include <stdio.h>
#include "lecture.h"

// Walks through every page and writes it. False when a page's scene, reference or answer fails, with
// file:line. Whether the bytes arrived is the business of whoever opened `out`.
bool lecture_html(const Lecture *lecture, bool with_notes, FILE *out, Error *err);

// The same into a file, whole or not at all.
bool lecture_html_save(const Lecture *lecture, bool with_notes, const char *path, Error *err);

#endif

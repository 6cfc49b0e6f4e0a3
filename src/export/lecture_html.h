// A whole lecture, or its questions on paper, as one page of HTML.
#ifndef LECTURE_HTML_H
#define LECTURE_HTML_H

#include <stdint.h>
#include <stdio.h>
#include "lecture.h"

// --- the lecture
//
// A whole lecture as one HTML page that needs nothing else: text, the program's own screens cell by
// cell, heatmaps, questions whose answers unfold.

// Walks through every page and writes it. False when a page's scene, reference or answer fails, with
// file:line. Whether the bytes arrived is the business of whoever opened `out`.
bool lecture_html(const Lecture *lecture, bool with_notes, FILE *out, Error *err);

// The same into a file, whole or not at all.
bool lecture_html_save(const Lecture *lecture, bool with_notes, const char *path, Error *err);

// --- the worksheet
//
// The questions of a lecture on paper: a page of HTML with each page's text and picture and an empty box,
// and behind it a sheet with the answers, as the trace has them. A4, or Letter where the locale has it.

// Walks through every page. False when a page's scene or answer fails, with file:line. Whether the
// bytes arrived is the business of whoever opened `out`.
bool lecture_sheet(const Lecture *lecture, FILE *out, Error *err);

// The same into a file, whole or not at all; with a seed ten questions that it draws (seed_sheet.h).
bool lecture_sheet_save(const Lecture *lecture, const uint64_t *seed, const char *path, Error *err);

#endif

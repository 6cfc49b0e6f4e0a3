// Lectures as HTML, worksheets and speaker's notes; pictures as SVG.
#ifndef EXPORT_H
#define EXPORT_H

#include <stdint.h>
#include <stdio.h>
#include "cells.h"
#include "display_list.h"
#include "error.h"
#include "lecture.h"
#include "open_lecture.h"
#include "picture_view.h"
#include "words.h"

// --- a lecture as a page
//
// One self-contained HTML page: text, screens, heatmaps, and questions with answers that unfold.

// Writes every page. Returns false, with file:line, if a page's scene, reference or answer fails. The caller
// checks `out` for write errors.
bool lecture_html(const Lecture *lecture, bool with_notes, FILE *out, Error *err);

// The same to a file, atomically.
bool lecture_html_save(const Lecture *lecture, bool with_notes, const char *path, Error *err);

// --- the worksheet
//
// The questions of a lecture for print, as HTML: each page's text and picture with an empty box, then a sheet
// of answers from the trace. A4, or Letter by locale.

// Writes every page. Returns false, with file:line, if a page's scene or answer fails. The caller checks `out`
// for write errors.
bool lecture_sheet(const Lecture *lecture, FILE *out, Error *err);

// The same to a file, atomically. With a seed, ten questions drawn from it.
bool lecture_sheet_save(const Lecture *lecture, const uint64_t *seed, const char *path, Error *err);

// --- speaker's notes
//
// For the speaker's second terminal.

// Draws title, notes, the question with its answer, and the next page's title. `clock` goes to the right end
// of the first line; NULL: none.
void lecture_notes_draw(const OpenLecture *open, const char *clock, Cells *cells);

// Follows the presentation announced in `path` (lecture.h) until q. If `out` is not a terminal, prints the
// page once. Space and p turn its pages. `minutes` is the planned length; 0: two per page.
bool lecture_notes_follow(const char *path, int minutes, FILE *out, Error *err);

// --- checks

// Draws every page at this size and checks that everything its text names is visible in the stepper: numbers,
// rows and columns of the current slice (of the other run, too), shape and strides of a tensor in the memory
// panel, and every label (`=label maximum`). Reports each problem with file:line; returns their number.
int lecture_screen_check(const Lecture *lecture, int columns, int rows, OpenLectureProblem *tell,
                         void *context);

// The same for slides, whose title, sentence and question must be there in full.
int lecture_slide_check(const Lecture *lecture, int columns, int rows, OpenLectureProblem *tell,
                        void *context);

// --- SVG

// Writes a display list as an <svg> element. `name` prefixes its ids, which must be unique on a page; `about`
// describes it for screen readers.
void figure_svg(const DisplayList *list, const char *name, const char *about, FILE *out);

// Writes a whole file that scales to its page, with text as text. `title` and `about` are for screen readers.
void figure_svg_file(const DisplayList *list, const char *title, const char *about, FILE *out);

// Writes the picture of a session as SVG, atomically, drawn by `view` in the usual font. Returns false if
// there is nothing to draw or it cannot be written.
bool picture_svg_save(const Session *session, PictureView *view, const char *path, Error *err);

#endif

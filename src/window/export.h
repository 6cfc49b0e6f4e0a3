// Lectures and pictures for a page, for paper and for a speaker.
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
// A whole lecture, or its questions on paper, as one page of HTML.

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

// The same into a file, whole or not at all; with a seed ten questions that it draws (export.h).
bool lecture_sheet_save(const Lecture *lecture, const uint64_t *seed, const char *path, Error *err);

// --- what a speaker sees
//
// The speaker's second terminal, and whether a screen shows what a lecture speaks of.

// --- notes
//
// The speaker's second terminal: the notes of the page that is being presented, what comes next, and
// the time.

// Draws them: title, notes, the question with its answer, the next page's title. `clock` is written at
// the right end of the first line; NULL: none.
void lecture_notes_draw(const OpenLecture *open, const char *clock, Cells *cells);

// Follows whoever presents, as `path` (lecture.h) tells, until the person presses q or ends the
// program. Where `out` is no terminal, the page is printed once. False with a sentence.
// Space and p turn the page of the presentation. The lecture shall take so many minutes; 0: two a page.
bool lecture_notes_follow(const char *path, int minutes, FILE *out, Error *err);

// --- screens
//
// Whether a screen shows what a lecture speaks of.

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

// --- SVG
//
// Display lists and sessions as SVG pictures.

// --- a display list
//
// A display list as an SVG picture, for pages that hold everything themselves and for slides.

// Writes an <svg> element. `name` goes before the ids inside, which must be unique on a page; `about`
// tells who cannot see it what it shows.
void figure_svg(const DisplayList *list, const char *name, const char *about, FILE *out);

// Writes a whole file that scales to its page, with text as text: `title` and `about` are what a screen
// reader says.
void figure_svg_file(const DisplayList *list, const char *title, const char *about, FILE *out);

// --- the picture of a session
//
// The picture of a session as an SVG file.

// Writes it whole or not at all, drawn by `view` with the usual letters. False, with a sentence, when
// there is nothing to draw or it cannot be written.
bool picture_svg_save(const Session *session, PictureView *view, const char *path, Error *err);

#endif

// What the parts of `attnscope heatmap` share: its options as commands, comparisons, files.
#ifndef HEATMAP_H
#define HEATMAP_H

#include "app.h"
#include "picture_view.h"
#include "window.h"

// --- heatmap_draw.c

// Looks at a tensor of the run, with nothing marked in it.
bool heatmap_show(Session *session, const char *tensor, Error *err);

// Writes what is shown to a file, with a window for pictures or pages that is open already.
bool heatmap_draw(const Session *session, PictureView *view, Window *window, const char *path,
                  Error *err);

// How many times as large as usual the letters of a file's picture may be: as asked, else as the last row of
// a lecture hall needs them.
double heatmap_most_letters(const Session *session, const AppOptions *options);

// Chooses the largest letters up to `most` that leave numbers in cells as large as usual ones do.
bool heatmap_fit_letters(Session *session, PictureView *view, double most, Error *err);

// --- heatmap_options.c

// Shows what the options name, as they say; with --compare beside it what they name. False with a
// sentence.
bool heatmap_open(Session *session, const AppOptions *options, Error *err);

// "1600x1200", "4:3". Letters grow with the picture, so that a large one fits a slide.
bool heatmap_size(PictureView *view, const char *size, Error *err);

// --- heatmap_compare.c

// Runs what is named beside the session's run, to its end, and shows both. Where no tensor was asked for,
// and the weights are the same in both, the first tensor that differs is shown; of a batch the first
// sequence that does, unless one was asked for.
bool heatmap_compare(Session *session, const char *what, const AppOptions *options, Error *err);

// A picture for every mistake of the bank that this scenario can show, "07-mask-off-by-one.png" in the
// folder, which is made where it is missing; of the others, why there is none. Both are told on standard
// output.
bool heatmap_slides(Session *session, PictureView *view, const AppOptions *options, Error *err);

// --- heatmap_frames.c

// Pictures of how the tensor that is shown is computed, cell by cell, or of how a number is, term by
// term, where its origin is shown: "0001.png" and so on in a folder (--frames), an animated PNG (--apng),
// or both. The same scenario and options make the same pictures.
bool heatmap_frames(Session *session, PictureView *view, const AppOptions *options, Error *err);

// How many pictures a second "--rate 12" means; NULL: the usual.
bool heatmap_rate(const char *words, unsigned *rate, Error *err);

// The folder for pictures, made where it is missing.
bool heatmap_make_folder(const char *folder, Error *err);

// --- heatmap_files.c

// Whether the options name a file for the picture, in one of the forms of picture_forms.def.
bool heatmap_wants_files(const AppOptions *options);

// False, with a sentence, when the name of a file, of numbers or of a film too, ends in what is not written.
bool heatmap_check_files(const AppOptions *options, Error *err);

// Writes what is shown to those files, each whole or not at all, as its ending says.
bool heatmap_save(const Session *session, PictureView *view, const AppOptions *options, Error *err);

#endif

// What the parts of `attnscope heatmap` share: its options as commands, comparisons, files.
#ifndef HEATMAP_H
#define HEATMAP_H

#include "app.h"
#include "picture_view.h"
#include "window.h"

// --- heatmap_pictures.c

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

// Runs what is named beside the session's run, to its end, and shows both. Where no tensor was asked for,
// and the weights are the same in both, the first tensor that differs is shown; of a batch the first
// sequence that does, unless one was asked for.
bool heatmap_compare(Session *session, const char *what, const AppOptions *options, Error *err);

// A picture for every mistake of the bank that this scenario can show, "07-mask-off-by-one.png" in the
// folder, which is made where it is missing; of the others, why there is none. Both are told on standard
// output.
bool heatmap_slides(Session *session, PictureView *view, const AppOptions *options, Error *err);

// Pictures of how the tensor that is shown is computed, cell by cell, or of how a number is, term by
// term, where its origin is shown: "0001.png" and so on in a folder (--frames), an animated PNG (--apng),
// or both. The same scenario and options make the same pictures.
bool heatmap_frames(Session *session, PictureView *view, const AppOptions *options, Error *err);

// How many pictures a second "--rate 12" means; NULL: the usual.
bool heatmap_rate(const char *words, unsigned *rate, Error *err);

#endif

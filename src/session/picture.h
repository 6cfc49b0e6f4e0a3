// The picture of a session: the current tensor as maps of coloured cells, for windows, files and pages. Part
// of the session: session_apply changes it, views read it.
//
// It shows the session's tensor and marks the chosen element. If that tensor cannot be drawn, the last one
// stays. The rest of `request` is how the person wants it drawn.
#ifndef PICTURE_H
#define PICTURE_H

#include "figure.h"

typedef struct Session Session;

enum { PICTURE_CHANGED_MAX = 384 };

// What was shown last, to detect a change.
typedef struct PicturePlace {
    char tensor[64]; // its name; "": nothing shown yet
    ptrdiff_t shape[4];
    char rows[16], columns[16]; // names of these axes; "": none
    ColourMap usual;            // default colours for its kind of numbers
    FigureScale usual_scale;    // and their range
    TraceCell chosen;           // the session's element when it last moved
} PicturePlace;

// What fitted in the last drawing, as the view reported with `map-room`. All 0: no view.
typedef struct PictureFit {
    ptrdiff_t rows, columns;             // cells
    ptrdiff_t block_rows, block_columns; // cells of a block
    int zoom;                            // as in FigureRequest
    bool is_part;                        // not all cells fitted
    bool lines;
} PictureFit;

typedef struct Picture {
    // The view sets `keys`, `notice` and `help`; the caller that opened the session sets `title`. `cursor` is
    // the chosen element, or the cell under the pointer.
    FigureRequest request;
    PicturePlace place;
    PictureFit room;
    bool shows_origin;                 // the origin panel is open
    bool shows_compare;                // both runs and their difference
    char mistake[96];                  // the name of the other run's mistake
    FigureOther other;                 // the other run, while request.compares
    bool has_chosen;                   // marks the session's element while the pointer is outside
    FigureLock lock_before;            // the last press
    double letters;                    // font scale
    char changed[PICTURE_CHANGED_MAX]; // session_picture_changed_by; "": nothing
    bool help;                         // the help page is open
    bool tells;                        // the session's message is about the picture
    unsigned long run;                 // SessionRun.number of the numbers shown
    unsigned long revision;            // changes with the picture
    unsigned long saves, csvs;         // count requests for files; the view writes them
} Picture;

// The trace shown: the session's, or the differences of two runs.
const Trace *picture_trace(const Session *session);

// True if there is something to show; true if the current tensor can be drawn.
bool picture_is_there(const Session *session);
bool picture_possible(const Session *session);

// The name of the tensor shown.
const char *picture_tensor_name(const Session *session);

// The session's element as a cell of the tensor shown.
FigureCell picture_chosen(const Session *session);

// Describes the picture for people who cannot see it: the numbers, the maps, their rows and columns, and the
// largest number of each.
void picture_about(const Session *session, FILE *out);

// The numbers of both runs of a comparison in the tensor shown. Fills `here` and `there`, which must outlive
// the pair. Returns false if there is nothing to show.
bool picture_pair(const Session *session, FigureData *here, FigureData *there,
                  FigureSidePair *pair);

// Writes the numbers of the maps shown: a line of keys, then a line per query. "# changed: ..." and
// "# weights: ..." come first if the numbers are edited or the weights are the user's. Columns: head, query,
// its word, then one per key. A comparison has "# compared: ..." and all of it three times, with "this",
// "other" or "difference" in a first column.
void picture_csv(const Session *session, FILE *out);

#endif

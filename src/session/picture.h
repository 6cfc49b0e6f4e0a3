// The picture of a session: the tensor that is looked at as maps of coloured cells, for a window
// beside the terminal or alone, for files and pages. A part of the session: session_apply changes it,
// whoever draws reads it.
//
// What is shown is what the session looks at, and what is marked is its chosen element. A tensor that
// can be no picture leaves the one before it on show. The rest of `request` is the person's: how
// it is drawn.
#ifndef PICTURE_H
#define PICTURE_H

#include "figure.h"

typedef struct Session Session;

enum { PICTURE_CHANGED_MAX = 384 };

// What was shown last, so that a change is noticed: the same tensor has other numbers in another run.
typedef struct PicturePlace {
    char tensor[64]; // its name; "": nothing is shown yet
    ptrdiff_t shape[4];
    char rows[16], columns[16]; // the names of these axes; "": there is none
    ColourMap usual;            // the colours for its kind of numbers,
    FigureScale usual_scale;    // and their ends
    TraceCell chosen;           // the session's element, as it was when somebody last moved it
} PicturePlace;

// What the last drawing had room for, as the view told it with `map-room`. All 0: nothing draws it.
typedef struct PictureFit {
    ptrdiff_t rows, columns;             // cells
    ptrdiff_t block_rows, block_columns; // cells of a block
    int zoom;                            // as FigureRequest has it, where that says 0 too
    bool is_part;                        // there are more cells than those
    bool lines;
} PictureFit;

typedef struct Picture {
    // `keys`, `notice` and `help` are set by the view that draws, `title` by the caller that opened the
    // session.
    // `cursor` is the chosen element, or what the pointer is over.
    FigureRequest request;
    PicturePlace place;
    PictureFit room;
    bool shows_origin;      // of the session's element, while that is what stands beside values
    bool shows_compare;     // both runs and what differs, while there are two
    char mistake[96];       // its name in words, while other is one
    FigureOther other;      // while request.compares: what stands beside
    bool has_chosen;        // the session's element is marked when the pointer is nowhere
    FigureLock lock_before; // the last press
    double letters;         // times as large as usual
    char changed[PICTURE_CHANGED_MAX]; // session_changed_by; "": nothing
    bool help;                         // the page of keys
    bool tells;                        // the session's message is about the picture
    unsigned long run;                 // of the session, whose numbers are shown
    unsigned long revision;            // another number, another picture
    unsigned long saves, csvs; // how often it was asked for as a file; whoever draws writes them
} Picture;

// The trace whose numbers are shown: the session's, or the differences of two runs.
const Trace *picture_trace(const Session *session);

// Whether there is something to show; whether the tensor looked at can be a picture.
bool picture_is_there(const Session *session);
bool picture_possible(const Session *session);

// The name of the tensor that is shown.
const char *picture_tensor_name(const Session *session);

// The session's element, as a cell of the tensor that is shown.
FigureCell picture_chosen(const Session *session);

// The picture in words, for people who cannot see it: what the numbers are, how many maps there are,
// their rows and columns, and where the largest number of each lies.
void picture_about(const Session *session, FILE *out);

// While a comparison is shown: the numbers of both runs in the tensor that is shown. `here` and `there`
// are filled, and must outlive the pair. False when there are none to show.
bool picture_pair(const Session *session, FigureData *here, FigureData *there,
                  FigureSidePair *pair);

// Writes the numbers of the maps that are shown: a line of keys, then a line for each query; before
// them "# changed: ..." where they are not the scenario's own, "# weights: ..." where its weights come from a
// file of the person's.
// Columns: head, query, its word, then one for each key. Of a comparison, "# compared: ..." and
// all of it three times: a column before these is "this", "other" or "difference".
void picture_csv(const Session *session, FILE *out);

#endif

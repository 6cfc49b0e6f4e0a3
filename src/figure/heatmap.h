// A heatmap that a person looks at: what is asked for, and the one function that changes it. Keys,
// pointer, options and scripts all come as the same words (heatmap_commands.def).
//
// Life cycle: heatmap_open; heatmap_size; heatmap_apply ..., heatmap_draw when `changed`;
// heatmap_close, which accepts a zeroed Heatmap. The trace must outlive it.
#ifndef HEATMAP_H
#define HEATMAP_H

#include "figure.h"

enum { HEATMAP_MESSAGE_MAX = 1024, HEATMAP_HELP_MAX = 96 };

// What a command wants that only the owner of windows and files can do.
typedef enum HeatmapWish { HEATMAP_NOTHING, HEATMAP_SAVE_PICTURE, HEATMAP_SAVE_CSV } HeatmapWish;

// What the request is about, to find it again in another trace.
typedef struct HeatmapPlace {
    char tensor[64]; // its name
    ptrdiff_t shape[4];
    ColourMap usual; // the colours for its kind of numbers
} HeatmapPlace;

// Beside somebody who computes, cells appear when that one says: what is asked for
// here is left for it.
typedef struct HeatmapLead {
    bool led;   // the owner sets it: the tensor shown is the one that is being computed
    bool play;  // it shall play, or pause
    long cells; // so many cells more, or fewer
} HeatmapLead;

// What the pointer has done since its button went down.
typedef struct HeatmapDrag {
    int x, y;        // pixels that have not made a whole cell yet
    FigureLock lock; // as it was before
} HeatmapDrag;

// A cell that shall stay under the pointer while cells become larger or smaller.
typedef struct HeatmapAnchor {
    bool holds;
    FigureCell cell;
    int x, y;
} HeatmapAnchor;

typedef struct Heatmap {
    const Trace *trace;
    FigureRequest request;
    HeatmapPlace place;
    bool has_chosen;   // by key, press or word; the pointer only looks:
    FigureCell chosen; // ... where the cursor is when the pointer is nowhere
    int width, height;
    double scale, letters; // pixels a point on this screen; times as large as usual
    FontMetrics metrics;
    bool help, playing, quit;
    bool changed; // another picture than the last one drawn
    HeatmapWish wish;
    HeatmapLead lead;
    HeatmapDrag drag;
    HeatmapAnchor anchor;
    char message[HEATMAP_MESSAGE_MAX];       // for the bottom line; empty: the keys
    const char *help_page[HEATMAP_HELP_MAX]; // pairs, ended by NULL
    char help_keys[HEATMAP_HELP_MAX / 2][32];
    DisplayList list;
    Figure figure;
    FigureCache *cache;
} Heatmap;

// Looks at the tensor with this name; NULL is the attention weights, or the last tensor computed.
bool heatmap_open(Heatmap *heatmap, const Trace *trace, const char *tensor, Error *err);
void heatmap_close(Heatmap *heatmap);

// Goes on with another trace, or with the same one whose numbers have changed: what was chosen
// stays as it is wherever the new tensors have that place, else it is the nearest they have.
// `tensor`, a number in the new trace, is shown when the one that was shown is not there any more.
// False, with a sentence, when that cannot be shown either.
bool heatmap_renew(Heatmap *heatmap, const Trace *trace, int tensor, Error *err);

// The one function that changes a heatmap: "head 3", "zoom_in". False, with a sentence, when there
// is no such word, or what it names is not there; nothing has changed then.
bool heatmap_apply(Heatmap *heatmap, const char *words, Error *err);

// The word for a key; NULL when the key means nothing.
const char *heatmap_key(const char *key);

// Draws into heatmap->list. What takes long comes with later pictures: `changed` then stays true.
bool heatmap_draw(Heatmap *heatmap, Error *err);

// Draws until nothing is missing, for a picture that is kept.
bool heatmap_draw_whole(Heatmap *heatmap, Error *err);

// Writes the numbers of the maps that are shown: a line of keys, then a line for each query.
// Columns: head, query, its word, then one for each key.
void heatmap_csv(const Heatmap *heatmap, FILE *out);

#endif

// Picking heads to be shown together. Shared by heatmap.c and heatmap_move.c and nobody else.
#ifndef HEATMAP_HEADS_H
#define HEATMAP_HEADS_H

#include "heatmap.h"

// Puts a head in or takes it out. Whoever looked at one head keeps it beside the new one; whoever
// looked at all keeps all others. The last one stays in. False, with a sentence, when there is nothing
// to pick.
bool heatmap_pick(Heatmap *heatmap, ptrdiff_t head, Error *err);

// Shows the heads of "1,3" together; one alone is shown large, "all" are all.
bool heatmap_show_heads(Heatmap *heatmap, const char *words, Error *err);

// While heads are picked, the next one (way 1) or the one before is only marked, to be put in. False
// when none are.
bool heatmap_mark_head(Heatmap *heatmap, int way);

#endif

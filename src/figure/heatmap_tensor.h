// Which tensor a heatmap shows, and what stays of the view when it is another one. Shared by heatmap.c
// and nobody else.
#ifndef HEATMAP_TENSOR_H
#define HEATMAP_TENSOR_H

#include "heatmap.h"

// Shows tensor `number`. Sequence, head, cursor, lock and zoom stay where it has them, else become the
// nearest that it has. False, with nothing changed, when it cannot be shown.
bool heatmap_show_tensor(Heatmap *heatmap, int number, Error *err);

// The next tensor that a step has made, `way` 1 or -1.
bool heatmap_other_tensor(Heatmap *heatmap, int way, Error *err);

#endif

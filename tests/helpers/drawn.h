// A figure of a small trace whose attention weights a test chooses, for tests of figure and heatmap.
#ifndef DRAWN_H
#define DRAWN_H

#include "figure.h"
#include "tiny.h"

typedef struct Drawn {
    Scenario scenario;
    Trace trace;
    FigureRequest request;
    FigureCache *cache;
    DisplayList list;
    Figure figure;
    Error err;
} Drawn;

// A trace of that shape, run; the request shows its attention weights, fixed from 0 to 1.
void drawn_open(Drawn *drawn, TinyShape shape);
void drawn_close(Drawn *drawn);

// The tensor with this name, to be changed.
Tensor drawn_tensor(Drawn *drawn, const char *name);

// The same with weights of any size without memory for them: every row of every head is the one row of
// `tokens` numbers, at most 4096, that is returned. They are 1/15 and may be changed.
float *drawn_open_large(Drawn *drawn, int heads, int tokens);

// Draws with the usual letters; fails the test when it cannot be.
void drawn_draw(Drawn *drawn, int width, int height, double scale);

// The cells of map number `map`; as many of them as blocks.
const DisplayItem *drawn_map(const Drawn *drawn, int map);
DisplayCell drawn_cell(const Drawn *drawn, int map, int row, int column);

// The first text item that says exactly this; NULL: none does. The first that contains it.
const DisplayItem *drawn_text(const Drawn *drawn, const char *text);
const DisplayItem *drawn_part(const Drawn *drawn, const char *part);

// The same in any list; `whole`: exactly this.
const DisplayItem *drawn_find(const DisplayList *list, const char *text, bool whole);

// Fails the test when a text that lies lies over another one.
void drawn_check_apart(const DisplayList *list);

int drawn_count(const Drawn *drawn, DisplayKind kind);

#endif

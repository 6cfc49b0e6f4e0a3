// The cells of a comparison; shared by figure_compare.c, figure_compare_layout.c,
// figure_compare_cells.c and figure_compare_told.c.
#ifndef FIGURE_COMPARE_CELLS_H
#define FIGURE_COMPARE_CELLS_H

#include "figure_compare.h"
#include "figure_internal.h"

typedef struct Compare {
    FigurePen pen; // pen.data is this run, pen.figure has three maps for each head
    FigureData there;
    FigureSidePair pair;
    const FigureOther *other;
    const char *document;           // whose numbers this run's are; NULL: none's
    bool even;                      // colours go by weight x keys that the query of this run sees
    PoolRange numbers, differences; // the ends of both scales
    PoolRange written[2];           // the ends of the numbers themselves, and of their differences
    ptrdiff_t differing, count;     // of the maps shown
    ptrdiff_t beyond; // how many differ by no finite number: one of the two is NaN or infinite
    bool differs;     // some number of them does; the one farthest apart, the first of several:
    FigureCell most;
    float most_apart;
    unsigned marks; // bit m: some cell has mark m
    FigureBox area; // for the maps with their words
    int margin;     // around the picture
    int gap;        // between the three maps of a head
    bool is_small;  // there is no room for all words
    int units;      // heads beside each other
    int other_rows; // pixels beside the other run's map for the words of its rows; 0: they are the same words
} Compare;

// --- figure_compare_layout.c

int compare_points(const Compare *compare, double count);

// Three maps for each head that is shown. False with a sentence: there is no memory.
bool compare_list_maps(Compare *compare, Error *err);

// Gives them places in the area; and where the last of them ends.
void compare_lay_out(Compare *compare);
int compare_right(const Compare *compare);

// --- figure_compare_cells.c

// Ends, count, and the cell that differs most.
void compare_measure(Compare *compare);

// Adds the cells of map number `map` to the list.
void compare_cells(Compare *compare, int map);

// Frames a cell in one map, where that shows its head, so that its number is still seen.
void compare_frame(const Compare *compare, int map, FigureCell cell, Colour colour);

// What is drawn in the cell; and its place.
FigureSide compare_side(int map);
FigureBox compare_box(const Compare *compare, int map, FigureCell cell);

// --- figure_compare_told.c

enum { COMPARE_LINE_MAX = 512 };

// The cell that is looked at, else the one that differs most: its words and three numbers.
void compare_tell_cell(const Compare *compare, char text[COMPARE_LINE_MAX]);

// How many numbers differ, and by how much; where none does, why.
void compare_tell_count(const Compare *compare, char text[COMPARE_LINE_MAX]);

#endif

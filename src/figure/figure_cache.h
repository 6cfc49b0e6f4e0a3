// What a figure need not work out again; shared by figure_cache.c and figure_colour.c.
#ifndef FIGURE_CACHE_H
#define FIGURE_CACHE_H

#include "figure_internal.h"
#include "team.h"

// What the cached numbers depend on.
typedef struct CacheKey {
    struct {
        const Trace *trace;
        unsigned long version;
        ptrdiff_t tensor, batch;
    } numbers;
    ptrdiff_t first_head, heads, mean;
    FigureHeads picked;
    ptrdiff_t first_row, first_column, rows, columns, block_rows, block_columns;
    ptrdiff_t scale;
    struct {
        ptrdiff_t map, dark, computed;
    } colours;
} CacheKey;

// What is known of a whole head: its range, once it has been asked for, and the entropies of its first
// rows, added.
typedef struct CacheHead {
    bool known;
    PoolRange range;
    ptrdiff_t entropy_rows;
    double entropy_sum; // NaN where a row has NaN
} CacheHead;

typedef struct CacheRoom {
    void *memory;
    size_t bytes;
} CacheRoom;

struct FigureCache {
    CacheKey key;
    bool filled;
    PoolRange all;   // of all heads of the sequence
    CacheRoom heads; // CacheHead for every head of the sequence, and for the mean
    CacheRoom maps, ranges, blocks, cells, plane, scratch;
    ptrdiff_t map_blocks; // blocks of one map
    unsigned long cells_version;
    bool marks[DISPLAY_MARK_COUNT]; // which occur in the cells
    Team team;
    Arena arena;
};

// Fills the cells of a map from its blocks.
void figure_colour_map(const FigurePen *pen, int map);

// Notes which marks there are.
void figure_note_marks(const FigurePen *pen);

#endif

// What a figure need not work out again; shared by figure_cache.c, figure_colour.c,
// figure_plane.c, figure_row_scale.c and figure_share.c.
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
    struct {
        ptrdiff_t first_head, count, mean;
        FigureHeads picked;
    } heads;
    ptrdiff_t first_row, first_column, rows, columns, block_rows, block_columns;
    ptrdiff_t scale;
    PoolRange ends;
    struct {
        ptrdiff_t map, dark, computed;
    } colours;
} CacheKey;

// What is known of a whole head: its range and its largest share, once they have been asked for, and
// the entropies of its first rows, added without those of padding.
typedef struct CacheHead {
    bool known, share_known;
    PoolRange range;
    float share;
    ptrdiff_t entropy_rows, entropy_count, odd_rows; // the last: that do not sum to 1
    double entropy_sum, bound_sum;                   // NaN where a row has NaN
} CacheHead;

typedef struct CacheRoom {
    void *memory;
    size_t bytes;
} CacheRoom;

struct FigureCache {
    CacheKey key;
    bool filled;
    PoolRange all;   // of all heads of the sequence
    float even;      // the largest weight times keys of those heads, where colours go by that
    CacheRoom heads; // CacheHead for every head of the sequence, and for the mean
    CacheRoom maps, blocks, plane, scratch;
    CacheRoom ranges;  // PoolRange of every map
    CacheRoom pieces;  // CachePiece
    CacheRoom visible; // of how many heads, an int for every row: keys that it may look at
    ptrdiff_t visible_heads;
    ptrdiff_t piece_count;
    ptrdiff_t down, across;      // blocks of one map
    Colour table[COLOUR_LEVELS]; // the colours of the maps
    unsigned long cells_version; // of the cells that are made of these blocks, in these colours
    Team team;
    Arena arena;
};

// So many rows of a map's blocks are worked on together.
typedef struct CachePiece {
    int map;
    ptrdiff_t first, rows; // of blocks
    PoolRange range;       // of the numbers
    float share;           // the largest weight times keys, where colours go by that
    unsigned marks;        // bit m: some cell has mark m
} CachePiece;

// --- figure_plane.c

// Whether the numbers of a map have no view: those of the mean, and those that are not float32.
bool figure_plane_needs_copy(const FigurePen *pen);

// Copies all numbers of all maps, where they need it, into cache->plane.
void figure_plane_copy(const FigurePen *pen);

// The numbers of a map as a float32 matrix [Lq, Lk]; where they need a copy, after it was made.
Tensor figure_plane(const FigurePen *pen, int map);

// --- figure_cache.c

// Where a piece begins among all blocks, and among all cells.
ptrdiff_t figure_piece_start(const FigureCache *cache, const CachePiece *piece);

// Room for one number more than `columns`, for whoever works on the piece.
float *figure_piece_scratch(const FigureCache *cache, const CachePiece *piece, ptrdiff_t columns);

// At least `count * size` bytes; what was there before is gone.
void *figure_cache_room(FigureCache *cache, CacheRoom *place, ptrdiff_t count, size_t size,
                        Error *err);

// --- figure_share.c

// Counts the keys of every row, before any piece is worked on.
bool figure_find_visible(const FigurePen *pen, Error *err);

// The largest weight times keys among the blocks of a piece, and of a whole head.
float figure_largest_share(const FigurePen *pen, const CachePiece *piece, const float *blocks);
float figure_largest_share_of_head(const FigurePen *pen, ptrdiff_t head);

// --- figure_colour.c

// Fills the cells of a piece from its blocks, and notes their marks.
void figure_colour_piece(const FigurePen *pen, CachePiece *piece);

// The same for colours alone, each row of blocks on a scale of its own. False where some number is not
// finite.
bool figure_colour_rows(const FigurePen *pen, const CachePiece *piece,
                        const Colour table[COLOUR_LEVELS], const float *blocks, DisplayCell *cells);

#endif

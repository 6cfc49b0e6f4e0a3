// A panel is a part of the screen, drawn from a session. panels.def lists the panels; each descriptor is at
// the end of its file. Also declared here: what panels are made of, such as grids of numbers, storage, large
// digits and maps.
#ifndef PANEL_H
#define PANEL_H

#include <stdbool.h>
#include "cells.h"
#include "command.h"
#include "figure_data.h"
#include "lines.h"
#include "number_text.h"
#include "session.h"
#include "trace.h"

// --- hints
//
// The key bar: keys with a word each, from commands.def, the most useful first.

enum { HINT_KEYS_MAX = 64, HINTS_MAX = 32 };

// Priority of a hint, highest first. Hints that do not fit into the key bar are left out.
typedef enum HintUse {
    HINT_LEADS_ON,
    HINT_OPENS_FIRST, // opens the detail that is offered first
    HINT_OF_DETAIL,
    HINT_MOVES,
    HINT_OPENS, // opens another detail
    HINT_ALTERS,
} HintUse;

typedef struct Hint {
    char keys[HINT_KEYS_MAX];
    const char *label;
    HintUse use;
} Hint;

// Sorted by use; within one use, in the order they were added.
typedef struct Hints {
    Hint hints[HINTS_MAX];
    int count;
    HintUse use;  // for hints added from now on
    bool is_full; // drop further hints: nothing else can be done now
} Hints;

// The first keys of up to four commands.
typedef struct HintCommands {
    CommandKind kinds[4];
    int count;
} HintCommands;

extern const HintCommands hint_arrows; // left, up, down, right
extern const HintCommands hint_rows;   // up, down
extern const HintCommands hint_terms;  // J, K

// If `wanted`, adds the commands' keys under a label (NULL: the first command's).
void hints_add(Hints *hints, bool wanted, HintCommands commands, const char *label);

// Adds one command under its own label, or under another.
void hints_add_one(Hints *hints, bool wanted, CommandKind kind);
void hints_add_as(Hints *hints, bool wanted, CommandKind kind, const char *label);

// --- panels

typedef enum PanelKind {
#define PANEL(NAME, name) PANEL_##NAME,
#include "panels.def"
#undef PANEL
    PANEL_COUNT
} PanelKind;

typedef enum PanelStand {
    PANEL_STANDS_AWAY,
    PANEL_STANDS_BESIDE, // next to others
    PANEL_STANDS_ALONE,  // hides all later panels of the list, except a detail that fits
} PanelStand;

// The commands of the mouse wheel over a panel.
typedef struct PanelScroll {
    CommandKind back, on;
} PanelScroll;

extern const PanelScroll panel_scroll_rows;  // of the values
extern const PanelScroll panel_scroll_terms; // what J and K move

// Every function may be NULL; each comment says what that means.
typedef struct Panel {
    // Whether it is on screen. NULL: always, next to others; a detail, while it is chosen.
    PanelStand (*stands)(const Session *session);

    // Takes its area from the rest of the screen; an area without rows if there is too little. NULL: takes
    // everything that is left.
    Area (*take)(const Session *session, Area *left);

    // Draws inside `area`, which is not empty. NULL: it is always a page.
    void (*draw)(const Session *session, Area area);

    // Writes its lines, if it is a page that scrolls. Returns false if it is not one now: then `draw` draws
    // it. NULL: it never is.
    bool (*page)(const Session *session, Lines *lines);

    // Adds to what the session must know of the screen's size. The area may be empty. NULL: nothing.
    void (*room)(const Session *session, Area area, ScreenSize *room);

    // The command of a click, if any; row and column are relative to the area. NULL: none.
    bool (*hit)(const Session *session, Area area, int row, int column, Command *command);

    // NULL: scrolls the rows of the values; a page, its lines.
    const PanelScroll *scroll;

    // Adds the hints of this panel. NULL: none.
    void (*hints)(const Session *session, Hints *hints);
} Panel;

#define PANEL(NAME, name) extern const Panel panel_##name;
#include "panels.def"
#undef PANEL

const Panel *panel_get(PanelKind kind);

// Lists the panels on screen, in the order of panels.def; returns the count.
int panels_now(const Session *session, PanelKind kinds[PANEL_COUNT]);

// Hints of a page on a projector.
void panel_hints_presenting(const Session *session, Hints *hints);

// Hints of details that scroll: the keys that move them, and the one that closes them.
void panel_hints_of_page(const Session *session, Hints *hints);

// The part of an area that the values get, next to the chosen detail; an area without rows if there is
// too little for both. Without a detail, all of it.
Area panel_values_share(const Session *session, Area place);

// --- one number
//
// A number in a column of a grid, as PyTorch's print(tensor) writes it or in an exact notation. It is never
// cut to a wrong number.

typedef struct NumberLook {
    NumberNotation notation;
    NumberFormat format; // of NUMBER_PRINTED
    int width;           // columns of every number; at least 7 for float32, so that any number fits
} NumberLook;

// Reads no more elements than print() would show. The tensor must have an element.
NumberLook number_look(const Tensor *tensor, NumberNotation notation);

// The number, right-aligned to look.width. print() chooses its format from the corners of a large tensor; a
// number elsewhere that is too wide for it, or would round to a whole number, is in scientific notation.
const char *number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                        char text[NUMBER_TEXT_MAX]);

// "4 decimals, as print(tensor)"
const char *number_look_in_words(const Tensor *tensor, NumberLook look);

// --- the shade of a number
//
// A number's sign and size as the shade of its cell, in addition to its digits.

// Orange above zero, blue below, brighter towards `largest` (the largest visible absolute value); no shade
// near zero and for NaN and infinities. Text stays readable on it. With too few `colours` for backgrounds,
// large numbers get a coloured foreground.
Shade number_shade(float number, float largest, int colours);

// --- a grid of numbers
//
// The geometry of the values panel: visible rows and columns, widths, labels. Reads only the visible part of
// the tensor and the first few labels of an axis.

enum {
    VALUES_TITLE_ROWS = 2,  // the rule with the tensor's name, and the picker
    VALUES_CHOSEN_ROWS = 1, // the chosen element in full
    VALUES_ROW_LABEL_MAX = 12,
};

typedef struct ValuesGrid {
    const Tensor *tensor;
    const SessionView *view;
    Area area; // of the panel
    NumberLook look;
    TraceMarks marks;
    bool has_mark[TRACE_MARKS];       // the visible marks
    float largest;                    // the largest visible finite absolute value
    int index_columns, label_columns; // of a row's header
    int pitch;                        // columns of a number with the gap before it
    int first_row;                    // of the panel, below the headers
    bool column_labels;
    ptrdiff_t room_rows, room_columns; // numbers that would fit
    ptrdiff_t rows, columns;           // numbers shown; 0 without values
} ValuesGrid;

ValuesGrid values_grid(const Session *session, Area area);

// The length of an axis; 1 for axis -1 (none).
ptrdiff_t values_length(const Tensor *tensor, int axis);

// The index of the element at a row and column of the grid's visible part.
void values_at(const ValuesGrid *grid, ptrdiff_t row, ptrdiff_t column, ptrdiff_t at[]);

// The number of digits.
int digits_of(ptrdiff_t number);

// The panel's column where column `column` of the grid starts.
int values_column_start(const ValuesGrid *grid, ptrdiff_t column);

// The label at `index` of an axis for the chosen element, "" if it only repeats the index; the same for a
// whole row, column or slice.
const char *values_label(const Session *session, int axis, ptrdiff_t index, char text[64]);
const char *values_shared_label(const Session *session, int axis, ptrdiff_t index, char text[64]);

// --- places in storage
//
// Storage is one row of numbers, and a tensor is a way to read it. Places count elements from the start of the
// storage, as in tensor_place.

// Axis numbers; -1: none. With an axis for queries and one for keys, `token` is the queries.
typedef struct StorageAxes {
    int sequence, token, head;
    ptrdiff_t head_width; // distance between heads on the head axis
} StorageAxes;

// The sequence, token and head of a place; -1 if the storage has no such axis.
typedef struct StorageMark {
    ptrdiff_t sequence, token, head;
} StorageMark;

// The tensor that owns the storage of a tensor, which must be computed; its views come later in the trace.
int storage_owner(const Trace *trace, int tensor);

// The numbers of the storage up to the last one that the tensor reads.
ptrdiff_t storage_count(const Tensor *tensor);

// The first index under which a tensor reads a place; false if it does not.
bool storage_index(const Tensor *tensor, ptrdiff_t place, ptrdiff_t at[]);

// "0 + 0*24 + 2*2 + 1*8 + 1*1 = 13": the offset plus index times stride of each axis.
enum { STORAGE_ADDRESS_MAX = 320 };
const char *storage_address(const Tensor *tensor, const ptrdiff_t at[],
                            char text[STORAGE_ADDRESS_MAX]);

// --- marks of places
//
// The label of a place: a letter for the token, a number for the head.

enum { MEMORY_MARK_MAX = 48, MEMORY_WORDS_MAX = 160 };

// Marks of the storage of a tensor. Without tokens and heads, rows are numbered.
typedef struct MemoryMarks {
    const Trace *trace;
    int owner;
    StorageAxes axes;
    ptrdiff_t run;   // numbers with the same mark
    ptrdiff_t count; // numbers in the storage
    int columns;     // of the longest mark
    bool by_head;    // colours are for heads, not tokens
} MemoryMarks;

MemoryMarks memory_marks(const Trace *trace, int tensor, bool by_head);

// "B2", "60.2", "B", or the number of the run.
const char *memory_mark(const MemoryMarks *marks, ptrdiff_t place, char text[MEMORY_MARK_MAX]);

// One of eight colours by token or head, whichever exists.
Shade memory_shade(const MemoryMarks *marks, ptrdiff_t place);

// --- wrong reads
//
// Two mistakes with heads that keep every shape right but fill it with wrong numbers, next to the right read
// of the same storage:
//   cutting heads with view(B, H, L, d) instead of view(B, L, H, d).transpose(1, 2)
//   joining heads with view(B, L, H*d) instead of transpose(1, 2).contiguous().view(B, L, H*d)

typedef struct WrongTurn {
    bool cuts;                             // cuts heads; false: joins them
    int input;                             // the tensor whose storage both read
    Tensor right, wrong;                   // [B, H, L, d] if it cuts, [B, L, H, d] if it joins
    const char *right_torch, *wrong_torch; // without spaces; for narrow screens:
    const char *right_brief;
} WrongTurn;

// Returns false if the step is not view, transpose or concat, or is not computed.
bool wrong_turn(const Trace *trace, int step, WrongTurn *turn);

// The first index of a sequence where the two read different places; false if there is none, as with one head
// or one token.
bool wrong_turn_first(const WrongTurn *turn, ptrdiff_t sequence, ptrdiff_t at[]);

// The number of slices (along the last axis) of a sequence that the wrong read gets wrong.
ptrdiff_t wrong_turn_count(const WrongTurn *turn);

// --- the right read next to the wrong one

// Where the wrong read first differs in the sequence of the chosen place: both places, tokens and heads; and
// the number of wrong slices.
enum { MEMORY_SENTENCE_MAX = 640 };
const char *memory_turn_sentence(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen,
                                 char text[MEMORY_SENTENCE_MAX]);

// --- large digits
//
// Digits of 3 x 5 pixels for projectors, drawn in half blocks (3 rows) or with two cells per pixel (5 rows).

typedef enum BigSize { BIG_PLAIN, BIG_HALF, BIG_WHOLE } BigSize; // plain: as text

// The size of a number, without a gap after it. Skips characters that numbers do not have.
int big_number_columns(const char *text, BigSize size);
int big_number_rows(BigSize size);

// Where and how to draw.
typedef struct BigPen {
    Area area;
    Role role;
    BigSize size;
} BigPen;

// Row and column are relative to the area.
void big_number_draw(const BigPen *pen, int row, int column, const char *text);

// --- values in large digits
//
// The values of the current tensor in large digits.

// Sorted, distinct indices of an axis.
enum { BIG_AXIS_MAX = 64 };

typedef struct BigAxis {
    int count;
    ptrdiff_t at[BIG_AXIS_MAX];
} BigAxis;

bool big_axis_add(BigAxis *axis, ptrdiff_t index); // false: full

// What must be visible.
typedef struct BigNeeds {
    BigAxis rows, columns;
} BigNeeds;

// Draws the whole matrix if it fits in some size; else `needs` and as much around the chosen element as fits,
// with dots for gaps. The chosen element is underlined.
void big_values_draw(const Session *session, Area area, const BigNeeds *needs);

// True if all of `needs` is then visible, with all decimals.
bool big_values_hold(const Session *session, Area area, const BigNeeds *needs);

// True if `less` shows as many numbers as `area`, in the same size.
bool big_values_as_large(const Session *session, Area less, Area area, const BigNeeds *needs);

// Draws the chosen element's row only, wrapped. Returns false and draws nothing if it does not fit. Without
// cells it only measures.
bool big_row_draw(const Session *session, Area area);

// The chosen element only, as name and number: its rows, and drawing it.
int big_values_chosen_rows(const Session *session, Area area);
void big_values_chosen(const Session *session, Area area);

// --- how a number looks in a map
//
// A number in a map of characters: its mark, level, colour and shade.

// The visible part of a tensor: one sequence, and at most HEAT_SIDE_MAX rows and columns of a large matrix.
enum { HEAT_SIDE_MAX = 1024 };
typedef struct HeatSource {
    FigureData data;
    TraceMarks marks;
    const Session *session; // whose position limits the elements shown; NULL: all are
    ptrdiff_t sequence;
    ptrdiff_t first_row, first_column, rows, columns;
    ptrdiff_t first_head, heads; // that share a scale
    bool even;                   // colours show weight times keys
} HeatSource;

// Chooses the part around the chosen cell, for one head or all; at most about a million numbers.
void heat_part(HeatSource *source, FigureCell chosen, bool all_heads);

typedef struct HeatScale {
    float low, high;
    bool both_signs; // low is -high: blue below zero, red above; shades have a sign
    Colour table[COLOUR_LEVELS];
} HeatScale;

// The scale of the visible part: 0 to `least` or the largest number, symmetric around 0 if any is negative.
// Counts finite, unmasked numbers, and those of `more` (may be NULL), so that a number has the same colour in
// every head.
HeatScale heat_scale(const HeatSource *source, const HeatSource *more, float least);

// A finite number's colour, or its pale one for rows that the text does not ask for.
Colour heat_colour(const HeatScale *scale, float number, bool is_pale);

// A finite number's size as one of five characters, from next to nothing to full.
enum { HEAT_SHADES = 5 };
extern const char *const heat_shades[HEAT_SHADES];
const char *heat_shade(const HeatScale *scale, float number);

// --- a map of cells
//
// A matrix as a map of cells. With colours, a cell is a coloured block, and two rows share a line if there are
// too many; without, it is a shade with a sign. If cells still do not fit, a block of them shows its largest
// number.

// How a matrix fits.
typedef struct HeatFit {
    ptrdiff_t block_rows, block_columns; // 1: every number is shown
    ptrdiff_t rows, columns;             // blocks
    int cell_columns;                    // screen columns per block
    bool halves;                         // two rows of blocks share a line
    bool signs;                          // the first column of a block is for the sign
    int lines;
} HeatFit;

// `room` is for the cells only, at least 1x1; a block takes at most `most` columns.
HeatFit heat_fit(const HeatSource *source, const HeatScale *scale, Area room, int colours,
                 int most);

typedef struct HeatMap {
    const HeatSource *source;
    const HeatScale *scale;
    HeatFit fit;
    ptrdiff_t head;
    FigureCell chosen; // marked, if on this map
} HeatMap;

// Draws into the upper left of `area`; adds the marks that occur to `marks`.
void heat_map_draw(const HeatMap *map, Area area, bool marks[MATRIX_MARKS]);

#endif

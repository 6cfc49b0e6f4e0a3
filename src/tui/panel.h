// What a panel is: a part of the screen, drawn from a session. The list is panels.def; the
// descriptor of each is at the foot of its code, and nothing else knows it by its name.
#ifndef PANEL_H
#define PANEL_H

#include <stdbool.h>
#include "cells.h"
#include "command.h"
#include "lines.h"
#include "session.h"

// --- hints
//
// What the key bar says: keys with a word each, the most useful first. Keys and words come from
// commands.def.

enum { HINT_KEYS_MAX = 64, HINTS_MAX = 32 };

// How useful a hint is, the most useful first: what does not fit into the key bar is left out.
typedef enum HintUse {
    HINT_LEADS_ON,
    HINT_OPENS_FIRST, // what stands beside the values, where its key comes first
    HINT_OF_DETAIL,
    HINT_MOVES,
    HINT_OPENS, // what else can stand there
    HINT_ALTERS,
} HintUse;

typedef struct Hint {
    char keys[HINT_KEYS_MAX];
    const char *label;
    HintUse use;
} Hint;

// In the order of their use; those of one use as they were added.
typedef struct Hints {
    Hint hints[HINTS_MAX];
    int count;
    HintUse use;  // of what is added next
    bool is_full; // nothing else can be done now: further hints are dropped
} Hints;

// The first keys of up to four commands.
typedef struct HintCommands {
    CommandKind kinds[4];
    int count;
} HintCommands;

extern const HintCommands hint_arrows; // left, up, down, right
extern const HintCommands hint_rows;   // up, down
extern const HintCommands hint_terms;  // J, K

// Adds the keys under a label (NULL: the first command's own); where `wanted` is false, nothing.
void hints_add(Hints *hints, bool wanted, HintCommands commands, const char *label);

// One command under a label of its own, or under another.
void hints_add_one(Hints *hints, bool wanted, CommandKind kind);
void hints_add_as(Hints *hints, bool wanted, CommandKind kind, const char *label);

// A key that is no command's; of `keys`, separated by spaces, the first.
void hints_add_key(Hints *hints, const char *keys, const char *label);

// --- panels

typedef enum PanelKind {
#define PANEL(NAME, name) PANEL_##NAME,
#include "panels.def"
#undef PANEL
    PANEL_COUNT
} PanelKind;

typedef enum PanelStand {
    PANEL_STANDS_AWAY,
    PANEL_STANDS_BESIDE, // others stand beside it
    PANEL_STANDS_ALONE, // none of those that come after it in the list does, but a detail where it leaves room
} PanelStand;

// What the wheel does over a panel.
typedef struct PanelScroll {
    CommandKind back, on;
} PanelScroll;

extern const PanelScroll panel_scroll_rows;  // of the values
extern const PanelScroll panel_scroll_terms; // what J and K move

// NULL is allowed everywhere, and says what happens then.
typedef struct Panel {
    // Whether it is on the screen now. NULL: it always is, beside others; a detail is while it is chosen.
    PanelStand (*stands)(const Session *session);

    // Takes its place from what is left of the screen and leaves the rest; no rows where it is too small
    // for it. NULL: all that is left.
    Area (*take)(const Session *session, Area *left);

    // Draws into `area` and nowhere else; the area has rows and columns. NULL: it always is a page.
    void (*draw)(const Session *session, Area area);

    // Where it is a page of lines, which may be longer than its place: writes them. False where it
    // is none now: it is drawn, and fits itself in. NULL: it never is one.
    bool (*page)(const Session *session, Lines *lines);

    // Adds to what the session has to know of the screen's room. The area may have no rows. NULL: nothing.
    void (*room)(const Session *session, Area area, ScreenSize *room);

    // What a click asks for, if anything: row and column are counted inside the area. NULL: nothing.
    bool (*hit)(const Session *session, Area area, int row, int column, Command *command);

    // NULL: the rows of the values; of a page, its lines.
    const PanelScroll *scroll;

    // The keys that lead on while it is on the screen. NULL: none.
    void (*hints)(const Session *session, Hints *hints);

    // --- of those that stand beside the values

    bool is_wide;            // it wants to stand below the values on every screen
    int beside_from_columns; // else the columns from which it stands beside them; 0: as most do
    bool is_offered_first;   // the key bar has its key before all others, where there are numbers
} Panel;

#define PANEL(NAME, name) extern const Panel panel_##name;
#include "panels.def"
#undef PANEL

const Panel *panel_get(PanelKind kind);

// The panel of a detail; PANEL_COUNT for DETAIL_NONE.
PanelKind panel_of_detail(SessionDetail detail);

PanelStand panel_stands(PanelKind kind, const Session *session);

// Those that are on the screen now, in the order of the list; returns how many. Behind one that stands
// alone there is at most a detail.
int panels_now(const Session *session, PanelKind kinds[PANEL_COUNT]);

// Of pages on a projector.
void panel_hints_presenting(const Session *session, Hints *hints);

// Of details whose lines may be longer than their place: the keys that move them, and the one that closes.
void panel_hints_of_page(const Session *session, Hints *hints);

// How much of a place that values and the chosen detail share is the values'; no rows where it is too
// small for both. Without a detail, all of it.
Area panel_values_share(const Session *session, Area place);

#endif

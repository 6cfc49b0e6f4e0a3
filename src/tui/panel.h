// A panel is a part of the screen, drawn from a session. panels.def lists them; each is described at the
// end of its file, and nothing else refers to it by name.
#ifndef PANEL_H
#define PANEL_H

#include <stdbool.h>
#include "cells.h"
#include "command.h"
#include "lines.h"
#include "session.h"

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

// Adds the first of `keys` (separated by spaces), which belongs to no command.
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

    // --- details only

    bool is_wide;            // always below the values
    int beside_from_columns; // else next to them from this screen width on; 0: the usual
    bool is_offered_first;   // its key comes first in the key bar, if there are numbers
} Panel;

#define PANEL(NAME, name) extern const Panel panel_##name;
#include "panels.def"
#undef PANEL

const Panel *panel_get(PanelKind kind);

// The panel of a detail; PANEL_COUNT for DETAIL_NONE.
PanelKind panel_of_detail(SessionDetail detail);

PanelStand panel_stands(PanelKind kind, const Session *session);

// Lists the panels on screen, in the order of panels.def; returns the count.
int panels_now(const Session *session, PanelKind kinds[PANEL_COUNT]);

// Hints of a page on a projector.
void panel_hints_presenting(const Session *session, Hints *hints);

// Hints of details that scroll: the keys that move them, and the one that closes them.
void panel_hints_of_page(const Session *session, Hints *hints);

// The part of an area that the values get, next to the chosen detail; an area without rows if there is
// too little for both. Without a detail, all of it.
Area panel_values_share(const Session *session, Area place);

#endif

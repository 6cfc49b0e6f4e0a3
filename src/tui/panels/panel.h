// What a panel is: a part of the screen, drawn from a session. The list is panels.def; each panel_NAME.c
// has its descriptor at its foot.
#ifndef PANEL_H
#define PANEL_H

#include "cells.h"
#include "hints.h"
#include "lines.h"
#include "session.h"

typedef enum PanelKind {
#define PANEL(NAME, name) PANEL_##NAME,
#include "panels.def"
#undef PANEL
    PANEL_COUNT
} PanelKind;

// What the wheel moves.
typedef enum PanelWheel {
    WHEEL_ROWS,  // of the values
    WHEEL_TERMS, // what J and K move
    WHEEL_TEXT,  // of a lecture
} PanelWheel;

typedef struct Panel {
    // Draws into `area` and nowhere else; the area has rows and columns. NULL: it always is a page.
    void (*draw)(const Session *session, Area area);

    // What a click asks for, if anything: row and column are counted inside the area. NULL: nothing.
    bool (*hit)(const Session *session, Area area, int row, int column, Command *command);

    PanelWheel wheel;

    // --- of those that stand beside the values

    // The keys that lead on while it is shown; NULL: it has none of its own.
    void (*hints)(const Session *session, Hints *hints);

    // Where it is a page of lines, which may be longer than its place: writes them. False where it
    // is none now: it is drawn, and fits itself in. NULL: always.
    bool (*page)(const Session *session, Lines *lines);

    bool is_wide;            // it wants to stand below the values on every screen
    int beside_from_columns; // else the columns from which it stands beside them; 0: as most do
} Panel;

#define PANEL(NAME, name) extern const Panel panel_##name;
#include "panels.def"
#undef PANEL

const Panel *panel_get(PanelKind kind);
const Panel *panel_of_detail(SessionDetail detail);

// --- what the layout asks

// The columns that the pipeline would like, for every name and shape in full.
int panel_pipeline_columns(const Session *session);

// The rows that the stage panel takes at most, over all steps, when it has this many columns.
int panel_stage_rows(const Session *session, int columns);

// The rows of the message that there is now, 1 to 3.
int panel_message_rows(const Session *session, int columns);

// The rows that a lecture's page takes above the stepper, rule included, for all of its text.
int panel_lecture_rows(const Session *session, int columns);

// What a slide shows under the numbers: the question and what was said to the answer, the notes.
typedef struct Flow Flow; // flow.h
void panel_lecture_foot(const struct Guide *guide, Flow *flow);

// Where on a slide the detail goes that stands beside the values; no rows where it has no room.
Area panel_slide_detail(const Session *session, Area area);

// How many rows and columns of numbers are visible.
typedef struct Room {
    ptrdiff_t rows, columns;
} Room;

// The lines of a lecture's text: visible, and without room. Where it stands above the stepper, it has
// at most these rows.
enum { LECTURE_ROWS_ABOVE_MAX = 20 };
void panel_lecture_room(const Session *session, Area area, SessionRoom *room);

Room panel_values_room(const Session *session, Area area);
Room panel_lanes_room(const Session *session, Area area); // none where it shows no numbers
Room panel_help_room(Area area);

#endif

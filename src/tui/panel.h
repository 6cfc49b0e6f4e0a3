// What a panel is: a function from a session to a part of the screen. The list is panels.def.
#ifndef PANEL_H
#define PANEL_H

#include "cells.h"
#include "session.h"

typedef enum PanelKind {
#define PANEL(NAME, name) PANEL_##NAME,
#include "panels.def"
#undef PANEL
    PANEL_COUNT
} PanelKind;

// Draws into `area` and nowhere else. An area without rows or columns draws nothing.
typedef void PanelDraw(const Session *session, Area area, Cells *cells);

#define PANEL(NAME, name) PanelDraw panel_##name;
#include "panels.def"
#undef PANEL

// What a click into a panel asks for, if anything: row and column are counted inside its area.
typedef bool PanelHit(const Session *session, Area area, int row, int column, Command *command);

PanelHit panel_pipeline_hit, panel_stage_hit, panel_values_hit;

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

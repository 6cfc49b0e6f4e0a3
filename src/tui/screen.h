// The whole screen with all panels.
//
// After each command, the screen is fitted to the session once: panels get their places, and the session learns what
// is visible. It is drawn when no further command is waiting. Clicks refer to the last fit.
#ifndef SCREEN_H
#define SCREEN_H

#include "cells.h"
#include "display_list.h"
#include "lecture.h"
#include "panel.h"
#include "session.h"
#include "training_watch.h"

// --- layout

enum { LAYOUT_COLUMNS_MIN = 40, LAYOUT_ROWS_MIN = 12 };

// Fills areas[PANEL_...]; a panel that is not shown has no rows. Returns false and shows no panel if the screen is
// smaller than the minimum.
bool layout_areas(const Session *session, int columns, int rows, Area areas[PANEL_COUNT]);

// --- the screen

typedef struct Screen {
    int columns, rows;
    unsigned long fitted; // the session's revision at the last fit
    bool is_large_enough; // else it has no panels
    Area areas[PANEL_COUNT];
    PanelKind paged; // the panel that is a page of lines; PANEL_COUNT: none
    int page_lines;
} Screen;

// From now on the session asks this screen for its size after every command, until screen_leave. The screen must not
// move meanwhile.
void screen_join(Screen *screen, Session *session, int columns, int rows);
void screen_leave(Session *session);

// Lays out the panels if the session has changed. Call it before drawing, and without screen_join after every
// command.
void screen_fit(Screen *screen, Session *session, int columns, int rows);

// Clears the cells and draws the session as it was fitted, or a message if the screen is too small.
void screen_draw(const Screen *screen, const Session *session, Cells *cells);

// Fits and draws a screen of the size of the cells.
void screen_show(Session *session, Cells *cells);

// The command of a click; false if there is nothing to click on.
bool screen_click(const Screen *screen, const Session *session, int row, int column,
                  Command *command);

// The command of the wheel: -1 up, 1 down.
bool screen_wheel(const Screen *screen, int row, int column, int wheel, Command *command);

// --- as a picture
//
// What a terminal with all colours would show, as a display list; for slides, papers and pages.

typedef struct PictureLook {
    int columns, rows;
    int letter; // pixels of an em
    bool dark;
} PictureLook;

// Clears `list` and draws the cells into it. `letter`: pixels of an em.
void cells_picture(const Cells *cells, int letter, bool dark, DisplayList *list);

// The same for a session on a screen of that size. Returns false out of memory.
bool cells_picture_of(Session *session, PictureLook look, DisplayList *list, Error *err);

// --- the course
//
// Lectures and exercises, what is done, and where to continue.

typedef struct CourseRow {
    const char *heading; // above this row; NULL: none
    const char *title;
    const char *state;   // "read 3/12"
    const char *about;   // shown while it is chosen
    const char *goes_on; // where to continue; NULL: at its start
    bool done;           // completely
    bool passed;         // enough for the next row
    bool last;           // the last one visited
} CourseRow;

typedef struct Course {
    const CourseRow *rows;
    int count;
    int chosen;
    bool hangul, hangul_said; // a note about Hangul keys: shown until the next key; was shown
} Course;

void course_draw(const Course *course, Cells *cells);

// Shows the list in the terminal until the user chooses a row (*chosen) or leaves. Returns false and sets err without
// a terminal.
bool course_run(Course *course, bool *chosen, Error *err);

// --- one training, or two
//
// The loss, which head answers which question, and the maps of one head after some steps; of two side by side.

void train_screen_draw(const TrainingWatch *watch, Cells *cells);

#endif

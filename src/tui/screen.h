// The whole screen: every panel in its place.
//
// A screen is fitted to the session once after each command: the panels get their places, and the session
// learns what of it is visible. Then it is drawn, if no further command has come before; what is clicked
// on is what was fitted last.
#ifndef SCREEN_H
#define SCREEN_H

#include "cells.h"
#include "display_list.h"
#include "lecture.h"
#include "panel.h"
#include "session.h"
#include "training_pair.h"
#include "training_watch.h"

// --- places
//
// Which part of the screen belongs to which panel, for every size of terminal.

enum { LAYOUT_COLUMNS_MIN = 40, LAYOUT_ROWS_MIN = 12 };

// Fills areas[PANEL_...]; a panel that is not shown has no rows. False when the screen is smaller
// than the minimum: then no panel is shown.
bool layout_areas(const Session *session, int columns, int rows, Area areas[PANEL_COUNT]);

// --- the screen

typedef struct Screen {
    int columns, rows;
    unsigned long fitted; // the session's revision that it has places for
    bool is_large_enough; // else there are no panels
    Area areas[PANEL_COUNT];
    PanelKind paged; // the panel that is a page of lines; PANEL_COUNT: none is
    Lines page;
} Screen;

// From now on the session asks this screen for its room after every command, until screen_leave; the
// screen stays where it is meanwhile.
void screen_join(Screen *screen, Session *session, int columns, int rows);
void screen_leave(Session *session);

// Lays out the panels of the session as it is now, where that is not done yet. To be called before a
// screen is drawn, and without screen_join after every command.
void screen_fit(Screen *screen, Session *session, int columns, int rows);

// Clears the cells and draws the session into them, as it was fitted; a screen below the minimum says
// so in words.
void screen_draw(const Screen *screen, const Session *session, Cells *cells);

// Both, for as large a screen as the cells are.
void screen_show(Session *session, Cells *cells);

// What a click at a place asks for; false where there is nothing to click on.
bool screen_click(const Screen *screen, const Session *session, int row, int column,
                  Command *command);

// What the wheel asks for there: -1 up, 1 down.
bool screen_wheel(const Screen *screen, int row, int column, int wheel, Command *command);

// --- as a picture
//
// A screen of the terminal as a picture: what a terminal of all colours would show, as a display
// list. For slides, papers and pages.

// How a screen looks as a picture.
typedef struct PictureLook {
    int columns, rows;
    int letter; // pixels of an em
    bool dark;
} PictureLook;

// Draws the cells into `list` (cleared first). `letter`: pixels of an em.
void cells_picture(const Cells *cells, int letter, bool dark, DisplayList *list);

// Draws what the session shows on a screen of that size, fitted to it. False
// when memory ran out.
bool cells_picture_of(Session *session, PictureLook look, DisplayList *list, Error *err);

// --- the course
//
// What there is to sit through and to do, what is done, and where to go on.

typedef struct CourseRow {
    const char *heading; // above this row; NULL: none
    const char *title;
    const char *state;   // how far it is: "read 3/12"
    const char *about;   // what it is about, shown while it is chosen
    const char *goes_on; // where in it to go on; NULL: at its start
    bool done;           // all of it
    bool passed;         // as much of it as takes one to the next row
    bool last;           // where somebody was last
} CourseRow;

typedef struct Course {
    const CourseRow *rows;
    int count;
    int chosen;
    Language language;
    bool hangul, hangul_said; // that its letters are keys: is said until the next key; was said
} Course;

void course_draw(const Course *course, Cells *cells);

// Shows the list in the terminal until a row is chosen (*chosen) or the person leaves. False, with a
// sentence, when there is no terminal to draw on.
bool course_run(Course *course, bool *chosen, Error *err);

// --- one training
//
// How the loss falls, which head answers which question, and what one head looks
// at after some steps, side by side.

void train_screen_draw(const TrainingWatch *watch, Cells *cells);

// --- two trainings
//
// Beside each other: of each how its loss falls, how much is right, and what one head looks at.

void train_pair_screen_draw(const TrainingPair *pair, Cells *cells);

#endif

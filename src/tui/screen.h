// The whole screen: every panel in its place.
#ifndef SCREEN_H
#define SCREEN_H

#include "cells.h"
#include "session.h"

// Clears the cells and draws the session into them; a screen below the minimum says so in words.
void screen_draw(const Session *session, Cells *cells);

// What a click at a place on a screen of this size asks for; false where there is nothing to click on.
bool screen_click(const Session *session, int columns, int rows, int row, int column,
                  Command *command);

// What the wheel asks for there: -1 up, 1 down.
bool screen_wheel(const Session *session, int columns, int rows, int row, int column, int wheel,
                  Command *command);

// Tells the session how many rows and columns of numbers a screen of this size shows, so that
// paging and scrolling fit; a screen that is too small says nothing. To be called after every command
// and change of size.
void screen_report(Session *session, int columns, int rows);

#endif

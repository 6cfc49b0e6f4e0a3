// The whole screen: every panel in its place.
#ifndef SCREEN_H
#define SCREEN_H

#include "cells.h"
#include "session.h"

// Clears the cells and draws the session into them; a screen below the minimum says so in words.
void screen_draw(const Session *session, Cells *cells);

// Tells the session how many rows and columns of numbers a screen of this size shows, so that
// paging and scrolling fit; a screen that is too small says nothing. To be called after every command
// and change of size.
void screen_report(Session *session, int columns, int rows);

#endif

// Which part of the screen belongs to which panel, for every size of terminal.
#ifndef LAYOUT_H
#define LAYOUT_H

#include "panel.h"

enum { LAYOUT_COLUMNS_MIN = 40, LAYOUT_ROWS_MIN = 12 };

// Fills areas[PANEL_...]; a panel that is not shown has no rows. False when the screen is smaller
// than the minimum: then no panel is shown.
bool layout_areas(const Session *session, int columns, int rows, Area areas[PANEL_COUNT]);

#endif

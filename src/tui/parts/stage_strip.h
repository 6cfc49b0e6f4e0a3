// All stages in one line, in the order in which they run, with the step where we are among them: a
// lecture has no room for the list of steps. Names are cut as far as the line asks for, but for the one
// where we are; where even short names are too many, those far from it are left out.
//
//   pad › embed › posit › ▸project q › view › trans › score    4/18
#ifndef STAGE_STRIP_H
#define STAGE_STRIP_H

#include "cells.h"
#include "session.h"

// In the first row of the area.
void stage_strip(const Session *session, Area area);

#endif

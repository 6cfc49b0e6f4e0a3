// The values of the tensor looked at in big digits: for a projector.
#ifndef BIG_VALUES_H
#define BIG_VALUES_H

#include "big_number.h"
#include "session.h"

// As many rows and columns around the chosen element as the area holds, with fewer decimals where all
// columns fit only so; the chosen one is underlined.
void big_values_draw(const Session *session, Area area);

// The chosen element alone: its name, and the number; and the rows it takes.
int big_values_chosen_rows(const Session *session, Area area);
void big_values_chosen(const Session *session, Area area);

#endif

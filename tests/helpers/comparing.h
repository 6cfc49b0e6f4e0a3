// Two runs beside each other in a picture, for tests of what is drawn of both.
#ifndef COMPARING_H
#define COMPARING_H

#include "looking.h"

extern Looking pair;
extern Scenario scenario;

// Two heads of four tokens; each query sees one key too many in the other run, but the last, which sees
// all four in both.
void open_causal(void);

// One of lessons/scenarios in its place; no other run.
void open_pair(const char *name);

void close_it(void);

// Whether the picture has this text: all of one, or a part.
bool pair_says(const char *text, bool whole);

#endif

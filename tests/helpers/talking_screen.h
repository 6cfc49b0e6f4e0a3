// The screen of the session of talking.h.
#ifndef TALKING_SCREEN_H
#define TALKING_SCREEN_H

#include "screen.h"
#include "shown.h"
#include "talking.h"

extern Cells cells;
extern const char *screen; // what was drawn last, as text: see shown.h

// Draws it anew, at this size or the one it has; returns `screen`.
const char *draw(int columns, int rows);
const char *draw_again(void);

// Says the words, and draws what is there then.
void say_and_draw(const char *words);

// That the screen has them.
bool shows(const char *words);
void expect(const char *words);

// The session too.
void close_screen(void);

#endif

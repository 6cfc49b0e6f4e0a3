// The picture of a small session for tests to talk to, in the words and keys that the window and
// options stand for.
#ifndef LOOKING_H
#define LOOKING_H

#include "picture_view.h"
#include "tiny.h"

typedef struct Looking {
    Scenario scenario;
    Session session;
    PictureView view;
    Error err; // of the last words that were refused
} Looking;

// Everything is computed; looks at the attention weights of a session of that shape, with nothing
// marked. Nothing is drawn yet.
void looking_open(Looking *looking, TinyShape shape);

// The same over a scenario that is there already and stays when it is closed.
void looking_open_over(Looking *looking, const Scenario *scenario);
void looking_close(Looking *looking);

// Draws until the session and the drawing agree; the test fails when they cannot.
void looking_draw(Looking *looking);

// False, with a sentence, when the words are refused. Nothing is drawn.
bool looking_try(Looking *looking, const char *words);

// Says the words and draws; the test fails when they are refused.
void looking_say(Looking *looking, const char *words);

// What the key stands for is said; the test fails when it stands for nothing.
void looking_press(Looking *looking, const char *key);

// The pointer is at a pixel; a button goes down there; it is dragged so far with the button down; its
// wheel turns (above 0: larger cells). Draws.
void looking_point(Looking *looking, int x, int y);
void looking_click(Looking *looking, int x, int y);
void looking_drag(Looking *looking, int x, int y);
void looking_wheel(Looking *looking, int x, int y, int way);

// Another size of what is drawn on. Draws.
void looking_size(Looking *looking, int width, int height);

#endif

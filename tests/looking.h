// A heatmap of a small trace for tests to talk to, in the words that keys and options stand for.
#ifndef LOOKING_H
#define LOOKING_H

#include "heatmap.h"
#include "tiny.h"

typedef struct Looking {
    Scenario scenario;
    Trace trace;
    Heatmap heatmap;
    Error err; // of the last words that were refused
} Looking;

// Looks at the attention weights of a trace of that shape; nothing is drawn yet.
void looking_open(Looking *looking, TinyShape shape);
void looking_close(Looking *looking);

// Draws; the test fails when it cannot be.
void looking_draw(Looking *looking);

// Says the words and draws; the test fails when they are refused.
void looking_say(Looking *looking, const char *words);

// What the key stands for is said; the test fails when it stands for nothing.
void looking_press(Looking *looking, const char *key);

#endif

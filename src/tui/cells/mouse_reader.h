// What a terminal tells of its mouse becomes events, one code after the other. curses can do that, too,
// but waits for the next key, without drawing, when it was told of a button that nobody asked for.
//
// Source: "XTerm Control Sequences", section "Mouse Tracking" (modes 1000 and 1006).
#ifndef MOUSE_READER_H
#define MOUSE_READER_H

#include <stdbool.h>

// How terminals tell it; what begins each form stands in terminal.c.
typedef enum MouseForm {
    MOUSE_SILENT,
    MOUSE_DECIMAL, // 0;12;5 and M or m (pressed or released)
    MOUSE_BYTES,   // three bytes, each 32 more than its number
} MouseForm;

typedef struct MouseEvent {
    int wheel;       // -1 up, 1 down; 0: the left button was pressed
    int row, column; // from 0
} MouseEvent;

enum { MOUSE_NUMBERS = 3 }; // the button, the column and the row, these two from 1

// A zeroed MouseReader has nothing begun; whoever sees how something begins tells its form.
typedef struct MouseReader {
    MouseForm form;
    int numbers[MOUSE_NUMBERS];
    int place; // in numbers
} MouseReader;

// Takes the next code of what has begun. True when it completes a press of the left button or a turn of
// the wheel. What is complete otherwise, or is no such thing, is over without an event.
bool mouse_reader_take(MouseReader *reader, int code, MouseEvent *event);

#endif

// A line of text and a cursor in it, as they are edited with a keyboard. The cursor stands before a
// character and its combining marks, never inside; what does not fit is not taken.
#ifndef LINE_EDIT_H
#define LINE_EDIT_H

#include <stddef.h>

enum { LINE_EDIT_ROOM = 1280 }; // a formula has room in it

// A zeroed LineEdit is an empty line.
typedef struct LineEdit {
    char text[LINE_EDIT_ROOM]; // UTF-8
    size_t cursor;             // in bytes
} LineEdit;

// The text, as much of it as fits, with the cursor at its end.
void line_edit_set(LineEdit *line, const char *text);

// Puts text before the cursor: all of it or, without room, nothing.
void line_edit_insert(LineEdit *line, const char *text);

void line_edit_left(LineEdit *line);
void line_edit_right(LineEdit *line);
void line_edit_start(LineEdit *line);
void line_edit_end(LineEdit *line);

// Take away: the character before the cursor, the one after it; the word before it, with the spaces
// between; all before it; all after it.
void line_edit_erase(LineEdit *line);
void line_edit_erase_after(LineEdit *line);
void line_edit_erase_word(LineEdit *line);
void line_edit_erase_to_start(LineEdit *line);
void line_edit_erase_to_end(LineEdit *line);

#endif

// An editable line of text with a cursor. The cursor is always before a character and its combining marks,
// never between them. Text that does not fit is rejected.
#ifndef LINE_EDIT_H
#define LINE_EDIT_H

#include <stddef.h>

// --- a line

enum { LINE_EDIT_ROOM = 1280 }; // long enough for a formula

// A zeroed LineEdit is an empty line.
typedef struct LineEdit {
    char text[LINE_EDIT_ROOM]; // UTF-8
    size_t cursor;             // in bytes
} LineEdit;

// Sets the text, cut if too long, with the cursor at its end.
void line_edit_set(LineEdit *line, const char *text);

// Inserts text before the cursor: all of it, or nothing if it does not fit.
void line_edit_insert(LineEdit *line, const char *text);

void line_edit_left(LineEdit *line);
void line_edit_right(LineEdit *line);
void line_edit_start(LineEdit *line);
void line_edit_end(LineEdit *line);

// Delete the character before or after the cursor; the word before it, with the spaces between; everything
// before it; everything after it.
void line_edit_erase(LineEdit *line);
void line_edit_erase_after(LineEdit *line);
void line_edit_erase_word(LineEdit *line);
void line_edit_erase_to_start(LineEdit *line);
void line_edit_erase_to_end(LineEdit *line);

// --- lines typed before
//
// Typed lines, the oldest first, without duplicates. A zeroed History is empty.

enum { HISTORY_MAX = 200 };

typedef struct History {
    int count;
    char lines[HISTORY_MAX][LINE_EDIT_ROOM];
} History;

// Appends a line. Removes an earlier copy of it, and the oldest line if there are too many. Ignores an empty
// line and one longer than LINE_EDIT_ROOM - 1 bytes.
void history_add(History *history, const char *line);

// The line `back` from the end, 1 for the newest; NULL if there is none.
const char *history_line(const History *history, int back);

#endif

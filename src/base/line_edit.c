// A line editor and its history; see line_edit.h.
#include "line_edit.h"

#include <string.h>
#include "utf8.h"

// --- history

static void take_away(History *history, int number)
{
    memmove(history->lines[number], history->lines[number + 1],
            (size_t)(history->count - number - 1) * LINE_EDIT_ROOM);
    history->count--;
}

void history_add(History *history, const char *line)
{
    size_t length = strlen(line);
    if (length == 0 || length >= LINE_EDIT_ROOM)
        return;
    for (int i = history->count - 1; i >= 0; i--)
        if (strcmp(history->lines[i], line) == 0)
            take_away(history, i);
    if (history->count == HISTORY_MAX)
        take_away(history, 0);
    memcpy(history->lines[history->count++], line, length + 1);
}

const char *history_line(const History *history, int back)
{
    return back >= 1 && back <= history->count ? history->lines[history->count - back] : NULL;
}

// --- the line

// The end of the character at `at`, with its combining marks.
static size_t end_of(const char *text, size_t at)
{
    uint32_t character;
    size_t bytes = utf8_next(text + at, &character);
    do {
        at += bytes;
        bytes = utf8_next(text + at, &character);
    } while (bytes > 0 && utf8_character_width(character) == 0);
    return at;
}

// The start of the character before `at`; 0 at the line's start.
static size_t start_before(const char *text, size_t at)
{
    size_t start = 0;
    for (size_t end; start < at && (end = end_of(text, start)) < at;)
        start = end;
    return start;
}

static void erase(LineEdit *line, size_t start, size_t end)
{
    memmove(line->text + start, line->text + end, strlen(line->text + end) + 1);
    line->cursor = start;
}

void line_edit_set(LineEdit *line, const char *text)
{
    size_t length = 0;
    uint32_t character;
    for (size_t bytes; (bytes = utf8_next(text + length, &character)) > 0; length += bytes)
        if (length + bytes >= LINE_EDIT_ROOM)
            break;
    *line = (LineEdit){.cursor = length};
    memcpy(line->text, text, length);
}

void line_edit_insert(LineEdit *line, const char *text)
{
    size_t length = strlen(text), rest = strlen(line->text + line->cursor);
    char *place = line->text + line->cursor;
    if (line->cursor + rest + length >= LINE_EDIT_ROOM)
        return;
    memmove(place + length, place, rest + 1);
    memcpy(place, text, length);
    line->cursor += length;
}

void line_edit_left(LineEdit *line)
{
    line->cursor = start_before(line->text, line->cursor);
}

void line_edit_right(LineEdit *line)
{
    line->cursor = end_of(line->text, line->cursor);
}

void line_edit_start(LineEdit *line)
{
    line->cursor = 0;
}

void line_edit_end(LineEdit *line)
{
    line->cursor = strlen(line->text);
}

void line_edit_erase(LineEdit *line)
{
    erase(line, start_before(line->text, line->cursor), line->cursor);
}

void line_edit_erase_after(LineEdit *line)
{
    erase(line, line->cursor, end_of(line->text, line->cursor));
}

void line_edit_erase_word(LineEdit *line)
{
    size_t start = line->cursor;
    while (start > 0 && line->text[start - 1] == ' ')
        start--;
    while (start > 0 && line->text[start - 1] != ' ')
        start--;
    erase(line, start, line->cursor);
}

void line_edit_erase_to_start(LineEdit *line)
{
    erase(line, 0, line->cursor);
}

void line_edit_erase_to_end(LineEdit *line)
{
    line->text[line->cursor] = '\0';
}

// lines: see lines.h.
#include "lines.h"

#include <stdarg.h>
#include <string.h>
#include "josa.h"

void lines_begin(Lines *lines, int columns)
{
    lines->columns = columns;
    lines->count = 0;
    lines->used = 0;
    memset(&lines->lines[0], 0, sizeof lines->lines[0]);
}

static void add(Lines *lines, LinePiece piece, const char *text)
{
    size_t length = strlen(text);
    Line *line = &lines->lines[lines->count];
    if (lines->count == LINES_COUNT_MAX || line->count == LINE_PIECES_MAX ||
        lines->used + length >= LINES_BYTES_MAX)
        return;
    piece.text = lines->used;
    memcpy(lines->bytes + lines->used, text, length + 1);
    lines->used += length + 1;
    line->pieces[line->count++] = piece;
}

void lines_fill(Lines *lines, Role role, const char *character)
{
    if (lines->count == LINES_COUNT_MAX)
        return;
    lines->lines[lines->count].fill = character;
    lines->lines[lines->count].fill_role = role;
}

void lines_text(Lines *lines, int column, Role role, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    josa_settle(text);
    add(lines, (LinePiece){.role = role, .column = column}, text);
}

void lines_text_right(Lines *lines, int end, Role role, const char *text)
{
    add(lines, (LinePiece){.role = role, .column = end, .ends_there = true}, text);
}

void lines_next(Lines *lines)
{
    if (lines->count == LINES_COUNT_MAX)
        return;
    lines->count++;
    if (lines->count < LINES_COUNT_MAX)
        memset(&lines->lines[lines->count], 0, sizeof lines->lines[0]);
}

void lines_paragraph(Lines *lines, int rows, Role role, const char *text)
{
    for (int row = 1; *text && row <= rows; row++) {
        size_t bytes = row == rows ? strlen(text) : cells_line_bytes(text, lines->columns);
        lines_text(lines, 0, role, "%.*s", (int)bytes, text);
        lines_next(lines);
        text += bytes + strspn(text + bytes, " ");
    }
}

static void draw_line(const Lines *lines, const Line *line, int row, Area area)
{
    if (line->fill)
        cells_fill(area, row, 0, area.columns, line->fill_role, line->fill);
    for (int i = 0; i < line->count; i++) {
        const LinePiece *piece = &line->pieces[i];
        const char *text = lines->bytes + piece->text;
        if (piece->ends_there)
            cells_text_right(area, row, piece->column, piece->role, text);
        else
            cells_text(area, row, piece->column, piece->role, text);
    }
}

void lines_draw(const Lines *lines, int first, Area area)
{
    for (int row = 0; row < area.rows && first + row < lines->count; row++)
        draw_line(lines, &lines->lines[first + row], row, area);
}

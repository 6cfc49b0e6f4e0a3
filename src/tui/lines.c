// Text in lines: columns of a panel, a lecture's spans, and a text on the whole screen; see lines.h.
#include "lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "words.h"
#include "utf8.h"

// --- lines in columns

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

static void lines_draw_line(const Lines *lines, const Line *line, int row, Area area)
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
        lines_draw_line(lines, &lines->lines[first + row], row, area);
}

// --- a lecture's text

enum {
    CODE_INDENT_MAX = 12,
    PIECE_BYTES_MAX = 1024,
};

static const Role roles[] = {
    [SPAN_TEXT] = ROLE_TEXT,  [SPAN_EMPHASIS] = ROLE_HEADING,  [SPAN_STRONG] = ROLE_HEADING,
    [SPAN_CODE] = ROLE_KEY,   [SPAN_REFERENCE] = ROLE_CURRENT, [SPAN_LABEL] = ROLE_HEADING,
    [SPAN_NOTE] = ROLE_QUIET,
};

// A place between two characters of the spans.
typedef struct Place {
    const LectureSpan *span; // NULL: the end
    size_t at;
} Place;

// The character at a place, 0 at the end; *place moves behind it.
static uint32_t take(Place *place)
{
    uint32_t character = 0;
    while (place->span) {
        size_t bytes = utf8_next(place->span->text + place->at, &character);
        place->at += bytes;
        if (bytes > 0)
            return character;
        *place = (Place){place->span->next, 0};
    }
    return 0;
}

static bool is_wide(uint32_t character)
{
    return character && utf8_character_width(character) == 2;
}

// Where a line that starts at `start` ends.
static Place line_end(Place start, int columns)
{
    Place place = start, word = start, syllable = start;
    int width = 0, word_width = -1, syllable_width = -1;
    uint32_t before = 0;
    for (;;) {
        Place here = place;
        uint32_t character = take(&place);
        if (!character)
            return here;
        if (character == ' ' && before != ' ' && width > 0) {
            word = here;
            word_width = width;
        } else if (is_wide(before) && is_wide(character)) {
            syllable = here;
            syllable_width = width;
        }
        width += utf8_character_width(character);
        if (width > columns && character != ' ') {
            bool parts = syllable_width > word_width && word_width < columns / 2;
            return parts ? syllable : word_width > 0 ? word : width > columns + 1 ? place : here;
        }
        before = character;
    }
}

static void draw_part(Flow *flow, int *column, const LectureSpan *span, size_t from, size_t to)
{
    char text[PIECE_BYTES_MAX];
    int row = flow->line - flow->skip;
    snprintf(text, sizeof text, "%.*s", (int)(to - from), span->text + from);
    if (flow->area.cells && row >= 0 && row < flow->area.rows)
        cells_text(flow->area, row, *column, roles[span->kind], text);
    *column += utf8_width(text);
}

static void draw_between(Flow *flow, int column, Place start, Place end)
{
    while (start.span && start.span != end.span) {
        draw_part(flow, &column, start.span, start.at, strlen(start.span->text));
        start = (Place){start.span->next, 0};
    }
    if (start.span)
        draw_part(flow, &column, start.span, start.at, end.at);
}

static Place after_spaces(Place place)
{
    Place next = place;
    while (take(&next) == ' ')
        place = next;
    return place;
}

void flow_spans(Flow *flow, int column, int indent, const LectureSpan *spans)
{
    Place start = {spans, 0};
    do {
        int columns = flow->area.columns - column;
        Place end = line_end(start, columns < 2 ? 2 : columns);
        draw_between(flow, column, start, end);
        flow->line++;
        start = after_spaces(end);
        Place next = start;
        if (!take(&next))
            return;
        column = indent;
    } while (start.span);
}

// A line that is too long goes on further to the right.
static void flow_code(Flow *flow, const char *text)
{
    while (*text) {
        char line[PIECE_BYTES_MAX];
        size_t length = strcspn(text, "\n"), indent = strspn(text, " ");
        indent = indent < length ? indent : length;
        snprintf(line, sizeof line, "%.*s", (int)(length - indent), text + indent);
        LectureSpan span = {.kind = SPAN_CODE, .text = line};
        int column = 2 + (int)(indent < CODE_INDENT_MAX ? indent : CODE_INDENT_MAX);
        flow_spans(flow, column, column + 2, &span);
        text += length + (text[length] == '\n');
    }
}

void flow_block(Flow *flow, const LectureBlock *block, bool apart)
{
    LectureSpan dot = {.kind = SPAN_TEXT, .text = "\u2022 ", .next = block->spans};
    if (apart)
        flow->line++;
    if (block->kind == BLOCK_CODE)
        flow_code(flow, block->spans ? block->spans->text : "");
    else if (block->kind == BLOCK_ITEM)
        flow_spans(flow, 0, 2, &dot);
    else
        flow_spans(flow, 0, 0, block->spans);
}

// --- a text on the whole screen

enum { FIRST_ROW = 2, BOTTOM_ROWS = 3, LINE_BYTES_MAX = 2048 };

int text_page_rows(const Cells *cells)
{
    int rows = cells->rows - FIRST_ROW - BOTTOM_ROWS;
    return rows > 0 ? rows : 0;
}

static Role role_of(const char *line)
{
    const char *mark = line + strspn(line, " ");
    if (strncmp(mark, "\u2717", 3) == 0)
        return ROLE_ALARM;
    return strncmp(mark, "\u2713", 3) == 0 ? ROLE_HEADING : ROLE_TEXT;
}

// How many bytes of the line fit into the columns: up to a space where there is one.
static size_t fitting(const char *line, int columns)
{
    size_t length = 0, space = 0, used;
    uint32_t character;
    for (int width = 0; (used = utf8_next(line + length, &character)) > 0; length += used) {
        width += utf8_character_width(character);
        if (width > columns)
            return space > 0 ? space : length > 0 ? length : used;
        if (character == ' ')
            space = length + 1;
    }
    return length;
}

// Draws a line of the text from row `row` on (those outside of the area are not seen) and returns the
// rows it takes.
static int page_draw_line(Area area, int row, char *line)
{
    Role role = role_of(line);
    int rows = 0;
    do {
        size_t length = fitting(line, area.columns);
        char kept = line[length];
        line[length] = '\0';
        cells_text(area, row + rows++, 0, role, line);
        line[length] = kept;
        line += length;
    } while (*line);
    return rows;
}

// Draws all lines and returns how many rows there are of them.
static int draw_lines(const TextPage *page, Area area)
{
    int row = 0;
    for (const char *text = page->text; *text;) {
        char line[LINE_BYTES_MAX];
        size_t length = strcspn(text, "\n"),
               taken = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, text, taken);
        line[taken] = '\0';
        row += page_draw_line(area, row - page->skip, line);
        text += length + (text[length] == '\n');
    }
    return row;
}

void text_page_draw(TextPage *page, Cells *cells)
{
    Area area = cells_area(cells);
    Area text = area_part(area, FIRST_ROW, 1, text_page_rows(cells),
                          area.columns > 2 ? area.columns - 2 : 0);
    Area nowhere = area_part(text, 0, 0, 0, text.columns);
    cells_clear(cells);
    int most = text.columns > 0 ? draw_lines(page, nowhere) - text.rows : 0;
    page->skip = page->skip > most ? most : page->skip;
    page->skip = page->skip < 0 ? 0 : page->skip;
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    cells_text(area, 0, 1, ROLE_TITLE, page->title);
    if (text.columns > 0)
        draw_lines(page, text);
    cells_fill(area, area.rows - 2, 0, area.columns, ROLE_RULE, "\u2500");
    cells_text(area, area.rows - 1, 1, ROLE_KEY, page->keys);
    if (*page->status)
        cells_format(area, area.rows - 2, 2, ROLE_QUIET, " %s ", page->status);
    if (page->skip < most)
        cells_text_right(area, area.rows - 2, area.columns - 1, ROLE_KEY, " \u2193 ");
}

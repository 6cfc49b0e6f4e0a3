// Text in lines: columns of a panel, spans of a lecture, text on the whole screen, and words in large letters; see
// lines.h.
#include "lines.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "utf8.h"
#include "words.h"

// --- lines in columns

void lines_fill(const Lines *lines, Role role, const char *character)
{
    cells_fill(lines->area, lines->count - lines->first, 0, lines->area.columns, role, character);
}

__attribute__((format(printf, 4, 0))) static void
put_formatted(const Lines *lines, int column, Role role, const char *format, va_list arguments)
{
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    josa_settle(text);
    cells_text(lines->area, lines->count - lines->first, column, role, text);
}

void lines_text(const Lines *lines, int column, Role role, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_formatted(lines, column, role, format, arguments);
    va_end(arguments);
}

void lines_line(Lines *lines, int column, Role role, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_formatted(lines, column, role, format, arguments);
    va_end(arguments);
    lines->count++;
}

void lines_text_right(const Lines *lines, int end, Role role, const char *text)
{
    cells_text_right(lines->area, lines->count - lines->first, end, role, text);
}

void lines_paragraph(Lines *lines, int rows, Role role, const char *text)
{
    lines->count += cells_paragraph(lines->area, lines->count - lines->first, rows, 0, role, text);
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

// Takes the character at a place and moves past it; 0 at the end.
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

// The end of a line that starts at `start`.
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

// Wraps long lines of code with more indent.
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

// Draws all lines; returns the rows they take, including those outside the area.
static int draw_lines(const TextPage *page, Area area)
{
    int row = 0;
    for (const char *text = page->text; *text;) {
        char line[LINE_BYTES_MAX];
        int length = (int)strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", length, text);
        int rows = cells_paragraph(area, row - page->skip, INT_MAX, 0, role_of(line), line);
        row += rows > 0 ? rows : 1; // an empty line
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

// --- words in letters of half blocks

enum {
    LATIN_PIXELS = 9, // seven above the line letters stand on, two below
    LATIN_ROWS = 5,
    SYLLABLE_WIDE = 13,
    SYLLABLE_HIGH = 14,
    NARROW_COLUMNS = 8, // of a syllable whose pixels are half a column wide
    HANGUL_ROWS = 7,
    BLANK_WIDE = 3,
    ACCENT_DOWN = 4, // lowers Latin letters next to Hangul
    HANGUL_FIRST = 0xac00,
    HANGUL_LAST = 0xd7a3,
    VOWELS = 21,
    FINALS = 28,
};

// A letter in pixels: bit x of a row is pixel x. A column has two pixels; letters of whole columns set both.
typedef struct Pixels {
    int columns; // with the free one after it
    uint32_t rows[SYLLABLE_HIGH];
} Pixels;

static uint32_t doubled(uint32_t row)
{
    uint32_t wide = 0;
    for (int x = 0; x < 16; x++)
        wide |= (row >> x & 1) * 3u << 2 * x;
    return wide;
}

// --- Latin letters

typedef struct LatinLetter {
    char letter;
    unsigned char wide, rows[LATIN_PIXELS];
} LatinLetter;

// clang-format off
static const LatinLetter latin[] = {
    {'A', 4, {0x06, 0x09, 0x09, 0x0f, 0x09, 0x09, 0x09, 0x00, 0x00}},
    {'B', 4, {0x07, 0x09, 0x09, 0x07, 0x09, 0x09, 0x07, 0x00, 0x00}},
    {'C', 4, {0x0e, 0x01, 0x01, 0x01, 0x01, 0x01, 0x0e, 0x00, 0x00}},
    {'D', 4, {0x07, 0x09, 0x09, 0x09, 0x09, 0x09, 0x07, 0x00, 0x00}},
    {'E', 4, {0x0f, 0x01, 0x01, 0x07, 0x01, 0x01, 0x0f, 0x00, 0x00}},
    {'F', 4, {0x0f, 0x01, 0x01, 0x07, 0x01, 0x01, 0x01, 0x00, 0x00}},
    {'G', 4, {0x0e, 0x01, 0x01, 0x0d, 0x09, 0x09, 0x0e, 0x00, 0x00}},
    {'H', 4, {0x09, 0x09, 0x09, 0x0f, 0x09, 0x09, 0x09, 0x00, 0x00}},
    {'I', 3, {0x07, 0x02, 0x02, 0x02, 0x02, 0x02, 0x07, 0x00, 0x00}},
    {'J', 4, {0x0c, 0x08, 0x08, 0x08, 0x08, 0x09, 0x06, 0x00, 0x00}},
    {'K', 4, {0x09, 0x09, 0x05, 0x03, 0x05, 0x09, 0x09, 0x00, 0x00}},
    {'L', 4, {0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x0f, 0x00, 0x00}},
    {'M', 5, {0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11, 0x00, 0x00}},
    {'N', 4, {0x09, 0x0b, 0x0b, 0x0d, 0x0d, 0x09, 0x09, 0x00, 0x00}},
    {'O', 4, {0x06, 0x09, 0x09, 0x09, 0x09, 0x09, 0x06, 0x00, 0x00}},
    {'P', 4, {0x07, 0x09, 0x09, 0x07, 0x01, 0x01, 0x01, 0x00, 0x00}},
    {'Q', 4, {0x06, 0x09, 0x09, 0x09, 0x09, 0x05, 0x0a, 0x00, 0x00}},
    {'R', 4, {0x07, 0x09, 0x09, 0x07, 0x05, 0x09, 0x09, 0x00, 0x00}},
    {'S', 4, {0x0e, 0x01, 0x01, 0x06, 0x08, 0x08, 0x07, 0x00, 0x00}},
    {'T', 5, {0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x00, 0x00}},
    {'U', 4, {0x09, 0x09, 0x09, 0x09, 0x09, 0x09, 0x06, 0x00, 0x00}},
    {'V', 5, {0x11, 0x11, 0x11, 0x11, 0x0a, 0x0a, 0x04, 0x00, 0x00}},
    {'W', 5, {0x11, 0x11, 0x11, 0x15, 0x15, 0x1b, 0x11, 0x00, 0x00}},
    {'X', 5, {0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11, 0x00, 0x00}},
    {'Y', 5, {0x11, 0x11, 0x0a, 0x04, 0x04, 0x04, 0x04, 0x00, 0x00}},
    {'Z', 5, {0x1f, 0x10, 0x08, 0x04, 0x02, 0x01, 0x1f, 0x00, 0x00}},
    {'a', 4, {0x00, 0x00, 0x06, 0x08, 0x0e, 0x09, 0x0e, 0x00, 0x00}},
    {'b', 4, {0x01, 0x01, 0x07, 0x09, 0x09, 0x09, 0x07, 0x00, 0x00}},
    {'c', 3, {0x00, 0x00, 0x06, 0x01, 0x01, 0x01, 0x06, 0x00, 0x00}},
    {'d', 4, {0x08, 0x08, 0x0e, 0x09, 0x09, 0x09, 0x0e, 0x00, 0x00}},
    {'e', 4, {0x00, 0x00, 0x06, 0x09, 0x0f, 0x01, 0x0e, 0x00, 0x00}},
    {'f', 3, {0x06, 0x01, 0x07, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00}},
    {'g', 4, {0x00, 0x00, 0x0e, 0x09, 0x09, 0x0e, 0x08, 0x08, 0x06}},
    {'h', 4, {0x01, 0x01, 0x07, 0x09, 0x09, 0x09, 0x09, 0x00, 0x00}},
    {'i', 1, {0x01, 0x00, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00}},
    {'j', 2, {0x02, 0x00, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x01}},
    {'k', 4, {0x01, 0x01, 0x09, 0x05, 0x03, 0x05, 0x09, 0x00, 0x00}},
    {'l', 2, {0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x02, 0x00, 0x00}},
    {'m', 5, {0x00, 0x00, 0x0b, 0x15, 0x15, 0x15, 0x15, 0x00, 0x00}},
    {'n', 4, {0x00, 0x00, 0x07, 0x09, 0x09, 0x09, 0x09, 0x00, 0x00}},
    {'o', 4, {0x00, 0x00, 0x06, 0x09, 0x09, 0x09, 0x06, 0x00, 0x00}},
    {'p', 4, {0x00, 0x00, 0x07, 0x09, 0x09, 0x09, 0x07, 0x01, 0x01}},
    {'q', 4, {0x00, 0x00, 0x0e, 0x09, 0x09, 0x09, 0x0e, 0x08, 0x08}},
    {'r', 3, {0x00, 0x00, 0x05, 0x03, 0x01, 0x01, 0x01, 0x00, 0x00}},
    {'s', 4, {0x00, 0x00, 0x0e, 0x01, 0x06, 0x08, 0x07, 0x00, 0x00}},
    {'t', 3, {0x02, 0x02, 0x07, 0x02, 0x02, 0x02, 0x06, 0x00, 0x00}},
    {'u', 4, {0x00, 0x00, 0x09, 0x09, 0x09, 0x09, 0x0e, 0x00, 0x00}},
    {'v', 5, {0x00, 0x00, 0x11, 0x11, 0x0a, 0x0a, 0x04, 0x00, 0x00}},
    {'w', 5, {0x00, 0x00, 0x11, 0x15, 0x15, 0x15, 0x0a, 0x00, 0x00}},
    {'x', 4, {0x00, 0x00, 0x09, 0x09, 0x06, 0x09, 0x09, 0x00, 0x00}},
    {'y', 4, {0x00, 0x00, 0x09, 0x09, 0x09, 0x0e, 0x08, 0x08, 0x06}},
    {'z', 4, {0x00, 0x00, 0x0f, 0x08, 0x06, 0x01, 0x0f, 0x00, 0x00}},
    {'0', 4, {0x06, 0x09, 0x0d, 0x0b, 0x09, 0x09, 0x06, 0x00, 0x00}},
    {'1', 3, {0x02, 0x03, 0x02, 0x02, 0x02, 0x02, 0x07, 0x00, 0x00}},
    {'2', 4, {0x06, 0x09, 0x08, 0x04, 0x02, 0x01, 0x0f, 0x00, 0x00}},
    {'3', 4, {0x07, 0x08, 0x08, 0x06, 0x08, 0x08, 0x07, 0x00, 0x00}},
    {'4', 4, {0x09, 0x09, 0x09, 0x0f, 0x08, 0x08, 0x08, 0x00, 0x00}},
    {'5', 4, {0x0f, 0x01, 0x07, 0x08, 0x08, 0x08, 0x07, 0x00, 0x00}},
    {'6', 4, {0x06, 0x01, 0x07, 0x09, 0x09, 0x09, 0x06, 0x00, 0x00}},
    {'7', 4, {0x0f, 0x08, 0x08, 0x04, 0x04, 0x02, 0x02, 0x00, 0x00}},
    {'8', 4, {0x06, 0x09, 0x09, 0x06, 0x09, 0x09, 0x06, 0x00, 0x00}},
    {'9', 4, {0x06, 0x09, 0x09, 0x0e, 0x08, 0x08, 0x06, 0x00, 0x00}},
    {'.', 1, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00}},
    {',', 2, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x01}},
    {':', 1, {0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00}},
    {';', 2, {0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x02, 0x01}},
    {'?', 4, {0x07, 0x08, 0x08, 0x06, 0x02, 0x00, 0x02, 0x00, 0x00}},
    {'!', 1, {0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x01, 0x00, 0x00}},
    {'\'', 1, {0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {'"', 3, {0x05, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {'(', 2, {0x02, 0x01, 0x01, 0x01, 0x01, 0x01, 0x02, 0x00, 0x00}},
    {')', 2, {0x01, 0x02, 0x02, 0x02, 0x02, 0x02, 0x01, 0x00, 0x00}},
    {'-', 3, {0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {'+', 3, {0x00, 0x00, 0x02, 0x07, 0x02, 0x00, 0x00, 0x00, 0x00}},
    {'=', 3, {0x00, 0x00, 0x07, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00}},
    {'/', 3, {0x04, 0x04, 0x02, 0x02, 0x02, 0x01, 0x01, 0x00, 0x00}},
    {'_', 4, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0f, 0x00, 0x00}},
    {'*', 3, {0x00, 0x05, 0x02, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {'@', 4, {0x06, 0x09, 0x0d, 0x0d, 0x01, 0x01, 0x0e, 0x00, 0x00}},
    {'%', 4, {0x09, 0x08, 0x04, 0x04, 0x02, 0x01, 0x09, 0x00, 0x00}},
    {'<', 3, {0x00, 0x04, 0x02, 0x01, 0x02, 0x04, 0x00, 0x00, 0x00}},
    {'>', 3, {0x00, 0x01, 0x02, 0x04, 0x02, 0x01, 0x00, 0x00, 0x00}},
    {'[', 2, {0x03, 0x01, 0x01, 0x01, 0x01, 0x01, 0x03, 0x00, 0x00}},
    {']', 2, {0x03, 0x02, 0x02, 0x02, 0x02, 0x02, 0x03, 0x00, 0x00}},
};
// clang-format on

static bool latin_pixels(uint32_t character, int down, Pixels *pixels)
{
    for (size_t i = 0; i < sizeof latin / sizeof *latin; i++) {
        if ((uint32_t)latin[i].letter != character)
            continue;
        *pixels = (Pixels){.columns = latin[i].wide + 1};
        for (int row = 0; row < LATIN_PIXELS; row++)
            pixels->rows[row + down] = doubled(latin[i].rows[row]);
        return true;
    }
    return false;
}

// --- Hangul
//
// A letter consists of strokes between points of a square of 5 x 5: "0040" goes from the upper left corner to the
// upper right.

typedef struct Box {
    int x, y, wide, high;
} Box;

// The consonants that make up initials and finals.
static const struct {
    char name;
    const char *strokes;
} consonants[] = {
    {'g', "0040 4044"},           {'n', "0004 0444"},
    {'d', "0040 0004 0444"},      {'r', "0040 4042 0242 0204 0444"},
    {'m', "0040 4044 0444 0004"}, {'b', "0004 4044 0242 0444"},
    {'s', "2004 2044"},           {'o', "1030 3041 4143 4334 3414 1403 0301 0110"},
    {'j', "0040 2004 2044"},      {'c', "2020 0141 2104 2144"},
    {'k', "0040 4044 0242"},      {'t', "0040 0242 0004 0444"},
    {'p', "0040 1014 3034 0444"}, {'h', "1030 0141 1232 3243 4334 3414 1403 0312"},
};

static const char *const initials[] = {"g",  "gg", "n", "d",  "dd", "r", "m", "b", "bb", "s",
                                       "ss", "o",  "j", "jj", "c",  "k", "t", "p", "h"};

static const char *const finals[FINALS] = {
    "",   "g",  "gg", "gs", "n",  "nj", "nh", "d", "r", "rg", "rm", "rb", "rs", "rt",
    "rp", "rh", "m",  "b",  "bs", "s",  "ss", "o", "j", "c",  "k",  "t",  "p",  "h"};

// The strokes below the initial and right of it; NULL: none.
static const struct {
    const char *below, *right;
} vowels[VOWELS] = {
    {NULL, "1014 1242"},
    {NULL, "0004 0222 3034"},
    {NULL, "1014 1141 1343"},
    {NULL, "0004 0131 0333 4044"},
    {NULL, "3034 0232"},
    {NULL, "2024 0222 4044"},
    {NULL, "3034 0131 0333"},
    {NULL, "2024 0121 0323 4044"},
    {"0444 2024", NULL},
    {"0444 2024", "1014 1242"},
    {"0444 2024", "0004 0222 3034"},
    {"0444 2024", "3034"},
    {"0444 1014 3034", NULL},
    {"0040 2024", NULL},
    {"0040 2024", "3034 0232"},
    {"0040 2024", "2024 0222 4044"},
    {"0040 2024", "3034"},
    {"0040 1014 3034", NULL},
    {"0242", NULL},
    {"0242", "3034"},
    {NULL, "2024"},
};

// Maps a coordinate of the square to pixels, rounded.
static int scaled(char digit, int pixels)
{
    return ((digit - '0') * (pixels - 1) * 2 + 4) / 8;
}

static void draw_stroke(const char stroke[4], Box box, Pixels *pixels)
{
    int x = scaled(stroke[0], box.wide), y = scaled(stroke[1], box.high);
    int right = scaled(stroke[2], box.wide) - x, down = scaled(stroke[3], box.high) - y;
    int wide = right < 0 ? -right : right, high = down < 0 ? -down : down;
    int steps = wide > high ? wide : high;
    for (int i = 0; i <= steps; i++) {
        int across = steps ? (2 * right * i + (right < 0 ? -steps : steps)) / (2 * steps) : 0;
        int along = steps ? (2 * down * i + steps) / (2 * steps) : 0;
        pixels->rows[box.y + y + along] |= 1u << (box.x + x + across);
    }
}

static void draw_strokes(const char *strokes, Box box, Pixels *pixels)
{
    for (; strokes && *strokes; strokes += strokes[4] ? 5 : 4)
        draw_stroke(strokes, box, pixels);
}

// One consonant, or two that share the box.
static void draw_consonants(const char *names, Box box, Pixels *pixels)
{
    int count = (int)strlen(names), gap = count > 1;
    box.wide = count > 1 ? (box.wide - gap) / 2 : box.wide;
    for (int i = 0; i < count; i++, box.x += box.wide + gap)
        for (size_t c = 0; c < sizeof consonants / sizeof *consonants; c++)
            if (consonants[c].name == names[i])
                draw_strokes(consonants[c].strokes, box, pixels);
}

// Doubles the thickness of upright strokes if that leaves a pixel free before the next.
static uint32_t thickened(uint32_t row)
{
    return row | (row << 1 & ~(row >> 1));
}

// Boxes leave a column or a row free between letters.
static void syllable_pixels(uint32_t character, bool is_narrow, Pixels *pixels)
{
    uint32_t code = character - HANGUL_FIRST;
    const char *initial = initials[code / FINALS / VOWELS], *final = finals[code % FINALS];
    const char *below = vowels[code / FINALS % VOWELS].below;
    const char *right = vowels[code / FINALS % VOWELS].right;
    int high = *final ? 8 : 13, foot = *final ? 2 : 5; // of all above the final; of a vowel below
    Box first = {right ? 0 : 2, 0, right ? 7 : 9, below ? high - foot - 1 : high - 1 - !*final};
    *pixels = (Pixels){.columns = is_narrow ? NARROW_COLUMNS : SYLLABLE_WIDE + 1};
    draw_consonants(initial, first, pixels);
    draw_strokes(below, (Box){0, high - foot, right ? 9 : SYLLABLE_WIDE, foot}, pixels);
    draw_strokes(right, (Box){8 + (below && right), 0, 5 - (below && right), high}, pixels);
    draw_consonants(final, (Box){2, 9, 10, 5}, pixels);
    for (int row = 0; row < SYLLABLE_HIGH; row++)
        pixels->rows[row] = is_narrow ? thickened(pixels->rows[row]) : doubled(pixels->rows[row]);
}

// --- lines

static bool is_hangul(uint32_t character)
{
    return character >= HANGUL_FIRST && character <= HANGUL_LAST;
}

static bool has_hangul(const char *text)
{
    uint32_t character;
    for (size_t used; (used = utf8_next(text, &character)) > 0; text += used)
        if (is_hangul(character))
            return true;
    return false;
}

// How a text is drawn.
typedef struct Style {
    int rows, gap, down; // gap: rows between two lines
    bool is_narrow;      // its syllables
} Style;

static bool pixels_of(uint32_t character, Style style, Pixels *pixels)
{
    if (character == ' ') {
        *pixels = (Pixels){.columns = BLANK_WIDE + 1};
        return true;
    }
    if (!is_hangul(character))
        return latin_pixels(character, style.down, pixels);
    syllable_pixels(character, style.is_narrow, pixels);
    return true;
}

// The columns of `length` bytes; -1: unknown letter.
static int columns_of(const char *text, size_t length, Style style)
{
    int columns = 0;
    uint32_t character;
    Pixels pixels;
    for (size_t at = 0; at < length; at += utf8_next(text + at, &character)) {
        utf8_next(text + at, &character);
        if (!pixels_of(character, style, &pixels))
            return -1;
        columns += pixels.columns;
    }
    return columns;
}

static void draw_pixels(const Pixels *pixels, Area area, int row, int column, Role role)
{
    static const char *const blocks[] = {
        // bit 0 is the upper left quarter, bit 3 the lower right one
        " ",      "\u2598", "\u259d", "\u2580", "\u2596", "\u258c", "\u259e", "\u259b",
        "\u2597", "\u259a", "\u2590", "\u259c", "\u2584", "\u2599", "\u259f", "\u2588"};
    for (int y = 0; y < SYLLABLE_HIGH; y += 2)
        for (int x = 0; x < pixels->columns; x++) {
            unsigned upper = pixels->rows[y] >> 2 * x & 3, lower = pixels->rows[y + 1] >> 2 * x & 3;
            if (upper || lower)
                cells_fill(area, row + y / 2, column + x, 1, role, blocks[upper | lower << 2]);
        }
}

static void draw_line(Area area, Role role, const char *text, size_t length, Style style)
{
    int column = 0;
    uint32_t character;
    Pixels pixels;
    for (size_t at = 0; at < length; column += pixels.columns) {
        at += utf8_next(text + at, &character);
        pixels_of(character, style, &pixels);
        draw_pixels(&pixels, area, 0, column, role);
    }
}

// The bytes of the words that fit into a line; 0: none.
static size_t line_of(const char *text, int columns, Style style)
{
    size_t fits = 0;
    for (const char *end = text; *end; end += *end == ' ') {
        end += strcspn(end, " ");
        if (columns_of(text, (size_t)(end - text), style) > columns + 1)
            break;
        fits = (size_t)(end - text);
    }
    return fits;
}

// Draws the text; returns its rows, 0 if it does not fit. Without cells, only measures.
static int draw_letter_lines(Area area, Role role, const char *text, Style style)
{
    int row = 0;
    while (*text) {
        size_t length = line_of(text, area.columns, style);
        if (length == 0 || row + style.rows > area.rows)
            return 0;
        if (area.cells)
            draw_line(area_part(area, row, 0, area.rows - row, area.columns), role, text, length,
                      style);
        text += length + (text[length] == ' ');
        row += style.rows + (*text ? style.gap : 0);
    }
    return row;
}

int big_letters_draw(Area area, Role role, const char *text)
{
    Style style = {LATIN_ROWS, 0, 0, false};
    if (has_hangul(text))
        style = (Style){HANGUL_ROWS, 1, ACCENT_DOWN, false};
    Style narrow = style;
    narrow.is_narrow = true;
    if (columns_of(text, strlen(text), style) < 0)
        return 0;
    int rows = draw_letter_lines(area_on(NULL, area), role, text, style);
    int narrow_rows = draw_letter_lines(area_on(NULL, area), role, text, narrow);
    if (rows == 0 || narrow_rows < rows) // narrow syllables only if they save a line
        style = narrow;
    return narrow_rows == 0 ? 0 : draw_letter_lines(area, role, text, style);
}

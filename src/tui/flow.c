// flow: see flow.h.
#include "flow.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

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

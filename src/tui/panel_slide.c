// A page of a lecture for a projector: its title, its first sentence, the numbers big or what stands
// beside them, and the question. The rest of the text is what the speaker says.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "big_values.h"
#include "flow.h"
#include "guide.h"

enum {
    MARGIN = 2,
    TITLE_ROWS_MAX = 2,
    SENTENCE_ROWS_MAX = 3,
    SENTENCE_SPANS_MAX = 32,
    VALUES_ROWS_MIN = 5,
    SENTENCE_BYTES_MAX = 512,
};

// Spans up to the end of the first sentence.
typedef struct Sentence {
    LectureSpan spans[SENTENCE_SPANS_MAX];
    char last[SENTENCE_BYTES_MAX]; // the text of the last span, where it is cut
    int count;
} Sentence;

// Where a sentence ends in a text: behind a full stop, question or exclamation mark at its end or
// before a space. NULL where none does.
static const char *sentence_end(const char *text)
{
    for (const char *at = text; (at = strpbrk(at, ".?!")) != NULL; at++)
        if (at[1] == ' ' || at[1] == '\0')
            return at + 1;
    return NULL;
}

static void take_sentence(const LectureSpan *spans, Sentence *sentence)
{
    bool ended = false;
    sentence->count = 0;
    for (; spans && !ended && sentence->count < SENTENCE_SPANS_MAX; spans = spans->next) {
        LectureSpan *taken = &sentence->spans[sentence->count++];
        bool is_text = spans->kind != SPAN_REFERENCE && spans->kind != SPAN_CODE;
        const char *end = is_text ? sentence_end(spans->text) : NULL;
        *taken = *spans;
        ended = end && end - spans->text < SENTENCE_BYTES_MAX;
        if (ended) {
            snprintf(sentence->last, sizeof sentence->last, "%.*s", (int)(end - spans->text),
                     spans->text);
            taken->text = sentence->last;
        }
    }
    for (int i = 0; i < sentence->count; i++)
        sentence->spans[i].next = i + 1 < sentence->count ? &sentence->spans[i + 1] : NULL;
}

// The first paragraph; a list says too much at once.
static const LectureSpan *paragraph(const Guide *guide)
{
    const LectureBlock *block = guide->text;
    while (block && block->kind != BLOCK_PARAGRAPH)
        block = block->next;
    return block ? block->spans : NULL;
}

static int title_rows(const Guide *guide, Area area)
{
    return cells_paragraph_rows(guide_page(guide)->title, area.columns, TITLE_ROWS_MAX, 0);
}

// The sentence below the title, in as many rows as there are for it; without cells they are counted.
static int flow_sentence(const Guide *guide, Area area, int row, Cells *cells)
{
    Sentence sentence;
    Flow flow = {.cells = cells,
                 .area = {area.row + row, area.column, SENTENCE_ROWS_MAX, area.columns}};
    take_sentence(paragraph(guide), &sentence);
    if (sentence.count > 0)
        flow_spans(&flow, 0, 0, sentence.spans);
    return flow.line < SENTENCE_ROWS_MAX ? flow.line : SENTENCE_ROWS_MAX;
}

// Title, a line, the sentence, a row that is free.
static int head_rows(const Guide *guide, Area area)
{
    return title_rows(guide, area) + 1 + flow_sentence(guide, area, 0, NULL) + 1;
}

static void draw_head(const Guide *guide, Area area, Cells *cells)
{
    int title =
        cells_paragraph(cells, area, 0, TITLE_ROWS_MAX, 0, ROLE_HEADING, guide_page(guide)->title);
    cells_fill(cells, area, title, 0, area.columns, ROLE_RULE, "\u2500");
    flow_sentence(guide, area, title + 1, cells);
}

// What is under the numbers; the rows it takes, which without cells are counted.
static int flow_foot(const Guide *guide, Area area, Cells *cells)
{
    Flow flow = {.cells = cells, .area = area};
    panel_lecture_foot(guide, &flow);
    return flow.line;
}

typedef struct Parts {
    Area head, body, foot;
} Parts;

static Parts parts_of(const Session *session, Area area)
{
    Area whole = {area.row + 1, area.column + MARGIN, area.rows - 1, area.columns - 2 * MARGIN};
    Parts parts = {.head = whole, .body = whole, .foot = whole};
    int head = head_rows(session->guide, whole);
    int foot = flow_foot(session->guide, whole, NULL);
    int most = whole.rows - head - VALUES_ROWS_MIN;
    foot = foot > most ? (most > 0 ? most : 0) : foot;
    parts.head.rows = head < whole.rows ? head : whole.rows;
    parts.foot.row += whole.rows - foot;
    parts.foot.rows = foot;
    parts.body.row += head;
    parts.body.rows = whole.rows - head - foot;
    return parts;
}

Area panel_slide_detail(const Session *session, Area area)
{
    Area body = parts_of(session, area).body;
    int chosen = big_values_chosen_rows(session, body) + 1;
    return (Area){body.row + chosen, body.column, body.rows - chosen, body.columns};
}

static void draw(const Session *session, Area area, Cells *cells)
{
    if (!session->guide)
        return;
    Parts parts = parts_of(session, area);
    draw_head(session->guide, parts.head, cells);
    if (session->look.detail == DETAIL_NONE)
        big_values_draw(session, parts.body, cells);
    else
        big_values_chosen(session, parts.body, cells);
    flow_foot(session->guide, parts.foot, cells);
}

const Panel panel_slide = {.draw = draw};

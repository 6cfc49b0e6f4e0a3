// The memory of the tensor looked at: how it is read, the address of the chosen element, the storage
// as a strip with what is visited, and for the steps that cut and join heads the wrong turn beside
// the right one.
#include "panel.h"

#include <stdio.h>
#include <string.h>
#include "memory_strip.h"
#include "memory_turn.h"
#include "utf8.h"
#include "tui_words.h"

enum {
    STRIP_ROWS = 7,      // of one line, with its key
    TURN_ROWS_LEAST = 6, // a table of a row, with its titles, and the sentence
    TURN_ROWS_MORE = 5,  // besides the table
    FACTS_MAX = 512,
};

// What is drawn, and how far down the panel is written already.
typedef struct Page {
    const Session *session;
    Area area;
    int row;
    bool has_turn;
    WrongTurn turn;
    ptrdiff_t place;       // of the chosen element, in the storage of the tensor looked at
    ptrdiff_t input_place; // of the same element, in the storage that the turn reads
    ptrdiff_t other_place; // of the same element, in the storage that is not looked at
    int other;             // the tensor with that storage; -1: there is one storage only
} Page;

static void tell(Page *page, Role role, const char *text)
{
    page->row += cells_paragraph(page->area, page->row, page->area.rows - page->row, 2, role, text);
}

static void draw_title(Page *page)
{
    const Session *session = page->session;
    const TraceTensor *looked = session_tensor(session);
    int owner = storage_owner(&session->run.trace, session->cursor.tensor);
    char of[TENSOR_TEXT_MAX] = "";
    if (owner != session->cursor.tensor)
        snprintf(of, sizeof of, TELL(MEMORY_VIEW_OF), session->run.trace.tensors[owner].name);
    cells_fill(page->area, 0, 0, page->area.columns, ROLE_RULE, "\u2500");
    cells_format(page->area, page->row++, 1, ROLE_HEADING, TELL(MEMORY_TITLE), looked->name,
                 tensor_is_contiguous(&looked->tensor) ? TELL(CONTIGUOUS) : TELL(NOT_CONTIGUOUS),
                 of);
}

// "[0,2,1,1]", without the spaces of Python, to leave room for what follows.
static const char *brief_list(int rank, const ptrdiff_t list[], const char *brackets,
                              char text[TENSOR_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, TENSOR_TEXT_MAX, "%c", brackets[0]);
    for (int axis = 0; axis < rank; axis++)
        used += (size_t)snprintf(text + used, TENSOR_TEXT_MAX - used, axis ? ",%td" : "%td",
                                 list[axis]);
    snprintf(text + used, TENSOR_TEXT_MAX - used, "%c", brackets[1]);
    return text;
}

static void draw_facts(Page *page)
{
    const Tensor *tensor = &session_tensor(page->session)->tensor;
    const ptrdiff_t *at = session_view(page->session)->at;
    char shape[TENSOR_TEXT_MAX], stride[TENSOR_TEXT_MAX], index[TENSOR_TEXT_MAX];
    char address[STORAGE_ADDRESS_MAX], text[FACTS_MAX];
    snprintf(text, sizeof text, TELL(MEMORY_SHAPE),
             brief_list(tensor->rank, tensor->shape, "()", shape),
             brief_list(tensor->rank, tensor->stride, "()", stride), tensor->offset);
    if (utf8_width(text) > page->area.columns)
        snprintf(text, sizeof text, TELL(MEMORY_STRIDE), shape, stride, tensor->offset);
    tell(page, ROLE_TEXT, text);
    snprintf(text, sizeof text, TELL(MEMORY_BYTE), brief_list(tensor->rank, at, "[]", index),
             storage_address(tensor, at, address), (size_t)page->place * dtype_size(tensor->dtype));
    tell(page, ROLE_CURRENT, text);
}

// "A0: 64 numbers of token A, head 0; below: its row"
static void draw_key(Page *page, const MemoryMarks *marks)
{
    const StorageAxes *axes = &marks->axes;
    const char *mark = axes->token >= 0 && axes->head >= 0 ? "A0" : axes->token >= 0 ? "A" : "0";
    const char *of = axes->token >= 0 && axes->head >= 0 ? TELL(MEMORY_EXAMPLE_BOTH)
                     : axes->token >= 0                  ? TELL(MEMORY_EXAMPLE_TOKEN)
                     : axes->head >= 0                   ? TELL(MEMORY_EXAMPLE_HEAD)
                                                         : TELL(MEMORY_EXAMPLE_ROW);
    const TraceTensor *owner = &page->session->run.trace.tensors[marks->owner];
    char text[FACTS_MAX];
    snprintf(text, sizeof text, TELL(MEMORY_LONG), owner->name, marks->count,
             dtype_size(owner->tensor.dtype), mark, marks->run, of);
    if (utf8_width(text) > page->area.columns)
        snprintf(text, sizeof text, TELL(MEMORY_SHORT), mark, marks->run, of);
    tell(page, ROLE_QUIET, text);
}

// Of a step with a wrong turn, every tensor over the storage; else the one looked at.
static void draw_strip(Page *page, int tensor, ptrdiff_t place, int rows)
{
    const Session *session = page->session;
    const Trace *trace = &session->run.trace;
    MemoryMarks marks = memory_marks(trace, tensor, session->look.memory_by_head);
    MemoryStrip strip = memory_strip(&marks, place);
    int tensors[SESSION_TENSORS_MAX];
    int count = session_tensors(session, session->cursor.step, tensors);
    for (int i = 0; i < count; i++) {
        bool same = trace->tensors[tensors[i]].tensor.storage.bytes &&
                    storage_owner(trace, tensors[i]) == strip.marks.owner;
        if (same && (page->has_turn || tensors[i] == tensor) &&
            strip.reader_count < MEMORY_READERS_MAX)
            memory_strip_add(&strip, trace, tensors[i]);
    }
    int end = page->row + rows;
    draw_key(page, &strip.marks);
    page->row += memory_strip_draw(&strip, page->area, page->row, end - page->row);
}

// What the turn and the other strip leave, but a line of boxes as long as the turn can be seen.
static int strip_rows(const Page *page)
{
    int rest = page->area.rows - page->row;
    if (!page->has_turn)
        return rest;
    ptrdiff_t spare = rest - page->turn.right.shape[1] - TURN_ROWS_MORE;
    spare -= page->other >= 0 ? STRIP_ROWS : 0;
    int least = rest - TURN_ROWS_LEAST < STRIP_ROWS ? rest - TURN_ROWS_LEAST : STRIP_ROWS;
    return spare > least ? (int)spare : least;
}

static void draw_turn(Page *page)
{
    char sentence[MEMORY_SENTENCE_MAX];
    MemoryMarks marks = memory_marks(&page->session->run.trace, page->turn.input,
                                     page->session->look.memory_by_head);
    memory_turn_sentence(&page->turn, &marks, page->input_place, sentence);
    int rows = page->area.rows - page->row -
               cells_paragraph_rows(sentence, page->area.columns, page->area.rows, 2);
    Area tables = area_part(page->area, page->row, 0, rows, page->area.columns);
    page->row += memory_turn_tables(&page->turn, &marks, page->input_place, tables);
    tell(page, ROLE_ALARM, sentence);
}

// Joining heads copies: the element is in two storages, under the same index of both.
static void find_other_place(Page *page)
{
    const Session *session = page->session;
    const Trace *trace = &session->run.trace;
    const TraceStep *wiring = &trace->steps[session->cursor.step];
    const Tensor *right = &page->turn.right;
    ptrdiff_t at[TENSOR_RANK_MAX];
    int copy = session_main_output(session, session->cursor.step);
    bool in_copy = session->cursor.tensor == copy;
    page->input_place = page->place;
    page->other = -1;
    if (!page->has_turn || page->turn.cuts)
        return;
    if (in_copy) {
        tensor_unravel(right, page->place, at);
        page->input_place = page->other_place = tensor_place(right, at);
    } else {
        Tensor contiguous = tensor_over(NULL, right->dtype, right->rank, right->shape);
        storage_index(right, page->place, at);
        page->other_place = tensor_place(&contiguous, at);
    }
    page->other = in_copy ? wiring->reads[0] : copy;
}

static void draw(const Session *session, Area area)
{
    Page page = {.session = session, .area = area};
    if (!session_has_values(session)) {
        cells_text(area, 0, 0, ROLE_QUIET, TELL(MEMORY_NONE));
        return;
    }
    page.place = tensor_place(&session_tensor(session)->tensor, session_view(session)->at);
    page.has_turn = wrong_turn(&session->run.trace, session->cursor.step, &page.turn);
    find_other_place(&page);
    draw_title(&page);
    draw_facts(&page);
    draw_strip(&page, session->cursor.tensor, page.place, strip_rows(&page));
    if (page.has_turn)
        draw_turn(&page);
    if (page.other >= 0 && area.rows - page.row >= STRIP_ROWS)
        draw_strip(&page, page.other, page.other_place, area.rows - page.row);
}

const Panel panel_memory = {.draw = draw, .hints = panel_hints_of_page, .is_wide = true};

// values_number: see values_number.h.
#include "values_number.h"

#include <stdio.h>
#include <string.h>
#include "number_shade.h"
#include "tui_words.h"

static const char *const marks[TRACE_MARKS] = {[TRACE_PLAIN] = "",
                                               [TRACE_MASKED] = "\u2573",
                                               [TRACE_DROPPED] = "\u2573",
                                               [TRACE_PADDED] = "\u2591"};

void values_number(const Session *session, const ValuesGrid *grid, const ptrdiff_t at[], int row,
                   int end)
{
    const Tensor *tensor = grid->tensor;
    char text[NUMBER_TEXT_MAX], marked[NUMBER_TEXT_MAX + 4];
    TraceMark mark = trace_mark_at(&grid->marks, at);
    if (!session_has_reached(session, at)) {
        cells_text_right(grid->area, row, end, ROLE_QUIET, "\u00b7");
        return;
    }
    number_cell(tensor, at, grid->look, text);
    if (mark != TRACE_PLAIN) {
        snprintf(marked, sizeof marked, "%s%s", marks[mark], text + strspn(text, " "));
        cells_text_right(grid->area, row, end, ROLE_MARKED, marked);
        return;
    }
    const Tensor *before;
    TraceCell cell = {.tensor = session->cursor.tensor};
    memcpy(cell.at, at, sizeof cell.at);
    if (what_if_before(session, cell, &before)) {
        snprintf(marked, sizeof marked, "*%s", text + strspn(text, " "));
        cells_text_right(grid->area, row, end, ROLE_CHANGED, marked);
    } else {
        cells_text_right(grid->area, row, end, ROLE_TEXT, text);
    }
    if (tensor->dtype == DTYPE_F32)
        cells_shade(grid->area, row, end - grid->look.width, grid->look.width,
                    number_shade(tensor->storage.f32[tensor_place(tensor, at)], grid->largest,
                                 grid->area.cells->colours));
}

// In the middle of its terms the chosen element is what they have come to so far: the running value,
// as a tensor of one number. False elsewhere.
static bool running_value(const Session *session, float *number, Tensor *tensor)
{
    SessionTerm now;
    bool is_output = session->cursor.tensor == session_main_output(session, session->cursor.step);
    if (!is_output || session_tensor(session)->tensor.dtype != DTYPE_F32 ||
        !session_term(session, &now) || now.number + 1 == now.count)
        return false;
    *number = now.term.running;
    *tensor = tensor_over(number, DTYPE_F32, 0, NULL);
    return true;
}

void values_chosen_number(const Session *session, const ValuesGrid *grid, int row, int end)
{
    char text[NUMBER_TEXT_MAX], framed[NUMBER_TEXT_MAX + 2];
    float number;
    Tensor running;
    if (running_value(session, &number, &running))
        number_cell(&running, NULL, grid->look, text);
    else
        number_cell(grid->tensor, grid->view->at, grid->look, text);
    snprintf(framed, sizeof framed, "[%s]", text + strspn(text, " "));
    cells_text_right(grid->area, row, end + 1, ROLE_CURRENT, framed);
}

bool values_chosen_in_full(const Session *session, const ValuesGrid *grid,
                           char text[NUMBER_TEXT_MAX])
{
    float number;
    Tensor running;
    bool is_running = running_value(session, &number, &running);
    const Tensor *tensor = is_running ? &running : grid->tensor;
    if (session->look.notation == NUMBER_HEXADECIMAL && tensor->dtype == DTYPE_F32)
        number_hexadecimal_text(tensor->storage.f32[tensor_place(tensor, grid->view->at)], text);
    else
        number_text(tensor, grid->view->at, text);
    return is_running;
}

const char *values_marks_in_words(const ValuesGrid *grid)
{
    bool padding = grid->has_mark[TRACE_PADDED];
    if (grid->has_mark[TRACE_MASKED])
        return padding ? TELL(MARKS_MASKED_PADDING) : TELL(MARKS_MASKED);
    if (grid->has_mark[TRACE_DROPPED])
        return padding ? TELL(MARKS_DROPPED_PADDING) : TELL(MARKS_DROPPED);
    return padding ? TELL(MARKS_PADDING) : "";
}

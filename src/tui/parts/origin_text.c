// origin_text: lines and texts of the origin panel; see origin_page.h.
#include "origin_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void origin_line(OriginPage *page, Role role, const char *format, ...)
{
    char text[ORIGIN_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cells_text(page->area, page->row++, 0, role, text);
}

void origin_paragraph(OriginPage *page, Role role, const char *text)
{
    int rows = page->area.rows - page->row;
    page->row += cells_paragraph(page->area, page->row, rows, 2, role, text);
}

const char *origin_number(const Session *session, float number, char text[ORIGIN_NUMBER_MAX])
{
    return session->look.notation == NUMBER_HEXADECIMAL ? number_hexadecimal_text(number, text)
                                                        : number_full_text(number, text);
}

const char *origin_brief(float number, char text[ORIGIN_NUMBER_MAX])
{
    if (isnan(number))
        return number_full_text(number, text);
    snprintf(text, ORIGIN_NUMBER_MAX, "%.6g", (double)number);
    return text;
}

const char *origin_value(const Session *session, TraceCell cell, char text[ORIGIN_TEXT_MAX])
{
    char number[NUMBER_FULL_TEXT_MAX];
    const char *token = trace_cell_token(&session->run.trace, cell);
    const Tensor *tensor = &session->run.trace.tensors[cell.tensor].tensor;
    if (tensor->dtype == DTYPE_F32)
        origin_number(session, explanation_number(&session->run.trace, cell), number);
    else
        number_text(tensor, cell.at, number);
    snprintf(text, ORIGIN_TEXT_MAX, token ? "%s \"%s\"" : "%s", number, token);
    return text;
}

char origin_letter(const OriginPage *page)
{
    const Trace *trace = &page->session->run.trace;
    char letter = trace_sum_letter(trace, trace->tensors[page->explanation->cell.tensor].step);
    return letter ? letter : 'n';
}

const char *origin_pattern(const OriginPage *page, int source, char text[ORIGIN_TEXT_MAX])
{
    const Trace *trace = &page->session->run.trace;
    TraceCell cell = explanation_term(page->explanation, 0)->sources[source];
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    int runs = explanation_axis(page->explanation, source);
    size_t used = (size_t)snprintf(text, ORIGIN_TEXT_MAX, "%.60s[", tensor->name);
    for (int axis = 0; axis < tensor->tensor.rank; axis++) {
        const char *comma = axis ? "," : "";
        used += axis == runs ? (size_t)snprintf(text + used, ORIGIN_TEXT_MAX - used, "%s%c", comma,
                                                origin_letter(page))
                             : (size_t)snprintf(text + used, ORIGIN_TEXT_MAX - used, "%s%td", comma,
                                                cell.at[axis]);
    }
    snprintf(text + used, ORIGIN_TEXT_MAX - used, "]");
    return text;
}

const char *origin_index(const OriginPage *page, ptrdiff_t number, char text[32])
{
    const TraceTerm *term = explanation_term(page->explanation, number);
    int axis = explanation_axis(page->explanation, 0);
    if (term->kind == TERM_ADD)
        snprintf(text, 32, "%s", term->what);
    else
        snprintf(text, 32, "%td", axis >= 0 ? term->sources[0].at[axis] : number);
    return text;
}

const char *origin_address(const Session *session, TraceCell cell, char text[ORIGIN_TEXT_MAX])
{
    const Tensor *tensor = &session->run.trace.tensors[cell.tensor].tensor;
    size_t used = (size_t)snprintf(text, ORIGIN_TEXT_MAX, "%td", tensor->offset);
    for (int axis = 0; axis < tensor->rank; axis++)
        used += (size_t)snprintf(text + used, ORIGIN_TEXT_MAX - used, " + %td*%td", cell.at[axis],
                                 tensor->stride[axis]);
    snprintf(text + used, ORIGIN_TEXT_MAX - used, " = %td", tensor_place(tensor, cell.at));
    return text;
}

// Errors: the chosen number and its tensor beside what float64 gives, for the step alone and from the
// inputs on, in units of float32's last place.
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include "number_text.h"
#include "tui_words.h"

enum { ALONE_END = 31, SINCE_END = 50, CELL_TEXT = 40 };

static void write_line(Lines *lines, Role role, const char *name, const char *alone,
                       const char *since)
{
    lines_text(lines, 0, role == ROLE_TEXT ? ROLE_HEADING : role, "%s", name);
    lines_text_right(lines, ALONE_END, role, alone);
    lines_text_right(lines, SINCE_END, role, since);
    lines_next(lines);
}

static const char *units(double number, char text[CELL_TEXT])
{
    snprintf(text, CELL_TEXT, isnan(number) ? TELL(STATISTICS_NONE) : "%.3g", number);
    return text;
}

static void write_number(Lines *lines, const Session *session)
{
    const SessionExact *exact = &session->exact;
    TraceCell cell = session_cell(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    float number = tensor->storage.f32[tensor_place(tensor, cell.at)];
    double one = trace_exact_number(&exact->alone, cell),
           all = trace_exact_number(&exact->since, cell);
    char left[CELL_TEXT], right[CELL_TEXT];
    number_full_text(number, left);
    write_line(lines, ROLE_TEXT, "float32", left, "");
    snprintf(left, sizeof left, "%.12g", number_unsigned_nan(one));
    snprintf(right, sizeof right, "%.12g", number_unsigned_nan(all));
    write_line(lines, ROLE_TEXT, "float64", left, right);
    write_line(lines, ROLE_TEXT, TELL(EXACT_ULP), units(trace_exact_units(number, one), left),
               units(trace_exact_units(number, all), right));
}

static void write_tensor(Lines *lines, const ExactError *alone, const ExactError *since)
{
    char left[CELL_TEXT], right[CELL_TEXT];
    write_line(lines, ROLE_QUIET, TELL(EXACT_WHOLE), "", "");
    write_line(lines, ROLE_TEXT, TELL(STATISTICS_LARGEST), units(alone->largest, left),
               units(since->largest, right));
    write_line(lines, ROLE_TEXT, TELL(STATISTICS_MEAN), units(alone->mean, left),
               units(since->mean, right));
    snprintf(left, sizeof left, "%td / %td", alone->nearest, alone->count);
    snprintf(right, sizeof right, "%td / %td", since->nearest, since->count);
    write_line(lines, ROLE_TEXT, TELL(EXACT_NEAREST), left, right);
    snprintf(left, sizeof left, "%td", alone->overflow);
    snprintf(right, sizeof right, "%td", since->overflow);
    if (alone->overflow > 0 || since->overflow > 0)
        write_line(lines, ROLE_TEXT, TELL(EXACT_OVERFLOWS), left, right);
}

static void say_why(Lines *lines, const Session *session)
{
    const char *why = session->exact.why.text;
    lines_paragraph(lines, 3, ROLE_QUIET,
                    !session_has_values(session) ? TELL(EXACT_NO_VALUES)
                    : *why                       ? why
                                                 : TELL(EXACT_NOT_COMPUTED));
}

static bool page(const Session *session, Lines *lines)
{
    const SessionExact *exact = &session->exact;
    const TraceTensor *tensor = session_tensor(session);
    lines_fill(lines, ROLE_RULE, "\u2500");
    lines_text(lines, 1, ROLE_HEADING, TELL(EXACT_TITLE), tensor->name);
    lines_next(lines);
    if (!exact->known) {
        say_why(lines, session);
        return true;
    }
    write_line(lines, ROLE_QUIET, TELL(EXACT_NUMBER), TELL(EXACT_ALONE), TELL(EXACT_SINCE));
    write_number(lines, session);
    write_tensor(lines, &exact->error_alone, &exact->error_since);
    lines_paragraph(lines, 3, ROLE_QUIET,
                    trace_rounds_once(&session->run.trace, tensor->step)
                        ? TELL(EXACT_TORCH_SAME)
                        : TELL(EXACT_TORCH_UNKNOWN));
    return true;
}

const Panel panel_exact = {.page = page, .hints = panel_hints_of_page};

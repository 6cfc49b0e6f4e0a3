// origin_softmax: a weight in five phases; see origin_page.h.
#include "origin_page.h"

#include <stdio.h>
#include "tui_words.h"
#include "utf8.h"

// The first key whose score is the maximum of the row.
static ptrdiff_t key_of_maximum(const Explanation *explanation, float maximum)
{
    ptrdiff_t j = 0;
    while (j + 1 < explanation->first && explanation->terms[j].value != maximum)
        j++;
    return j;
}

// "-0.5 - 2.5 = -3": a phase and what it gives.
static void draw_phase(OriginPage *page, const char *phase, const char *left, const char *sign,
                       const char *right, const char *result)
{
    enum { PHASE_COLUMNS = 10 };
    int gap = PHASE_COLUMNS - utf8_width(phase);
    origin_line(page, ROLE_TEXT, "%s%*s%s%s%s%s%s", phase, gap > 0 ? gap : 0, "", left, sign, right,
                result[0] ? " = " : "", result);
}

void origin_draw_softmax(OriginPage *page)
{
    const Explanation *explanation = page->explanation;
    const Trace *trace = &page->session->run.trace;
    const TraceTerm *quotient = &explanation->terms[explanation->count - 1];
    const TraceTerm *sum = &explanation->terms[explanation->count - 2];
    float maximum = explanation->terms[explanation->first - 1].running;
    float score = explanation_number(trace, quotient->sources[0]);
    char of_score[ORIGIN_NUMBER_MAX], of_maximum[ORIGIN_NUMBER_MAX], of_shifted[ORIGIN_NUMBER_MAX],
        of_exp[ORIGIN_NUMBER_MAX], of_sum[ORIGIN_NUMBER_MAX], name[TRACE_CELL_MAX], all[64];
    origin_number(page->session, score, of_score);
    origin_number(page->session, maximum, of_maximum);
    origin_number(page->session, score - maximum, of_shifted);
    origin_number(page->session, quotient->value, of_exp);
    origin_number(page->session, sum->value, of_sum);
    TraceCell best = explanation->terms[key_of_maximum(explanation, maximum)].sources[0];
    // The lanes of the sum matter to readers of the code, not in a lecture.
    snprintf(all, sizeof all, TELL(ORIGIN_ALL_EXPS), explanation->listed,
             page->session->lecture ? "" : TELL(ORIGIN_SIXTEEN));
    draw_phase(page, TELL(PHASE_MAXIMUM), of_maximum, " = ", trace_cell_name(trace, best, name),
               "");
    draw_phase(page, TELL(PHASE_SHIFTED), of_score, " - ", of_maximum, of_shifted);
    draw_phase(page, "exp", "e^(", of_shifted, ")", of_exp);
    draw_phase(page, TELL(PHASE_SUM), of_sum, ", ", all, "");
    draw_phase(page, TELL(PHASE_QUOTIENT), of_exp, " / ", of_sum, "");
}

// origin_softmax: a weight in five phases; see origin_page.h.
#include "origin_page.h"

#include <stdio.h>
#include <string.h>

// The first key whose score is the maximum of the row.
static ptrdiff_t key_of_maximum(const Explanation *explanation, float maximum)
{
    ptrdiff_t j = 0;
    while (j + 1 < explanation->first && explanation->terms[j].value != maximum)
        j++;
    return j;
}

void origin_draw_softmax(OriginPage *page)
{
    const Explanation *explanation = page->explanation;
    const Trace *trace = &page->session->trace;
    const TraceTerm *quotient = &explanation->terms[explanation->count - 1];
    const TraceTerm *sum = &explanation->terms[explanation->count - 2];
    float maximum = explanation->terms[explanation->first - 1].running;
    ptrdiff_t best = key_of_maximum(explanation, maximum);
    float score = explanation_number(trace, quotient->sources[0]);
    char name[TRACE_CELL_MAX], words[TRACE_CELL_MAX];
    trace_cell_name(trace, explanation->terms[best].sources[0], name);
    origin_line(page, ROLE_TEXT, "maximum   %.9g = %s", (double)maximum, name);
    trace_cell_name(trace, quotient->sources[0], words);
    origin_line(page, ROLE_TEXT, "shifted   %.9g - %.9g = %.9g", (double)score, (double)maximum,
                (double)(score - maximum));
    origin_line(page, ROLE_TEXT, "exp       exp(%.9g) = %.9g", (double)(score - maximum),
                (double)quotient->value);
    origin_line(page, ROLE_TEXT, "sum       %.9g, all %td exps, in 16 lanes", (double)sum->value,
                explanation->listed);
    origin_line(page, ROLE_TEXT, "quotient  %.9g / %.9g", (double)quotient->value,
                (double)sum->value);
}

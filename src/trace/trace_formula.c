// trace_formula: the formula of a step and its line of PyTorch; see trace.h.
#include "trace_internal.h"

#include <stdio.h>
#include <string.h>
#include "trace_words.h"

// A remark behind a formula in the person's language; one that has no row stays as it is.
static void tell_remark(char text[TRACE_FORMULA_MAX])
{
    static const char before[] = "   (";
    static const Words remarks[] = {
#define FORMULA_REMARK(said, korean) WORDS(said, korean),
#include "formula_remarks.def"
#undef FORMULA_REMARK
    };
    char *remark = strstr(text, before);
    size_t length = remark ? strcspn(remark += strlen(before), ")") : 0;
    for (size_t i = 0; length > 0 && i < sizeof remarks / sizeof *remarks; i++)
        if (strncmp(remark, remarks[i].in[LANGUAGE_ENGLISH], length) == 0 &&
            remarks[i].in[LANGUAGE_ENGLISH][length] == '\0') {
            snprintf(remark, TRACE_FORMULA_MAX - (size_t)(remark - text), "%s)",
                     words_tell(remarks[i]));
            return;
        }
}

const char *trace_formula(const Trace *trace, int number, char text[TRACE_FORMULA_MAX])
{
    const TraceStep *step = &trace->steps[number];
    const StageForm *form = stage_form(step->stage, &trace->scenario->options);
    const char *formula = step->call->formula ? step->call->formula
                          : form              ? form->formula
                                              : step->stage->formula;
    size_t length = 0;
    for (const char *at = formula; *at && length + 1 < TRACE_FORMULA_MAX; at++) {
        bool is_head = strncmp(at, "b,h,", 4) == 0 && !trace->scenario->has_heads;
        text[length++] = *at;
        at += is_head ? strlen("b,h") - 1 : 0;
    }
    text[length] = '\0';
    tell_remark(text);
    return text;
}

char trace_sum_letter(const Trace *trace, int number)
{
    static const char sign[] = "sum_";
    char formula[TRACE_FORMULA_MAX];
    const char *sum = strstr(trace_formula(trace, number, formula), sign);
    return sum ? sum[strlen(sign)] : '\0';
}

// The name of the layer whose weight a step reads as its second slot: "q_proj" of "q_proj.weight".
static int layer_name(const Trace *trace, const TraceStep *step, const char **name)
{
    *name = step->reads[1] >= 0 ? trace->tensors[step->reads[1]].name : "";
    if (step->layer > 0 && strchr(*name, '.'))
        *name = strchr(*name, '.') + 1;
    return (int)strcspn(*name, ".");
}

const char *trace_torch(const Trace *trace, int number, char text[TRACE_FORMULA_MAX])
{
    const TraceStep *step = &trace->steps[number];
    const StageForm *form = stage_form(step->stage, &trace->scenario->options);
    const char *torch = step->call->torch ? step->call->torch
                        : form            ? form->torch
                                          : step->stage->torch;
    const char *mark = strchr(torch, '$'), *layer;
    if (!mark)
        snprintf(text, TRACE_FORMULA_MAX, "%s", torch);
    else {
        int length = layer_name(trace, step, &layer);
        snprintf(text, TRACE_FORMULA_MAX, "%.*s%.*s%s", (int)(mark - torch), torch, length, layer,
                 mark + 1);
    }
    return text;
}

// trace_formula: the formula of a step and its line of PyTorch; see trace.h.
#include "trace_internal.h"
#include "trace_program.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "trace_words.def"

static const Words remarks[REMARKS] = {
    [REMARK_NONE] = {{NULL}},
#define FORMULA_REMARK(NAME, english, korean) [REMARK_##NAME] = WORDS(english, korean),
#include "formula_remarks.def"
#undef FORMULA_REMARK
};

static bool is_alone(const char *text, const char *at)
{
    return (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
           !(isalnum((unsigned char)at[1]) || at[1] == '_');
}

// Without heads their axis is not written, and where h counts it is 0.
static size_t copy_shown(const Trace *trace, const char *formula, char text[TRACE_FORMULA_MAX])
{
    size_t length = 0;
    bool has_heads = trace->scenario->has_heads;
    for (const char *at = formula; *at && length + 1 < TRACE_FORMULA_MAX; at++) {
        bool is_head = !has_heads && *at == 'h' && is_alone(formula, at);
        bool is_axis = !has_heads && strncmp(at, "b,h,", 4) == 0;
        text[length++] = is_head ? '0' : *at;
        at += is_axis ? strlen("b,h") - 1 : 0;
    }
    text[length] = '\0';
    return length;
}

const char *trace_formula_shown(const Trace *trace, int number, char text[TRACE_FORMULA_MAX])
{
    const TraceStep *step = &trace->steps[number];
    const StageForm *form = stage_form(step->stage, scenario_options(trace->scenario, step->layer));
    const char *formula = step->call->formula ? step->call->formula
                          : form              ? form->formula
                                              : step->stage->formula;
    FormulaRemark remark = step->call->formula ? step->call->remark
                           : form              ? form->remark
                                               : step->stage->remark;
    size_t length = copy_shown(trace, formula, text);
    if (remark != REMARK_NONE)
        snprintf(text + length, TRACE_FORMULA_MAX - length, "   # %s", words_tell(remarks[remark]));
    return text;
}

const char *trace_formula(const Trace *trace, int number, char text[TRACE_FORMULA_MAX])
{
    const char *edited = trace_edited(trace, number);
    if (!edited)
        return trace_formula_shown(trace, number, text);
    snprintf(text, TRACE_FORMULA_MAX, "%s", edited);
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
    const StageForm *form = stage_form(step->stage, scenario_options(trace->scenario, step->layer));
    const char *torch = step->call->torch ? step->call->torch
                        : form            ? form->torch
                                          : step->stage->torch;
    const char *mark = strchr(torch, '$'), *layer;
    char own[FORMULA_TEXT_MAX + 1];
    if (step->formula) // no line of PyTorch is known; a remark stands in its place
        snprintf(text, TRACE_FORMULA_MAX, TELL(TORCH_EDITED),
                 trace_formula_whole(trace, number, own));
    else if (!mark)
        snprintf(text, TRACE_FORMULA_MAX, "%s", torch);
    else {
        int length = layer_name(trace, step, &layer);
        snprintf(text, TRACE_FORMULA_MAX, "%.*s%.*s%s", (int)(mark - torch), torch, length, layer,
                 mark + 1);
    }
    return text;
}

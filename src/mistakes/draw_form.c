// draw_form: see draw_form.h.
//
// A trace tells of every element where it came from. Followed upstream as long as numbers are copied,
// added, or multiplied by what was not drawn, that ends at drawn numbers.
#include "draw_form.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 16, HALF = BLOCK / 2, DEPTH_MAX = 16 };

typedef struct Following {
    const Trace *trace;
    DrawForm *form;
    double factor;
    int depth;
    bool good;
} Following;

static void follow(Following *following, TraceCell cell);

// --- drawn numbers

static const ScenarioTensor *input_of(const Trace *trace, int tensor)
{
    const char *name = trace->tensors[tensor].name;
    for (int i = 0; i < trace->scenario->tensor_count; i++)
        if (strcmp(trace->scenario->tensors[i].name, name) == 0)
            return &trace->scenario->tensors[i];
    return NULL;
}

// Element `number` of a normal draw of `count`: which words, and whether it is the sine.
static void place_normal(const ScenarioDraw *draw, uint64_t number, uint64_t count, DrawTerm *term)
{
    // The last 16 numbers are drawn again where the last block is not full.
    uint64_t block = number / BLOCK * BLOCK, begin = block;
    if (count % BLOCK != 0 && number >= count - BLOCK) {
        block = count - BLOCK;
        begin = count;
    }
    uint64_t in_block = number - block;
    term->is_sine = in_block >= HALF;
    term->word = draw->first_word + begin + in_block % HALF;
    term->angle_word = term->word + HALF;
}

// Pairs of four words: two for the angle, then two for the radius; the first of two has the high bits.
static void place_small_normal(const ScenarioDraw *draw, uint64_t number, DrawTerm *term)
{
    enum { PAIR_WORDS = 4, TO_RADIUS = 2 };
    bool is_cached = draw->begins_with_cached && number == 0;
    uint64_t place = number - draw->begins_with_cached;
    uint64_t pair = is_cached ? draw->cached_word : draw->first_word + place / 2 * PAIR_WORDS;
    term->is_sine = is_cached || place % 2 == 1;
    term->angle_word = pair;
    term->word = pair + TO_RADIUS;
}

static void add_draw(Following *following, const ScenarioTensor *input, const ptrdiff_t at[])
{
    DrawForm *form = following->form;
    const ScenarioDraw *draw = &input->draw;
    uint64_t number = (uint64_t)tensor_place(&input->tensor, at);
    DrawTerm term = {draw->kind, following->factor, draw->bound, draw->first_word + number, 0,
                     false};
    if (draw->kind == DRAW_NORMAL)
        place_normal(draw, number, (uint64_t)tensor_count(&input->tensor), &term);
    if (draw->kind == DRAW_SMALL_NORMAL)
        place_small_normal(draw, number, &term);
    following->good = following->good && form->count < DRAW_TERMS_MAX;
    if (following->good)
        form->terms[form->count++] = term;
}

// --- upstream

// Whether something drawn takes part in an element.
static bool is_drawn(const Trace *trace, TraceCell cell, double *value)
{
    const ScenarioTensor *input = input_of(trace, cell.tensor);
    *value = tensor_number(&trace->tensors[cell.tensor].tensor, cell.at);
    return !input || input->draw.kind != DRAW_NONE;
}

static void follow_product(Following *following, const TraceTerm *term)
{
    double factor = following->factor, value[2];
    bool drawn[2];
    for (int i = 0; i < 2; i++)
        drawn[i] = is_drawn(following->trace, term->sources[i], &value[i]);
    following->good = following->good && !(drawn[0] && drawn[1]);
    int which = drawn[0] ? 0 : 1;
    if (!following->good || value[1 - which] == 0.0)
        return;
    following->factor = factor * value[1 - which];
    follow(following, term->sources[which]);
    following->factor = factor;
}

static void follow_term(void *context, const TraceTerm *term)
{
    Following *following = context;
    switch (term->kind) {
    case TERM_MULTIPLY_ADD:
        follow_product(following, term);
        break;
    case TERM_LOOK_UP:
        follow(following, term->sources[term->source_count - 1]);
        break;
    case TERM_ADD:
    case TERM_COPY:
    case TERM_PLACE:
        if (term->source_count == 1)
            follow(following, term->sources[0]);
        else if (term->source_count == 0 && term->kind == TERM_ADD)
            following->form->constant += following->factor * (double)term->value;
        else
            following->good = false;
        break;
    default:
        following->good = false;
    }
}

static void follow(Following *following, TraceCell cell)
{
    const Trace *trace = following->trace;
    if (++following->depth > DEPTH_MAX)
        following->good = false;
    const ScenarioTensor *input = input_of(trace, cell.tensor);
    if (following->good && trace->tensors[cell.tensor].step >= 0)
        trace_origin(trace, cell, follow_term, following);
    else if (input && input->draw.kind != DRAW_NONE)
        add_draw(following, input, cell.at);
    else
        following->form->constant +=
            following->factor * tensor_number(&trace->tensors[cell.tensor].tensor, cell.at);
    following->depth--;
}

bool draw_form_of(const Trace *trace, TraceCell cell, DrawForm *form)
{
    *form = (DrawForm){.count = 0};
    Following following = {.trace = trace, .form = form, .factor = 1.0, .good = true};
    follow(&following, cell);
    return following.good;
}

// --- values

uint64_t draw_form_end(const DrawForm *form)
{
    uint64_t end = 0;
    for (int i = 0; i < form->count; i++) {
        const DrawTerm *term = &form->terms[i];
        uint64_t last = term->word > term->angle_word ? term->word : term->angle_word;
        // a small normal takes double precision numbers, of two words each
        last += term->kind == DRAW_SMALL_NORMAL;
        end = last + 1 > end ? last + 1 : end;
    }
    return end;
}

static double part_of(const uint32_t words[], uint64_t at, bool is_double)
{
    uint64_t both = is_double ? (uint64_t)words[at] << 32 | words[at + 1] : words[at];
    return is_double ? (double)(both & 0x1fffffffffffff) * 0x1p-53
                     : (double)(both & 0xffffff) * 0x1p-24;
}

static double term_value(const DrawTerm *term, const uint32_t words[])
{
    const double two_pi = 6.283185307179586;
    bool is_double = term->kind == DRAW_SMALL_NORMAL;
    double part = part_of(words, term->word, is_double);
    if (term->kind == DRAW_UNIFORM)
        return (2.0 * part - 1.0) * term->bound;
    double angle = two_pi * part_of(words, term->angle_word, is_double);
    return sqrt(-2.0 * log(1.0 - part)) * (term->is_sine ? sin(angle) : cos(angle));
}

double draw_form_value(const DrawForm *form, const uint32_t words[])
{
    double value = form->constant;
    for (int i = 0; i < form->count; i++)
        value += form->terms[i].factor * term_value(&form->terms[i], words);
    return value;
}

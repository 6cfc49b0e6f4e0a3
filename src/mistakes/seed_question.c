// seed_question: printed numbers as tests of a stream; see seed_search.h.
#include "seed_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "generator.h"
#include "notebook_words.def"

// Streams are followed so far at most: 16 MB of words, a table of 4 million numbers.
enum { WORDS_MAX = 1 << 22 };

static const double two_pi = 6.283185307179586;

// --- the tests

static int by_words(const void *a, const void *b)
{
    uint64_t left = draw_form_end(&((const SeedTest *)a)->form);
    uint64_t right = draw_form_end(&((const SeedTest *)b)->form);
    return (left > right) - (left < right);
}

static bool add_test(SeedQuestion *question, const Trace *trace, TraceCell cell,
                     const PrintedNumber *number)
{
    SeedTest *test = &question->tests[question->count];
    if (!isfinite(number->value) || !draw_form_of(trace, cell, &test->form) ||
        test->form.count == 0 || draw_form_end(&test->form) > WORDS_MAX)
        return false;
    double slack = number->half + 1e-6 * fmax(1.0, fabs(number->value));
    test->low = number->value - slack;
    test->high = number->value + slack;
    question->count++;
    return true;
}

static void add_tests(SeedQuestion *question, const Trace *trace, int tensor,
                      const PrintedTensor *printed)
{
    TraceCell cell = {.tensor = tensor};
    const Tensor *numbers = &trace->tensors[tensor].tensor;
    for (ptrdiff_t i = 0; i < printed->count; i++)
        if (printed_place(printed, &printed->numbers[i], numbers, cell.at))
            add_test(question, trace, cell, &printed->numbers[i]);
    qsort(question->tests, (size_t)question->count, sizeof *question->tests, by_words);
    if (question->count > SEED_TESTS_MAX)
        question->count = SEED_TESTS_MAX;
    question->words =
        question->count ? draw_form_end(&question->tests[question->count - 1].form) : 0;
}

bool seed_question_holds(const SeedQuestion *question, uint32_t seed, uint32_t words[])
{
    Generator generator;
    uint64_t made = 0;
    generator_seed(&generator, seed);
    for (int i = 0; i < question->count; i++) {
        const SeedTest *test = &question->tests[i];
        for (uint64_t end = draw_form_end(&test->form); made < end; made++)
            words[made] = generator_word(&generator);
        double value = draw_form_value(&test->form, words);
        if (!(value >= test->low && value <= test->high))
            return false;
    }
    return true;
}

// --- the filters

// Which of the places asked for a word is; they stay ascending.
static void ask_for(SeedQuestion *question, uint64_t word)
{
    KernelPlaces *places = &question->places;
    int at = 0;
    while (at < places->count && places->place[at] < (int)word)
        at++;
    if (at < places->count && places->place[at] == (int)word)
        return;
    memmove(&places->place[at + 1], &places->place[at],
            (size_t)(places->count - at) * sizeof *places->place);
    places->place[at] = (int)word;
    places->count++;
}

static int place_of(const SeedQuestion *question, uint64_t word)
{
    int at = 0;
    while (question->places.place[at] != (int)word)
        at++;
    return at;
}

static int words_of(const DrawForm *form)
{
    return form->terms[0].kind == DRAW_UNIFORM ? form->count : 2;
}

// Sums of uniform numbers, and single normal ones.
static bool can_filter(const SeedQuestion *question, const DrawForm *form)
{
    if (question->places.count + words_of(form) > KERNEL_PLACES_MAX)
        return false;
    for (int i = 0; i < form->count; i++)
        if (form->terms[i].kind != DRAW_UNIFORM && form->count > 1)
            return false;
    return true;
}

// The angles at which radius * cos(angle) can lie between low and high, for radii from r[0] to r[1].
static void fill_cell(SeedFilter *filter, int cell, const double r[2], const double between[2],
                      double spread)
{
    const double steps = 0x1p24 / two_pi;
    double low = between[0] / (between[0] < 0.0 ? r[0] : r[1]);
    double high = between[1] / (between[1] < 0.0 ? r[1] : r[0]);
    low = isnan(low) || low < -1.0 ? -1.0 : low;
    high = isnan(high) || high > 1.0 ? 1.0 : high;
    filter->low[cell] = filter->width[cell] = 0;
    if (low > high)
        return;
    double first = floor(acos(high) * steps - spread), last = ceil(acos(low) * steps + spread);
    first = first < 0.0 ? 0.0 : first;
    filter->low[cell] = (uint32_t)first;
    filter->width[cell] = (uint32_t)(last - first) + 1;
}

static void fill_table(SeedFilter *filter)
{
    const DrawTerm *term = &filter->test->form.terms[0];
    double bounds[2] = {(filter->test->low - filter->test->form.constant) / term->factor,
                        (filter->test->high - filter->test->form.constant) / term->factor};
    double between[2] = {fmin(bounds[0], bounds[1]), fmax(bounds[0], bounds[1])};
    // of a double precision number the first word has the 21 high bits, here the angle's 24
    double spread = term->kind == DRAW_SMALL_NORMAL ? 16.0 : 2.0;
    for (int cell = 0; cell < SEED_CELLS; cell++) {
        double u[2] = {(double)cell / SEED_CELLS, (cell + 1.0) / SEED_CELLS};
        double r[2] = {sqrt(-2.0 * log1p(-u[0])) * (1.0 - 1e-6),
                       cell + 1 < SEED_CELLS ? sqrt(-2.0 * log1p(-u[1])) * (1.0 + 1e-6) : 10.0};
        fill_cell(filter, cell, r, between, spread);
    }
}

static void make_filters(SeedQuestion *question)
{
    for (int i = 0; i < question->count && question->filter_count < SEED_FILTERS; i++) {
        const DrawForm *form = &question->tests[i].form;
        if (!can_filter(question, form))
            continue;
        question->filters[question->filter_count++].test = &question->tests[i];
        for (int term = 0; term < form->count; term++)
            ask_for(question, form->terms[term].word);
        if (form->terms[0].kind != DRAW_UNIFORM)
            ask_for(question, form->terms[0].angle_word);
    }
    for (int i = 0; i < question->filter_count; i++) {
        SeedFilter *filter = &question->filters[i];
        const DrawForm *form = &filter->test->form;
        for (int term = 0; term < form->count; term++)
            filter->words[term] = place_of(question, form->terms[term].word);
        if (form->terms[0].kind == DRAW_UNIFORM)
            continue;
        filter->words[1] = place_of(question, form->terms[0].angle_word);
        fill_table(filter);
    }
}

// --- all of it

// The trace's own numbers are those of seed 0: a form that does not make them is none of ours.
static bool forms_hold(SeedQuestion *question, const Trace *trace, int tensor,
                       const PrintedTensor *printed, uint32_t words[])
{
    TraceCell cell = {.tensor = tensor};
    const Tensor *numbers = &trace->tensors[tensor].tensor;
    DrawForm form;
    Generator generator;
    generator_seed(&generator, 0);
    for (uint64_t i = 0; i < question->words; i++)
        words[i] = generator_word(&generator);
    for (ptrdiff_t i = 0; i < printed->count; i++)
        if (printed_place(printed, &printed->numbers[i], numbers, cell.at) &&
            draw_form_of(trace, cell, &form) && draw_form_end(&form) <= question->words) {
            double known = tensor_number(numbers, cell.at);
            if (!(fabs(draw_form_value(&form, words) - known) <= 1e-5 * fmax(1.0, fabs(known))))
                return false;
        }
    return true;
}

bool seed_question_make(const Trace *trace, int tensor, const PrintedTensor *printed,
                        SeedQuestion *question, Arena *arena, Error *err)
{
    const char *name = trace->tensors[tensor].name;
    *question = (SeedQuestion){.count = 0};
    question->tests = arena_take(arena, (size_t)printed->count, sizeof *question->tests, err);
    if (!question->tests)
        return false;
    add_tests(question, trace, tensor, printed);
    make_filters(question);
    if (question->filter_count == 0)
        return error_set(err, TELL(SEED_NO_SUMS), name, DRAW_TERMS_MAX);
    uint32_t *words = arena_take(arena, question->words, sizeof *words, err);
    if (!words)
        return false;
    return forms_hold(question, trace, tensor, printed, words) ||
           error_set(err, TELL(SEED_OTHERS), name);
}

// What printed numbers are of drawn ones, and all seeds tried for them, many side by side on all cores; see
// seed_search.h.
#include "seed_search.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "generator.h"
#include "notebook_words.def"

// --- what a number is of those that were drawn

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

// --- printed numbers as tests of a stream

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

// --- the search

// A run: what its threads share.
typedef struct Run {
    SeedSearch *search;
    uint64_t first;
    atomic_int found;
    atomic_bool is_short; // of memory
} Run;

typedef uint32_t Batch[KERNEL_PLACES_MAX][KERNEL_SEEDS];

// --- filters

// A word of 2^24 steps that goes around once, as steps from the nearest whole turn.
static uint32_t folded(uint32_t angle)
{
    angle &= 0xffffff;
    return angle <= 0x800000 ? angle : 0x1000000 - angle;
}

static void filter_normal(const SeedFilter *filter, Batch words, bool passes[KERNEL_SEEDS])
{
    enum { QUARTER = 1 << 22 };
    const DrawTerm *term = &filter->test->form.terms[0];
    uint32_t *radius = words[filter->words[0]], *angle = words[filter->words[1]];
    bool is_double = term->kind == DRAW_SMALL_NORMAL;
    int to_cell = (is_double ? 21 : 24) - SEED_CELL_BITS, to_angle = is_double ? 3 : 0;
    uint32_t mask = is_double ? 0x1fffff : 0xffffff, turn = term->is_sine ? QUARTER : 0;
    for (int seed = 0; seed < KERNEL_SEEDS; seed++) {
        uint32_t cell = (radius[seed] & mask) >> to_cell;
        uint32_t at = folded((angle[seed] << to_angle) - turn);
        passes[seed] = passes[seed] && at - filter->low[cell] < filter->width[cell];
    }
}

static void filter_sum(const SeedFilter *filter, Batch words, bool passes[KERNEL_SEEDS])
{
    const DrawForm *form = &filter->test->form;
    float sum[KERNEL_SEEDS] = {0.0f};
    double constant = form->constant, size = fabs(constant) + fabs(filter->test->high);
    for (int i = 0; i < form->count; i++) {
        const DrawTerm *term = &form->terms[i];
        uint32_t *word = words[filter->words[i]];
        double width = term->factor * term->bound;
        float step = (float)(2.0 * width * 0x1p-24);
        for (int seed = 0; seed < KERNEL_SEEDS; seed++)
            sum[seed] += step * (float)(int32_t)(word[seed] & 0xffffff);
        constant -= width;
        size += 2.0 * fabs(width);
    }
    // what float32 sums may lose; whoever passes is asked in double precision
    float low = (float)(filter->test->low - constant - 1e-6 * size);
    float high = (float)(filter->test->high - constant + 1e-6 * size);
    for (int seed = 0; seed < KERNEL_SEEDS; seed++)
        passes[seed] = passes[seed] && sum[seed] >= low && sum[seed] <= high;
}

// --- pieces

static int by_size(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void try_batch(Run *run, uint32_t first, uint32_t words[])
{
    SeedSearch *search = run->search;
    const SeedQuestion *question = search->question;
    Batch batch;
    bool passes[KERNEL_SEEDS];
    for (int seed = 0; seed < KERNEL_SEEDS; seed++)
        passes[seed] = true;
    search->kernel->words(first, &question->places, batch);
    for (int i = 0; i < question->filter_count; i++) {
        bool is_sum = question->filters[i].test->form.terms[0].kind == DRAW_UNIFORM;
        (is_sum ? filter_sum : filter_normal)(&question->filters[i], batch, passes);
    }
    for (int seed = 0; seed < KERNEL_SEEDS; seed++)
        if (passes[seed] && seed_question_holds(question, first + (uint32_t)seed, words)) {
            int at = atomic_fetch_add(&run->found, 1);
            if (at < SEED_FOUND_MAX)
                search->found[at] = first + (uint32_t)seed;
        }
}

static void try_piece(void *context, ptrdiff_t number)
{
    Run *run = context;
    uint64_t first = run->first + (uint64_t)number * SEED_PIECE;
    uint32_t *words = malloc(run->search->question->words * sizeof *words);
    if (!words)
        run->is_short = true;
    for (uint32_t seed = 0; words && seed < SEED_PIECE; seed += KERNEL_SEEDS)
        try_batch(run, (uint32_t)first + seed, words);
    free(words);
}

bool seed_search_run(SeedSearch *search, Team *team, int pieces, Error *err)
{
    uint64_t left = (SEED_ALL - search->next) / SEED_PIECE;
    uint64_t count = left < (uint64_t)pieces ? left : (uint64_t)pieces;
    Run run = {.search = search, .first = search->next};
    atomic_init(&run.found, search->found_count);
    team_run(team, (ptrdiff_t)count, try_piece, &run);
    search->found_count = run.found;
    if (run.is_short)
        return error_set(err, TELL(SEED_MEMORY), (unsigned long long)search->question->words);
    int kept = search->found_count < SEED_FOUND_MAX ? search->found_count : SEED_FOUND_MAX;
    qsort(search->found, (size_t)kept, sizeof *search->found, by_size);
    search->next += count * SEED_PIECE;
    return true;
}

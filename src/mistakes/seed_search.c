// seed_search: all seeds, many side by side, on all cores; see seed_search.h.
#include "seed_search.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "notebook_words.def"

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

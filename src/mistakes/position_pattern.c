// The family of mistakes that add another pattern of sines and cosines to the embeddings.
//
//   x[b,l,d] = embeddings[b,l,d] + pattern(l, d)
//
// position_pattern.def has the pattern of each.
#include "mistake_family.h"

#include <math.h>
#include "mistake_reason.h"
#include "mistakes_words.h"

enum { OUT_ENCODING, OUT_X };

// The number that is added to element d of token l.
typedef float Pattern(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width);

typedef struct Row {
    Pattern *pattern;
    Words rule; // of it, as a term
} Row;

// The right pattern: sine where d is even, cosine where it is odd.
static float sinusoid(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width)
{
    ptrdiff_t pair = d - d % 2;
    double angle = (double)l / pow(10000.0, (double)pair / (double)width);
    return (float)(d % 2 == 0 ? sin(angle) : cos(angle));
}

static void position(const Tensor *embeddings, Pattern *pattern, Tensor *encoding, Tensor *x)
{
    for (ptrdiff_t l = 0; l < x->shape[1]; l++)
        for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
            *tensor_at3(encoding, 0, l, d) = pattern(l, d, x->shape[2]);
            for (ptrdiff_t b = 0; b < x->shape[0]; b++)
                *tensor_at3(x, b, l, d) =
                    *tensor_at3(embeddings, b, l, d) + *tensor_at3(encoding, 0, l, d);
        }
}

static bool run(const Row *row, StageArgs *args, Error *err)
{
    (void)err;
    position(&args->in[0], row->pattern, &args->out[OUT_ENCODING], &args->out[OUT_X]);
    return true;
}

static void origin(const Row *row, const StageArgs *args, int slot, const ptrdiff_t at[],
                   TermVisit *visit, void *context)
{
    float encoding = *tensor_at3(&args->out[OUT_ENCODING], 0, at[1], at[2]);
    Term added = {.what = words_tell(row->rule), .value = encoding, .running = encoding};
    if (slot == OUT_X) {
        float embedding = *tensor_at3(&args->in[0], at[0], at[1], at[2]);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(TERM_EMBEDDING),
                               .source_count = 1,
                               .sources = {{0, {at[0], at[1], at[2]}}},
                               .value = embedding,
                               .running = embedding});
        added.kind = TERM_ADD;
        added.running = embedding + encoding;
    }
    visit(context, &added);
}

static const Words *cannot_show(const Row *row, const Scenario *scenario)
{
    (void)row;
    return scenario->with_position ? NULL : &reason_no_positions;
}

// --- a stage for each row

#define ENCODING \
    { \
        .role = "positional_encoding", .tensor = "positional_encoding", .axes = "1 L Din" \
    }
#define X \
    { \
        .role = "x", .tensor = "x", .axes = "B L Din" \
    }

#define PATTERN(id, label, number, formula_text, torch_text, rule, rule_ko, ...) \
    static float pattern_##id(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width) \
    { \
        return number; \
    } \
    static const Row row_##id = {pattern_##id, WORDS(rule, rule_ko)}; \
    FAMILY_MEMBER(id) \
    static const Stage stage_##id = { \
        .name = "position", \
        .formula = formula_text, \
        .torch = torch_text, \
        .source = "a common mistake", \
        .use = STAGE_WITH_POSITIONS, \
        .main_output = OUT_X, \
        .calls = {{.reads = {{.role = "x", .axes = "B L Din"}}, .writes = {ENCODING, X}}}, \
        .run = run_##id, \
        .origin = origin_##id, \
    };
#include "position_pattern.def"
#undef PATTERN

#define PATTERN(id, label, number, formula_text, torch_text, rule, rule_ko, ...) \
    FAMILY_MISTAKE(id, label, __VA_ARGS__)
const Mistake family_position_pattern[] = {
#include "position_pattern.def"
    FAMILY_END};

// Relation: a sum of products that misses terms, or adds them up in another way. The terms are those
// that the stage tells of itself.
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>

extern const Relation relation_terms;

enum {
    LAST_ONLY,
    FIRST_ONLY,
    FIRST_MISSING,
    LAST_MISSING,
    WHOLE_SUM,
    TIMES_BIAS,
    BEST_ONLY,
    SHORT, // reading.b is the symbol whose length the loop took
    WAYS = SHORT + SYMBOL_COUNT,
};

typedef struct Summing {
    const RelationCase *what;
    StageArgs args;
    int way;
    ptrdiff_t terms;
    int number; // of the next term
    bool is_sum;
    double sum, best;
} Summing;

// The terms of one element: how many there are.
static void count_term(void *context, const Term *term)
{
    ptrdiff_t *count = context;
    *count += term->kind == TERM_MULTIPLY_ADD;
}

static bool counts(const Summing *summing)
{
    int number = summing->number;
    switch (summing->way) {
    case LAST_ONLY:
        return number == summing->terms - 1;
    case FIRST_ONLY:
        return number == 0;
    case FIRST_MISSING:
        return number > 0;
    case LAST_MISSING:
        return number < summing->terms - 1;
    case WHOLE_SUM:
    case TIMES_BIAS:
        return true;
    default:
        return number < summing->what->right->scenario->size[summing->way - SHORT];
    }
}

static void add_term(void *context, const Term *term)
{
    Summing *summing = context;
    if (term->kind == TERM_ADD) { // the bias
        summing->sum = summing->way == TIMES_BIAS ? summing->sum * (double)term->value
                                                  : summing->sum + (double)term->value;
        return;
    }
    if (term->kind != TERM_MULTIPLY_ADD)
        return;
    if (summing->way == BEST_ONLY) {
        const Source *weight = &term->sources[0], *value = &term->sources[1];
        double size = tensor_number(&summing->args.in[weight->slot], weight->at);
        if (summing->number == 0 || size > summing->best) {
            summing->best = size;
            summing->sum = tensor_number(&summing->args.in[value->slot], value->at);
        }
    } else if (counts(summing)) {
        summing->sum += (double)term->value;
        if (summing->way == WHOLE_SUM)
            summing->sum = trunc(summing->sum);
    }
    summing->number++;
}

static double summed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    Summing summing = *(const Summing *)context;
    const Stage *stage = what->right->steps[what->step].stage;
    stage->origin(&summing.args, stage->main_output, at, add_term, &summing);
    return summing.sum;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    static const ptrdiff_t first[TENSOR_RANK_MAX] = {0};
    if (!what->given)
        return;
    const Stage *stage = what->right->steps[what->step].stage;
    Summing summing = {.what = what, .args = *what->given};
    summing.args.out[stage->main_output] = *what->known;
    stage->origin(&summing.args, stage->main_output, first, count_term, &summing.terms);
    for (int way = 0; way < WAYS && summing.terms > 1; way++) {
        ptrdiff_t size = way >= SHORT ? what->right->scenario->size[way - SHORT] : 1;
        summing.way = way;
        if (size > 0 && size < summing.terms && relation_fits(what, summed, &summing))
            relation_add(what, readings,
                         (RelationReading){&relation_terms, way < SHORT ? way : SHORT,
                                           way < SHORT ? 0 : way - SHORT, 0.0, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const char *const sentences[][LANGUAGES] = {
        [LAST_ONLY] = {"Each sum is its last term alone: is it set (=) where it should be added to "
                       "(+=)?",
                       "합마다 마지막 항만 남았습니다. 더하지(+=) 않고 덮어쓴(=) 것이 아닌지 "
                       "확인하세요."},
        [FIRST_ONLY] = {"Each sum is its first term alone: the loop ends after one step.",
                        "합마다 첫 항만 들어 있습니다. 반복이 한 번 만에 끝났습니다."},
        [FIRST_MISSING] = {"The first term of each sum is missing: the loop begins at 1.",
                           "합마다 첫 항이 빠졌습니다. 반복이 1에서 시작합니다."},
        [LAST_MISSING] = {"The last term of each sum is missing: the loop ends one too early.",
                          "합마다 마지막 항이 빠졌습니다. 반복이 한 번 일찍 끝납니다."},
        [WHOLE_SUM] = {"Each sum is cut to a whole number on the way: it is kept in an integer.",
                       "합이 중간에 정수로 잘렸습니다. 정수 변수에 더하고 있습니다."},
        [TIMES_BIAS] = {"The sums are multiplied by the bias; it is to be added.",
                        "합에 편향을 곱했습니다. 편향은 더해야 합니다."},
        [BEST_ONLY] = {"Each row is the value of the key with the largest weight, not the weighted "
                       "sum of all.",
                       "모든 값의 가중합이 아니라 가중치가 가장 큰 키의 값 하나입니다."},
        [SHORT] = {"Each sum stops after %s terms: the loop runs over another axis' length.",
                   "합이 %s개 항에서 멈췄습니다. 반복이 다른 축의 길이를 씁니다."},
    };
    snprintf(text, RELATION_TEXT_MAX, sentences[reading->a][language],
             symbol_names[reading->a == SHORT ? reading->b : 0]);
}

const Relation relation_terms = {.name = "terms", .read = read, .say = say};

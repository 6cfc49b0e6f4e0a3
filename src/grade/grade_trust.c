// grade_trust: see grade_trust.h.
#include "grade_trust.h"

#include <string.h>
#include "grade_property.h"
#include "grade_run.h"
#include "words.h"

typedef enum Trust {
#define TRUST(name, english, korean) TRUST_##name,
#include "grade_trust.def"
#undef TRUST
} Trust;

static const Words trusts[] = {
#define TRUST(name, english, korean) WORDS(english, korean),
#include "grade_trust.def"
#undef TRUST
};

void grade_trust_builds(VerdictTest *test)
{
    if (test->why[LANGUAGE_ENGLISH] || test->where)
        return;
    test->end = VERDICT_BROKEN;
    memcpy(test->why, trusts[TRUST_BUILDS].in, sizeof test->why);
}

void grade_trust_unset(const GradeWorkers *workers, const char *why[LANGUAGES], Arena *arena)
{
    Trust trust = workers->unset_line && workers->unset_name ? TRUST_UNSET : TRUST_UNSET_SOMEWHERE;
    for (int language = 0; language < LANGUAGES; language++) {
        char text[WORKER_TEXT_MAX];
        words_format(text, sizeof text, trusts[trust].in[language], workers->unset_line,
                     workers->unset_name);
        why[language] = grade_kept(text, arena);
    }
}

void grade_trust_unset_broken(const GradeWorkers *workers, const char *why[LANGUAGES], Arena *arena)
{
    if (!workers->unset_line || !workers->unset_name)
        return;
    for (int language = 0; language < LANGUAGES; language++) {
        char text[WORKER_TEXT_MAX];
        if (!why[language])
            continue;
        words_format(text, sizeof text, trusts[TRUST_UNSET_BROKEN].in[language], why[language],
                     workers->unset_line, workers->unset_name);
        why[language] = grade_kept(text, arena);
    }
}

void grade_trust_none(Verdict *verdict, const char *const sentences[LANGUAGES])
{
    for (int i = 0; i < verdict->count; i++) {
        VerdictTest *test = &verdict->tests[i];
        memset(test->mistakes, 0, sizeof test->mistakes);
        memset(test->relation, 0, sizeof test->relation);
        memset(test->property, 0, sizeof test->property);
        if (test->end != VERDICT_PASSED && (test->where || test->why[LANGUAGE_ENGLISH]))
            continue;
        test->end = VERDICT_BROKEN;
        test->points = 0;
        memcpy(test->why, sentences, sizeof test->why);
    }
}

static WorkerEnd ask(GradeOrder *order, GradeCase *drawn, const StageArgs *before)
{
    StageArgs args = *before;
    if (worker_call(order->worker, drawn->call, &args, &order->last) == WORKER_ANSWERED)
        drawn->given = args;
    return order->last.end;
}

// --- in words

static const char *in_words(const GradeOrder *order, Trust why, int language,
                            const char *const values[3], Arena *arena)
{
    char text[WORKER_TEXT_MAX], kept[256] = "";
    const char *form = trusts[why].in[language];
    if (order->kept)
        words_format(kept, sizeof kept, trusts[TRUST_KEPT].in[language], order->kept);
    if (why == TRUST_ORDER)
        words_format(text, sizeof text, form, values[0], values[1], values[2], kept);
    else
        words_format(text, sizeof text, form, kept);
    return grade_kept(text, arena);
}

// Where the sentence goes, in each language, and the memory it lies in.
typedef struct Telling {
    const char **sentences;
    Arena *arena;
} Telling;

static void say(const GradeOrder *order, Trust why, const char *const values[3],
                const Telling *telling)
{
    for (int language = 0; language < LANGUAGES; language++)
        telling->sentences[language] = in_words(order, why, language, values, telling->arena);
}

// Whether what was answered after another call, or was not (`end`), is what was answered without one.
static bool differs(const GradeOrder *order, WorkerEnd end, const GradeCase *drawn,
                    const Tensor *after, const Tensor *without, const Telling *telling)
{
    const char *values[3] = {NULL};
    char place[128];
    TensorDifference difference = {.kind = DIFFERENCE_SHAPE};
    if (end == WORKER_ANSWERED)
        difference = grade_difference(drawn, after, without);
    if (difference.kind == DIFFERENCE_NONE)
        return false;
    if (difference.kind == DIFFERENCE_SHAPE) {
        say(order, TRUST_SILENT, values, telling);
        return true;
    }
    double now = tensor_number(after, difference.first_at);
    double then = tensor_number(without, difference.first_at);
    values[0] = grade_property_place(drawn, difference.first_at, place);
    values[1] = grade_number(now, then, telling->arena);
    values[2] = grade_number(then, now, telling->arena);
    say(order, TRUST_ORDER, values, telling);
    return true;
}

// --- asking

// A case in a process that was asked nothing before; `after` is what came of it here.
static bool depends_on_process(GradeOrder *order, GradeCase *asked, const StageArgs *before,
                               WorkerEnd end, const Tensor *after, const Telling *telling)
{
    worker_close(order->worker);
    return ask(order, asked, before) == WORKER_ANSWERED &&
           differs(order, end, asked, after, grade_result(asked), telling);
}

bool grade_trust_differs(GradeOrder *order, const char *sentences[LANGUAGES], Arena *arena)
{
    Tensor here[STAGE_WRITES_MAX];
    grade_case_keep(order->drawn, order->before, here);
    return depends_on_process(order, order->drawn, order->before, WORKER_ANSWERED,
                              &here[grade_main_slot(order->drawn)], &(Telling){sentences, arena});
}

bool grade_trust_depends(GradeOrder *order, GradeCase *other, const char *sentences[LANGUAGES],
                         Arena *arena)
{
    const StageArgs before_other = other->given;
    Tensor first[STAGE_WRITES_MAX], after[STAGE_WRITES_MAX];
    int slot = grade_main_slot(order->drawn);
    grade_case_keep(order->drawn, order->before, first);
    WorkerEnd end = ask(order, other, &before_other);
    bool is_right = end == WORKER_ANSWERED && grade_case_same(other, other->expected);
    if (end == WORKER_NOT_JUDGED || end == WORKER_TIMED_OUT)
        return false;
    grade_case_keep(other, &before_other, after);
    WorkerEnd again = ask(order, order->drawn, order->before);
    if (again == WORKER_NOT_JUDGED || (again == WORKER_TIMED_OUT && worker_is_spent(order->worker)))
        return false;
    const Telling telling = {sentences, arena};
    return differs(order, again, order->drawn, grade_result(order->drawn), &first[slot],
                   &telling) ||
           (!is_right &&
            depends_on_process(order, other, &before_other, end, &after[slot], &telling));
}

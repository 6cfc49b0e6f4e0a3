// Explains wrong numbers by mistakes, relations and broken properties; see grade_internal.h.
#include "grade_internal.h"

#include <math.h>
#include <string.h>

#include "relation.h"
#include "relation_tools.h"
#include "words.h"

// --- names
//
// A mistake that makes the wrong numbers, or a relation from the right ones to them. In one case much holds by
// chance, so all cases must agree.

// --- during a case

// A trace of one step, of the stage that explains the exercise.
typedef struct StandIn {
    Trace trace;
    TraceStep step;
} StandIn;

static void stand_in(StandIn *stand_in, const GradeCase *drawn, StageArgs *args, RelationCase *what)
{
    const Stage *stage = stage_find(drawn->exercise->explains);
    stand_in->step = (TraceStep){.stage = stage, .call = &stage->calls[0]};
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        stand_in->step.reads[slot] = -1;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        stand_in->step.writes[slot] = -1;
    stand_in->trace = drawn->trace;
    stand_in->trace.steps = &stand_in->step;
    stand_in->trace.step_count = 1;
    *args = drawn->given;
    args->out[stage->main_output] = drawn->expected[0];
    args->options = &drawn->scenario.options;
    what->right = &stand_in->trace;
    what->step = 0;
    what->given = args;
    what->axes = drawn->call->writes[0].axes;
}

// Returns false if no relation applies to such numbers.
static bool case_of(const GradeCase *drawn, int slot, StandIn *other, StageArgs *args,
                    RelationCase *what)
{
    const Tensor *wrong = &drawn->given.out[slot], *right = &drawn->expected[slot];
    const Trace *trace = &drawn->trace;
    *what = (RelationCase){.right = trace,
                           .step = drawn->step,
                           .wrong = wrong,
                           .known = right,
                           .axes = drawn->exercise->tensor ? "B L Din" : "B L Dout",
                           .machine = what->machine,
                           .tensor = drawn->exercise->tensor,
                           .kept = what->kept};
    if (wrong->dtype != right->dtype || !tensor_same_shape(wrong, right))
        return false;
    if (drawn->exercise->arrange && !drawn->exercise->explains) {
        what->function = drawn->exercise->name;
        what->arguments = drawn->call;
        what->passed = &drawn->given;
    }
    if (drawn->exercise->explains)
        stand_in(other, drawn, args, what);
    if (drawn->step < 0 || drawn->exercise->explains)
        return true;
    const TraceStep *step = &trace->steps[drawn->step];
    what->given = args;
    int main_slot = drawn->exercise->arrange ? 0 : step->stage->main_output;
    bool is_other = slot != main_slot && !drawn->exercise->arrange && right->dtype == DTYPE_BOOL;
    what->output = is_other ? slot : 0;
    what->axes = step->call->writes[is_other ? slot : step->stage->main_output].axes;
    if ((slot != main_slot && !is_other) ||
        !trace_arguments(trace, drawn->step, args, what->machine))
        return false;
    for (int i = 0; !drawn->exercise->arrange && i < STAGE_READS_MAX; i++)
        args->in[i] = drawn->given.in[i]; // with the strides that the function saw
    return true;
}

// The step's inputs by the names of the learner's parameters.
static void name_inputs(StageCall *named, const GradeCase *drawn, const StageArgs *args)
{
    bool is_arranged = drawn->exercise->arrange && !drawn->exercise->explains;
    *named = is_arranged ? *drawn->trace.steps[drawn->step].call : *drawn->call;
    for (int slot = 0; is_arranged && slot < STAGE_READS_MAX; slot++)
        for (int i = 0; i < STAGE_READS_MAX && drawn->call->reads[i].role; i++)
            if (args->in[slot].storage.bytes &&
                args->in[slot].storage.bytes == drawn->given.in[i].storage.bytes)
                named->reads[slot].role = drawn->call->reads[i].role;
}

// True for a view of the right storage with another offset: all its numbers are foreign.
static bool begins_elsewhere(const GradeCase *drawn)
{
    const Tensor *view = grade_result(drawn), *right = grade_expected(drawn);
    return view->storage.bytes == right->storage.bytes && view->offset != right->offset;
}

// What the relations read in a case; nothing if none applies.
static void read_relations(GradeNaming *naming, const GradeCase *drawn, int slot)
{
    StageArgs args;
    StandIn other;
    Error err = {.text = ""};
    RelationReadings *readings = &naming->last;
    RelationCase what = {.machine = &err, .kept = naming->case_count > 0 ? &naming->agreed : NULL};
    readings->count = 0;
    if (drawn->unwritten[slot] > 0 || begins_elsewhere(drawn) ||
        !case_of(drawn, slot, &other, &args, &what))
        return;
    relation_read(&what, readings);
    grade_must(!err.of_machine, &err);
    if (drawn->step < 0)
        return;
    name_inputs(&naming->named, drawn, &args);
    for (int i = 0; i < readings->count; i++)
        readings->all[i].call = &naming->named;
}

// Skips mistakes in steps that the function does not replace.
static bool may_be_named(const Mistake *mistake, const GradeCase *drawn)
{
    bool found = false;
    for (const Stage *const *stage = mistake->stages; *stage; stage++)
        for (int i = 0; i < drawn->trace.step_count && !found; i++)
            found = (drawn->step < 0 || drawn->step == i) &&
                    strcmp((*stage)->name, drawn->trace.steps[i].stage->name) == 0;
    return found;
}

void grade_naming_read(GradeNaming *naming, const GradeCase *drawn, int slot, int test)
{
    GradeKnown *now = &naming->known[test];
    const Mistake *mistake;
    *now = (GradeKnown){.is_read = true,
                        .is_mask = drawn->expected[slot].dtype == DTYPE_BOOL,
                        .edge = grade_running(drawn).edge};
    for (int i = 0; i < GRADE_MISTAKES_MAX && (mistake = mistake_get(i)); i++)
        now->hides[i] = !may_be_named(mistake, drawn) ||
                        mistake_cannot_show_beside(mistake, &drawn->trace) != NULL;
    grade_naming_read_again(naming, drawn, slot);
}

void grade_naming_read_again(GradeNaming *naming, const GradeCase *drawn, int slot)
{
    read_relations(naming, drawn, slot);
    if (naming->case_count > 0)
        relation_agree(&naming->agreed, &naming->last);
    else
        naming->agreed = naming->last;
    bool begins_again = naming->agreed.count == 0 && naming->case_count > 0 && !naming->began_again;
    naming->case_count++;
    if (!begins_again)
        return;
    naming->began_again = true;
    naming->case_count = 0;
    grade_naming_read_again(naming, drawn, slot);
}

void grade_naming_read_right(GradeNaming *naming, const GradeCase *drawn, int slot)
{
    StageArgs args;
    StandIn other;
    Error err = {.text = ""};
    RelationCase what = {.machine = &err, .kept = &naming->agreed};
    if (naming->agreed.count == 0 || !case_of(drawn, slot, &other, &args, &what))
        return;
    what.is_right = true;
    relation_read(&what, &naming->last);
    grade_must(!err.of_machine, &err);
    relation_refute(&naming->agreed, &naming->last);
}

// --- after all cases

static bool names(const VerdictTest *test, const char *mistake)
{
    for (int i = 0; i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++)
        if (strcmp(test->mistakes[i], mistake) == 0)
            return true;
    return false;
}

static bool hides(const GradeKnown *one, const char *name)
{
    const Mistake *mistake;
    for (int i = 0; i < GRADE_MISTAKES_MAX && (mistake = mistake_get(i)); i++)
        if (strcmp(mistake->name, name) == 0)
            return one->hides[i];
    return false;
}

// A mistake is refuted by wrong numbers that it does not explain although it has an effect there. Where visible and
// hidden tests both name it, both must refute it, unless with other shapes it reads foreign numbers (a mask made from
// lengths does not).
static bool is_refuted(const GradeKnown known[], const Verdict *verdict, const char *mistake)
{
    bool named_by[2] = {false, false}, refuted_by[2] = {false, false};
    bool is_mask = false;
    for (int i = 0; i < verdict->count; i++) {
        is_mask = is_mask || known[i].is_mask;
        if (names(&verdict->tests[i], mistake))
            named_by[verdict->tests[i].hidden] = true;
    }
    for (int i = 0; i < verdict->count; i++)
        if (known[i].is_read && !verdict->tests[i].mistakes[0] && !hides(&known[i], mistake))
            refuted_by[verdict->tests[i].hidden] = true;
    if (!named_by[0] || !named_by[1] || is_mask)
        return refuted_by[0] || refuted_by[1];
    return refuted_by[0] && refuted_by[1] && !mistake_find(mistake)->reads_beyond;
}

static void drop_refuted(const GradeKnown known[], Verdict *verdict)
{
    for (int i = 0; i < verdict->count; i++) {
        const char **mistakes = verdict->tests[i].mistakes;
        int kept = 0;
        for (int m = 0; m < VERDICT_MISTAKES_MAX && mistakes[m]; m++)
            if (!is_refuted(known, verdict, mistakes[m]))
                mistakes[kept++] = mistakes[m];
        for (; kept < VERDICT_MISTAKES_MAX; kept++)
            mistakes[kept] = NULL;
    }
}

// The numbers of one test may fit two mistakes; keeps those that all tests agree on. If they agree on none, there may
// be several mistakes, and each test keeps its own.
static void agree_on_mistakes(Verdict *verdict)
{
    const char *common[VERDICT_MISTAKES_MAX] = {NULL};
    int count = 0;
    for (int i = 0; i < verdict->count; i++)
        for (int m = 0; m < VERDICT_MISTAKES_MAX && verdict->tests[i].mistakes[m]; m++) {
            const char *mistake = verdict->tests[i].mistakes[m];
            bool is_new = true; // and named by all
            for (int before = 0; before < count; before++)
                is_new = is_new && strcmp(common[before], mistake) != 0;
            for (int other = 0; other < verdict->count; other++)
                is_new = is_new && (!verdict->tests[other].mistakes[0] ||
                                    names(&verdict->tests[other], mistake));
            if (is_new && count < VERDICT_MISTAKES_MAX)
                common[count++] = mistake;
        }
    for (int i = 0; i < verdict->count && count > 0; i++)
        if (verdict->tests[i].mistakes[0])
            memcpy(verdict->tests[i].mistakes, common, sizeof common);
}

// True if all cases read the same. A relation that explains all cases beats a mistake that explains some, unless the
// rest may have read foreign numbers.
static bool grade_naming_relates(const GradeNaming *naming, const Verdict *verdict)
{
    bool explained = true;
    bool reads_beyond = false;
    for (int i = 0; i < verdict->count; i++) {
        const char *mistake = verdict->tests[i].mistakes[0];
        explained = explained && (!naming->known[i].is_read || mistake);
        reads_beyond = reads_beyond || (mistake && mistake_find(mistake)->reads_beyond);
    }
    return !explained && !reads_beyond && naming->agreed.count > 0;
}

void grade_naming_say(GradeNaming *naming, Verdict *verdict)
{
    relation_drop(&naming->agreed, RELATION_DOUBTFUL);
    if (naming->came_right)
        relation_drop(&naming->agreed, RELATION_ALWAYS);
    if (naming->case_count < 2 || !grade_naming_relates(naming, verdict))
        return;
    VerdictTest *first = NULL;
    for (int i = verdict->count - 1; i >= 0; i--)
        if (naming->known[i].is_read)
            first = &verdict->tests[i];
    for (int i = 0; i < verdict->count; i++)
        memset(verdict->tests[i].mistakes, 0, sizeof verdict->tests[i].mistakes);
    for (int language = 0; language < LANGUAGES; language++) {
        Error err;
        char text[RELATION_TEXT_MAX];
        first->relation[language] = arena_text(
            &verdict->arena, relation_say(&naming->agreed, (Language)language, text), &err);
        grade_must(first->relation[language] != NULL, &err);
    }
    Error err;
    RelationEdit edit;
    char lines[RELATION_SHOWN_MAX];
    if (*relation_show(&naming->agreed, lines))
        grade_must((first->formulas = arena_text(&verdict->arena, lines, &err)) != NULL, &err);
    if (!relation_edit_of(&naming->agreed, &edit))
        return;
    first->edited = edit.stage;
    for (int language = 0; language < LANGUAGES; language++)
        grade_must((first->edit_kind[language] =
                        arena_text(&verdict->arena, edit.kind[language], &err)) != NULL,
                   &err);
}

void grade_naming_agree(const GradeNaming *naming, Verdict *verdict)
{
    drop_refuted(naming->known, verdict);
    agree_on_mistakes(verdict);
}

// --- further draws

// 16 further draws for a visible and a hidden test: what holds by chance in half of the cases passes once in 65,000
// times.
enum { ROUNDS = 4 };

static struct GradeRange and_more(struct GradeRange range)
{
    return (struct GradeRange){range.least, range.most + 2};
}

// An edge has one size per axis; slightly larger ones refute what holds for that size only.
static GradeSizes sizes_of(const GradeKnown *known, bool is_hidden)
{
    GradeSizes sizes = is_hidden ? grade_hidden : grade_shown;
    if (known->edge > 0 && grade_edge(known->edge - 1, &sizes)) {
        sizes.batch = and_more(sizes.batch);
        sizes.heads = and_more(sizes.heads);
        sizes.length = and_more(sizes.length);
        sizes.width = and_more(sizes.width);
    }
    return sizes;
}

bool grade_witness(GradeRun *run, int count, GradeAgain *again, Error *err)
{
    const Verdict *verdict = run->verdict;
    bool good = true;
    for (int i = 0; i < ROUNDS * verdict->count && good; i++) {
        int number = i % verdict->count;
        const GradeKnown *known = &run->naming.known[number];
        if (!known->is_read || !grade_naming_relates(&run->naming, verdict))
            continue;
        VerdictTest record = {.name = NULL};
        const GradeAlone alone = {.number = number % count,
                                  .sizes = sizes_of(known, verdict->tests[number].hidden),
                                  .edge = known->edge,
                                  .hidden = verdict->tests[number].hidden,
                                  .round = 1 + i / verdict->count};
        good = again(run, &alone, &record, err);
        run->naming.came_right = run->naming.came_right || record.end == VERDICT_PASSED;
    }
    return good;
}

// --- in one answer
//
// Invariants of right numbers, checked in wrong ones. Each function finds the first violation.

// A violation: an element, or a row if the last index is -1, and the value there.
typedef struct Break {
    ptrdiff_t at[TENSOR_RANK_MAX];
    double number, bound;
} Break;

typedef bool Property(const GradeCase *drawn, Break *found);

static bool no_sign(const GradeCase *drawn, Break *found)
{
    const Tensor *weights = grade_result(drawn);
    do {
        found->number = tensor_number(weights, found->at);
        if (found->number < 0.0)
            return true;
    } while (tensor_next(weights, found->at));
    return false;
}

// The first row with another sum.
static bool row_sum(const GradeCase *drawn, double right, double within, Break *found)
{
    const Tensor *rows = grade_result(drawn);
    int last = rows->rank - 1;
    double sum = 0.0;
    do {
        sum = found->at[last] == 0 ? 0.0 : sum;
        sum += tensor_number(rows, found->at);
        if (found->at[last] == rows->shape[last] - 1 && isfinite(sum) &&
            fabs(sum - right) > within) {
            found->at[last] = -1;
            found->number = sum;
            return true;
        }
    } while (tensor_next(rows, found->at));
    return false;
}

static bool row_sum_1(const GradeCase *drawn, Break *found)
{
    return row_sum(drawn, 1.0, 1e-3, found);
}

static bool row_sum_0(const GradeCase *drawn, Break *found)
{
    const Tensor *right = grade_expected(drawn);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 1.0;
    do
        largest = fmax(largest, fabs(tensor_number(right, at)));
    while (tensor_next(right, at));
    return row_sum(drawn, 0.0, 1e-2 * largest, found);
}

static bool lets_through(const GradeCase *drawn, Break *found)
{
    const Tensor *scores = grade_result(drawn);
    do {
        found->number = tensor_number(scores, found->at);
        if (found->at[3] > found->at[2] && isfinite(found->number))
            return true;
    } while (tensor_next(scores, found->at));
    return false;
}

// Weights are shares: a mixture lies within its column's range. Not checked if dropout scaled the weights.
static bool mixture(const GradeCase *drawn, Break *found)
{
    const Tensor *context = grade_result(drawn), *v = &drawn->given.in[1];
    if (drawn->wishes & GRADE_DROPOUT)
        return false;
    do {
        found->bound = -INFINITY;
        for (ptrdiff_t j = 0; j < v->shape[2]; j++)
            found->bound = fmax(
                found->bound, (double)*tensor_at4(v, found->at[0], found->at[1], j, found->at[3]));
        found->number = tensor_number(context, found->at);
        if (found->number > found->bound + 1e-3 * (1.0 + fabs(found->bound)))
            return true;
    } while (tensor_next(context, found->at));
    return false;
}

// Ids written through an int32_t *: each element holds two.
static bool two_in_one(const GradeCase *drawn, Break *found)
{
    const Tensor *ids = grade_result(drawn), *right = grade_expected(drawn);
    if (ids->shape[1] < 2 || ids->dtype != DTYPE_I64 || *tensor_id2(right, 0, 1) == 0)
        return false;
    int64_t two = *tensor_id2(right, 0, 0) + *tensor_id2(right, 0, 1) * ((int64_t)1 << 32);
    found->number = (double)two;
    return *tensor_id2(ids, 0, 0) == two;
}

// True if each row is marked as for this length, from it on or (`alone`) at that place only; `found` is the first
// difference to the right mask.
static bool is_marked(const GradeCase *drawn, int row_of_length, bool alone, Break *found)
{
    const Tensor *mask = grade_result(drawn), *lengths = &drawn->given.in[1];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool differs = false;
    do {
        ptrdiff_t row = row_of_length < 0 ? at[0] : row_of_length;
        ptrdiff_t length = *tensor_id1(lengths, row);
        bool marked = tensor_number(mask, at) != 0.0;
        if (marked != (alone ? at[1] == length : at[1] >= length))
            return false;
        if (!differs && marked != (tensor_number(grade_expected(drawn), at) != 0.0)) {
            memcpy(found->at, at, sizeof at);
            found->number = marked;
            differs = true;
        }
    } while (tensor_next(mask, at));
    return differs;
}

static bool other_offset(const GradeCase *drawn, Break *found)
{
    found->number = (double)grade_result(drawn)->offset;
    found->bound = (double)grade_expected(drawn)->offset;
    return begins_elsewhere(drawn);
}

// The first axis with another stride.
static bool other_stride(const GradeCase *drawn, Break *found)
{
    const Tensor *view = grade_result(drawn), *right = grade_expected(drawn);
    for (int axis = 0; axis < view->rank; axis++)
        if (view->shape[axis] > 1 && view->stride[axis] != right->stride[axis]) {
            found->at[axis] = 1;
            found->number = (double)view->stride[axis];
            found->bound = (double)right->stride[axis];
            return true;
        }
    return false;
}

// A flag that is neither 0 nor 1.
static bool no_flag(const GradeCase *drawn, Break *found)
{
    const Tensor *mask = grade_result(drawn);
    do {
        found->number = (double)*tensor_flag2(mask, found->at[0], found->at[1]);
        if (found->number > 1.0)
            return true;
    } while (tensor_next(mask, found->at));
    return false;
}

static bool first_length(const GradeCase *drawn, Break *found)
{
    return is_marked(drawn, 0, false, found);
}

static bool marks_one(const GradeCase *drawn, Break *found)
{
    return is_marked(drawn, -1, true, found);
}

static const struct {
    const char *exercises;
    Property *breaks;
    Words words;
} properties[] = {
#define PROPERTY(exercises, breaks, english, korean) {exercises, breaks, WORDS(english, korean)},
#include "grade_properties.def"
};

// True if the list "score scale " contains the exercise or is empty.
static bool grade_property_is_of(const char *exercises, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = exercises; (at = strstr(at, name)); at++)
        if ((at == exercises || at[-1] == ' ') && at[length] == ' ')
            return true;
    return !*exercises;
}

const char *grade_property_place(const GradeCase *drawn, const ptrdiff_t at[], char text[128])
{
    const Tensor *result = grade_result(drawn);
    snprintf(text, 128, "%s", drawn->call->writes[grade_main_slot(drawn)].tensor);
    return verdict_add_index(text, 128, result->rank, at);
}

void grade_property_say(const GradeCase *drawn, VerdictTest *test, Arena *arena)
{
    const char *name = drawn->exercise->name;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        Break found = {.number = 0.0};
        char place[128], text[256];
        if (!grade_property_is_of(properties[i].exercises, name) ||
            !properties[i].breaks(drawn, &found))
            continue;
        for (int language = 0; language < LANGUAGES; language++) {
            Error err;
            words_format(text, sizeof text, properties[i].words.in[language],
                         grade_property_place(drawn, found.at, place),
                         grade_number(found.number, found.bound, arena),
                         grade_number(found.bound, found.number, arena));
            test->property[language] = arena_text(arena, text, &err);
            grade_must(test->property[language] != NULL, &err);
        }
        return;
    }
}

// --- between two answers
//
// Relations between two calls, checked where the first answer is wrong: repeated, with the heads reversed, with an
// input doubled.

typedef struct Second {
    const GradeCase *drawn;
    int number;      // index of the row
    StageArgs asked; // the changed inputs
    Tensor answer;   // predicted from the first answer
} Second;

// Fills in the inputs and the predicted answer, which start as copies. Returns false if this case does not allow it.
typedef bool SecondTest(Second *second);

static bool again(Second *second)
{
    return second->number == 0;
}

// Reverses an axis; returns false if there is nothing to reverse.
static bool turn(const Tensor *from, const Tensor *to, const char *axes, int symbol)
{
    int axis = 0;
    while (axis < from->rank && (int)relation_axis(axes, axis) != symbol)
        axis++;
    if (axis == from->rank)
        return false;
    ptrdiff_t length = from->shape[axis];
    for (ptrdiff_t i = 0; i < length; i++) {
        Tensor one = tensor_narrow(from, axis, i, 1);
        Tensor other = tensor_narrow(to, axis, length - 1 - i, 1);
        tensor_copy(&one, &other);
    }
    return length > 1;
}

static bool turned(Second *second)
{
    const GradeCase *drawn = second->drawn;
    const StageCall *call = drawn->call;
    bool any = false;
    for (int slot = 0; slot < STAGE_READS_MAX && call->reads[slot].role; slot++)
        if (drawn->given.in[slot].storage.bytes &&
            turn(&drawn->given.in[slot], &second->asked.in[slot], call->reads[slot].axes,
                 second->number))
            any = true;
    turn(grade_result(drawn), &second->answer, call->writes[grade_main_slot(drawn)].axes,
         second->number);
    return any;
}

static bool shifted(Second *second)
{
    Tensor *in = &second->asked.in[0];
    for (ptrdiff_t i = 0; i < tensor_count(in); i++)
        in->storage.f32[i] += (float)second->number;
    return true;
}

// The input's part of the result doubles; a bias, the third input, does not.
static bool doubled(Second *second)
{
    const Tensor *bias = &second->drawn->given.in[2];
    bool has_bias = bias->storage.bytes && bias->rank == 1;
    Tensor *in = &second->asked.in[second->number], *answer = &second->answer;
    ptrdiff_t width = answer->shape[answer->rank - 1];
    if (has_bias && bias->shape[0] != width)
        return false;
    for (ptrdiff_t i = 0; i < tensor_count(in); i++)
        in->storage.f32[i] *= 2.0f;
    for (ptrdiff_t i = 0; i < tensor_count(answer); i++) {
        float once = has_bias ? *tensor_at1(bias, i % width) : 0.0f;
        answer->storage.f32[i] = 2.0f * answer->storage.f32[i] - once;
    }
    return true;
}

static const struct {
    SecondTest *test;
    int number;
    const char *exercises;
    Words words;
} seconds[] = {
#define SECOND(test, number, exercises, english, korean) \
    {test, number, exercises, WORDS(english, korean)},
#include "grade_properties.def"
};

static Tensor copy_of(GradeCase *drawn, const Tensor *tensor)
{
    if (!tensor->storage.bytes)
        return *tensor;
    Tensor copy = grade_room(drawn, tensor);
    tensor_copy(tensor, &copy);
    return copy;
}

static double largest_of(const Tensor *tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0;
    do
        if (isfinite(tensor_number(tensor, at)))
            largest = fmax(largest, fabs(tensor_number(tensor, at)));
    while (tensor_next(tensor, at));
    return largest;
}

// The first number that differs by more than a wrong formula's rounding, where the first answer was a number.
static bool find_break(const Tensor *now, const Tensor *answer, ptrdiff_t at[])
{
    double largest = largest_of(answer);
    do {
        double is = tensor_number(now, at), should = tensor_number(answer, at);
        double allowed = 1e-3 * fabs(should) + 1e-5 * largest + 1e-6;
        if (isfinite(should) && !(fabs(is - should) <= allowed))
            return true;
    } while (tensor_next(now, at));
    return false;
}

// Calls the function and finds where the answer differs from the prediction.
static bool breaks(GradeCase *drawn, int row, Second *second, ptrdiff_t at[])
{
    WorkerAnswer ignored;
    *second = (Second){.drawn = drawn, .number = seconds[row].number, .asked = drawn->given};
    for (int i = 0; i < STAGE_READS_MAX; i++)
        second->asked.in[i] = copy_of(drawn, &drawn->given.in[i]);
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        second->asked.out[i] = copy_of(drawn, &drawn->given.out[i]);
    second->answer = copy_of(drawn, grade_result(drawn));
    return seconds[row].test(second) &&
           worker_call(grade_running(drawn).workers->first, drawn->call, &second->asked,
                       &ignored) == WORKER_ANSWERED &&
           tensor_same_shape(&second->asked.out[grade_main_slot(drawn)], &second->answer) &&
           find_break(&second->asked.out[grade_main_slot(drawn)], &second->answer, at);
}

static void note(const Second *second, int row, const ptrdiff_t at[], VerdictTest *test,
                 Arena *arena)
{
    const GradeCase *drawn = second->drawn;
    double now = tensor_number(&second->asked.out[grade_main_slot(drawn)], at);
    double should = tensor_number(&second->answer, at);
    for (int language = 0; language < LANGUAGES; language++) {
        Error err;
        char place[128], text[512];
        words_format(text, sizeof text, seconds[row].words.in[language],
                     grade_property_place(drawn, at, place), grade_number(now, should, arena),
                     grade_number(should, now, arena), drawn->call->reads[0].role);
        test->property[language] = arena_text(arena, text, &err);
        grade_must(test->property[language] != NULL, &err);
    }
}

void grade_second_say(GradeCase *drawn, VerdictTest *test, Arena *arena)
{
    const Tensor *result = grade_result(drawn);
    if (drawn->exercise->arrange || result->dtype != DTYPE_F32 ||
        drawn->call->writes[grade_main_slot(drawn)].is_view)
        return;
    for (int slot = 0; slot < STAGE_WRITES_MAX; slot++)
        drawn->given.out[slot] = copy_of(drawn, &drawn->given.out[slot]);
    for (int row = 0; row < (int)(sizeof seconds / sizeof *seconds); row++) {
        Second second;
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        if (grade_property_is_of(seconds[row].exercises, drawn->exercise->name) &&
            breaks(drawn, row, &second, at)) {
            note(&second, row, at, test, arena);
            return;
        }
    }
}

// --- elements that were only added to

static const Words words =
#define ADDED(english, korean) WORDS(english, korean)
#include "grade_properties.def"
    ;

// The same call with outputs that start at 0. Returns false without an answer.
static bool ask_from_0(GradeCase *drawn, StageArgs *args)
{
    WorkerAnswer ignored;
    Worker *worker = grade_running(drawn).workers->first;
    *args = drawn->given;
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        if (args->out[i].storage.bytes && !drawn->call->writes[i].is_view)
            args->out[i] = grade_room(drawn, &drawn->given.out[i]);
    worker->begins_at_0 = true;
    bool answered = worker_call(worker, drawn->call, args, &ignored) == WORKER_ANSWERED;
    worker->begins_at_0 = false;
    return answered;
}

// Counts elements that looked unwritten and are no longer 0, including sums of 0 if there is another. `where` is the
// first.
static ptrdiff_t count_added(const Tensor *before, const Tensor *from_0, const Tensor *known,
                             ptrdiff_t where[])
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = 0, sums_of_0 = 0;
    do {
        if (!worker_unwritten(before, at))
            continue;
        if (tensor_number(from_0, at) != 0.0) {
            if (count++ == 0)
                memcpy(where, at, sizeof at);
        } else if (tensor_number(known, at) == 0.0) {
            sums_of_0++;
        }
    } while (tensor_next(before, at));
    return count > 0 ? count + sums_of_0 : 0;
}

void grade_added_say(GradeCase *drawn, int slot, const ptrdiff_t first[], VerdictTest *test,
                     Arena *arena)
{
    StageArgs args;
    ptrdiff_t where[TENSOR_RANK_MAX] = {0};
    const Tensor *before = &drawn->given.out[slot], *known = &drawn->expected[slot];
    if (drawn->unwritten[slot] == 0 || before->dtype != DTYPE_F32 || !ask_from_0(drawn, &args))
        return;
    ptrdiff_t count = count_added(before, &args.out[slot], known, where);
    if (count == 0)
        return;
    test->unwritten -= count;
    if (worker_unwritten(before, first) && tensor_number(&args.out[slot], first) != 0.0)
        test->kind = VERDICT_KIND_ADDED;
    for (int language = 0; language < LANGUAGES && !test->hidden; language++) {
        char place[128], text[256];
        words_format(text, sizeof text, words.in[language],
                     grade_property_place(drawn, where, place));
        test->property[language] = grade_kept(text, arena);
    }
}

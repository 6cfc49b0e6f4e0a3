// What is said of wrong numbers; see grade_internal.h.
#include <string.h>
#include "grade_internal.h"

// --- names
//
// what is said of wrong numbers: the mistake that makes them, or else what maps the right
// ones to them. Of one case much is true by chance, so all cases must agree.

// --- while the case is there

// A trace with one step, of the stage that explains the exercise.
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

// False where no relation speaks of such numbers.
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
        args->in[i] = drawn->given.in[i]; // the strides that the function was given
    return true;
}

// The inputs of the step, as the learner's function calls them.
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

// What relations read in a case; nothing where none can speak of it.
static void read_relations(GradeNaming *naming, const GradeCase *drawn, int slot)
{
    StageArgs args;
    StandIn other;
    Error err = {.text = ""};
    RelationReadings *readings = &naming->last;
    RelationCase what = {.machine = &err, .kept = naming->case_count > 0 ? &naming->agreed : NULL};
    readings->count = 0;
    if (drawn->unwritten[slot] > 0 || !case_of(drawn, slot, &other, &args, &what))
        return;
    relation_read(&what, readings);
    grade_must(!err.of_machine, &err);
    if (drawn->step < 0)
        return;
    name_inputs(&naming->named, drawn, &args);
    for (int i = 0; i < readings->count; i++)
        readings->all[i].call = &naming->named;
}

// What replaces no step that the function stands for is not named: nobody asks whether it would show.
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
    if (naming->case_count++ == 0)
        naming->agreed = naming->last;
    else
        relation_agree(&naming->agreed, &naming->last);
}

// --- when all cases have been tried

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

static bool all_name(const Verdict *verdict, const char *mistake)
{
    for (int i = 0; i < verdict->count; i++)
        if (verdict->tests[i].mistakes[0] && !names(&verdict->tests[i], mistake))
            return false;
    return true;
}

// Wrong numbers that no mistake makes, though this one would show: then it is not what was done, unless
// shown and hidden numbers both name it (on other shapes a mistake may read what is no number of its; a mask,
// which is read from lengths alone, does not).
static bool is_refuted(const GradeKnown known[], const Verdict *verdict, const char *mistake)
{
    bool named_by[2] = {false, false};
    bool is_mask = false;
    for (int i = 0; i < verdict->count; i++) {
        is_mask = is_mask || known[i].is_mask;
        if (names(&verdict->tests[i], mistake))
            named_by[verdict->tests[i].hidden] = true;
    }
    if (named_by[0] && named_by[1] && !is_mask)
        return false;
    for (int i = 0; i < verdict->count; i++)
        if (known[i].is_read && !verdict->tests[i].mistakes[0] && !hides(&known[i], mistake))
            return true;
    return false;
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

// The numbers of one test may fit two mistakes: what all tests agree on is what it was. Where they
// agree on nothing, there may be several mistakes, and each test keeps its own.
static void agree_on_mistakes(Verdict *verdict)
{
    const char *common[VERDICT_MISTAKES_MAX] = {NULL};
    int count = 0;
    for (int i = 0; i < verdict->count; i++)
        for (int m = 0; m < VERDICT_MISTAKES_MAX && verdict->tests[i].mistakes[m]; m++) {
            const char *mistake = verdict->tests[i].mistakes[m];
            bool is_new = true;
            for (int before = 0; before < count; before++)
                is_new = is_new && strcmp(common[before], mistake) != 0;
            if (is_new && count < VERDICT_MISTAKES_MAX && all_name(verdict, mistake))
                common[count++] = mistake;
        }
    for (int i = 0; i < verdict->count && count > 0; i++)
        if (verdict->tests[i].mistakes[0])
            memcpy(verdict->tests[i].mistakes, common, sizeof common);
}

// Two cases at least, all of which read the same. What explains all of them is what was done: a mistake
// that explains only some of them is not.
static bool grade_naming_relates(const GradeNaming *naming, const Verdict *verdict)
{
    bool explained = true;
    for (int i = 0; i < verdict->count; i++)
        explained = explained && (!naming->known[i].is_read || verdict->tests[i].mistakes[0]);
    return naming->case_count > 1 && !explained && naming->agreed.count > 0;
}

void grade_naming_say(GradeNaming *naming, Verdict *verdict)
{
    relation_drop_doubtful(&naming->agreed);
    if (naming->came_right)
        relation_drop_always(&naming->agreed);
    if (!grade_naming_relates(naming, verdict))
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

// Two tests, shown and hidden, have 16 further draws. What is true of every second one by chance passes once in
// 65,000 times.
enum { ROUNDS = 4 };

static struct GradeRange and_more(struct GradeRange range)
{
    return (struct GradeRange){range.least, range.most + 2};
}

// An edge has one size of each axis: at a little more it shows what was told of that size alone.
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

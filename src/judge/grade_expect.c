// What a test expects of a result, and the record of a failure in words and numbers; see grade.h.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "grade_internal.h"

// --- the record

enum {
    PRINTED_LINES = 12,
    PRINTED_BYTES = 1000,
    NUMBERS_SHOWN = 6,
    NUMBERS_MAX = 96,
    GIVEN_MAX = 512
};

const char *grade_title(const char *name, Arena *arena)
{
    Error err;
    char *title = arena_text(arena, name, &err);
    grade_must(title != NULL, &err);
    for (char *at = title; *at; at++)
        if (*at == '_')
            *at = ' ';
    return title;
}

static double option_value(const StageOptions *options, unsigned option)
{
    switch (option) {
    case GRADE_TAKES_PAD_ID:
        return (double)options->pad_id;
    case GRADE_TAKES_HEADS:
        return (double)options->heads;
    case GRADE_TAKES_D_K:
        return round((double)options->scale * (double)options->scale);
    case GRADE_TAKES_P:
        return options->dropout_p;
    case GRADE_TAKES_RATE:
        return (double)options->rate;
    case GRADE_TAKES_T:
        return (double)options->update;
    default:
        return options->causal;
    }
}

// ", heads = 3, causal = 1"
static void add_options(const GradeCase *drawn, char text[GIVEN_MAX])
{
    static const struct {
        unsigned option;
        const char *name;
    } all[] = {{GRADE_TAKES_PAD_ID, "pad_id"},
               {GRADE_TAKES_HEADS, "heads"},
               {GRADE_TAKES_D_K, "d_k"},
               {GRADE_TAKES_P, "p"},
               {GRADE_TAKES_CAUSAL, "causal"},
               {GRADE_TAKES_RATE, "rate"},
               {GRADE_TAKES_T, "t"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (drawn->exercise->takes & all[i].option)
            text_add(text, GIVEN_MAX, ", %s = %.9g", all[i].name,
                     option_value(drawn->given.options, all[i].option));
}

// " = [3, -1]", for computing by hand; "" if there are many.
static const char *few_numbers(const Tensor *in, char text[NUMBERS_MAX])
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = tensor_count(in);
    text[0] = '\0';
    if (count > NUMBERS_SHOWN || count == 0)
        return text;
    do
        text_add(text, NUMBERS_MAX, "%s%.6g", *text ? ", " : " = [", tensor_number(in, at));
    while (tensor_next(in, at));
    return text_add(text, NUMBERS_MAX, "]");
}

const char *grade_given(const GradeCase *drawn, Arena *arena)
{
    Error err;
    char text[GIVEN_MAX] = "", shape[TENSOR_TEXT_MAX], numbers[NUMBERS_MAX];
    bool is_small = grade_running(drawn).is_alone;
    for (int slot = 0; slot < STAGE_READS_MAX && drawn->call->reads[slot].role; slot++) {
        const Tensor *in = &drawn->given.in[slot];
        bool is_there = in->storage.bytes != NULL;
        if (drawn->exercise->in[slot])
            text_add(text, sizeof text, "%s%s %s%s", *text ? ", " : "",
                     drawn->call->reads[slot].role,
                     is_there ? tensor_shape_text(in->rank, in->shape, shape) : "NULL",
                     is_there && is_small ? few_numbers(in, numbers) : "");
    }
    add_options(drawn, text);
    return grade_must_text(arena_text(arena, text, &err), &err);
}

// The length of the function's own output, before that of its process or a sanitizer.
static size_t own_words(const char *said)
{
    static const char *const others[] = {"\n@", "\n==", ": runtime error: "};
    size_t length = strlen(said);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *found = strstr(said, others[i]);
        size_t before = found ? (size_t)(found - said) : length;
        length = before < length ? before : length;
    }
    bool is_cut = strncmp(said + length, ": runtime", 9) == 0; // the line began with its position
    while (is_cut && length > 0 && said[length - 1] != '\n')
        length--;
    return length;
}

const char *grade_printed(const Worker *worker, Arena *arena)
{
    Error err;
    const char *said = worker->said;
    size_t length = own_words(said), kept = 0;
    for (int line = 0; line < PRINTED_LINES && kept < length; line++)
        kept += strcspn(said + kept, "\n") + 1;
    kept = kept < length ? kept : length;
    kept = kept < PRINTED_BYTES ? kept : PRINTED_BYTES;
    while (kept > 0 && ((unsigned char)said[kept] & 0xC0) == 0x80)
        kept--; // no partial character
    if (kept == 0)
        return NULL;
    return grade_must_text(
        arena_format(arena, &err, "%.*s%s", (int)kept, said, kept < length ? "..." : ""), &err);
}

// "scores[0, 1, 2, 3]"
static const char *place_text(const char *name, int rank, const ptrdiff_t at[], Arena *arena)
{
    Error err;
    char text[128] = "";
    verdict_add_index(text, sizeof text, rank, at);
    return grade_must_text(arena_format(arena, &err, "%s%s", name, text), &err);
}

static void record_shapes(VerdictTest *test, const Tensor *got, const Tensor *expected,
                          const char *name, Arena *arena)
{
    Error err;
    char text[TENSOR_TEXT_MAX];
    test->where = grade_must_text(arena_format(arena, &err, "%s.shape", name), &err);
    test->expected = grade_must_text(
        arena_text(arena, tensor_shape_text(expected->rank, expected->shape, text), &err), &err);
    test->got = grade_must_text(
        arena_text(arena, tensor_shape_text(got->rank, got->shape, text), &err), &err);
}

// The element's value; of a flag its byte: 255 is not 1.
static double number_given(const Tensor *got, const ptrdiff_t at[])
{
    return got->dtype == DTYPE_BOOL ? (double)got->storage.boolean[tensor_place(got, at)]
                                    : tensor_number(got, at);
}

// Records how the result of a slot differs, and the mistake behind it.
static void grade_record(VerdictTest *test, GradeCase *drawn, const GradeExercise *exercise,
                         int slot, Arena *arena)
{
    static const VerdictKind kinds[] = {
        [DIFFERENCE_NONE] = VERDICT_KIND_NONE,         [DIFFERENCE_SHAPE] = VERDICT_KIND_SHAPE,
        [DIFFERENCE_NUMBER] = VERDICT_KIND_NUMBER,     [DIFFERENCE_NAN] = VERDICT_KIND_NAN,
        [DIFFERENCE_INFINITE] = VERDICT_KIND_INFINITE, [DIFFERENCE_FINITE] = VERDICT_KIND_FINITE,
    };
    Error err;
    const Tensor *got = &drawn->given.out[slot], *expected = &drawn->expected[slot];
    const char *name = drawn->call->writes[slot].tensor;
    TensorDifference difference = grade_difference(drawn, got, expected);
    test->kind = kinds[difference.kind];
    if (difference.kind == DIFFERENCE_SHAPE) {
        record_shapes(test, got, expected, name, arena);
        return;
    }
    if (difference.kind == DIFFERENCE_NONE)
        return;
    double known = tensor_number(expected, difference.first_at),
           given = number_given(got, difference.first_at);
    bool is_there = drawn->unwritten[slot] == 0 || !worker_unwritten(got, difference.first_at);
    test->kind = is_there ? test->kind : VERDICT_KIND_UNWRITTEN;
    test->where = place_text(name, expected->rank, difference.first_at, arena);
    test->expected = grade_number(known, is_there ? given : known, arena);
    test->got = is_there ? grade_number(given, known, arena) : NULL;
    test->wrong = difference.count;
    test->all = difference.all;
    test->unwritten = drawn->unwritten[slot];
    test->worst = drawn->unwritten[slot] > 0 ? 0.0 : difference.worst;
    test->worst_ulp = drawn->unwritten[slot] > 0 ? 0 : (long long)difference.worst_ulp;
    test->map = grade_must_text(verdict_map(got, expected, arena, &err), &err);
    if (drawn->unwritten[slot] == 0)
        grade_case_mistakes(drawn, exercise, test->mistakes);
    else
        grade_added_say(drawn, slot, difference.first_at, test, arena);
}

int grade_passed(const VerdictTest tests[], int count)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += tests[i].end == VERDICT_PASSED;
    return found;
}

// --- expectations

// Relations know most about the main result, if that is wrong too.
static void read_relations(const GradeCase *drawn, int slot)
{
    int main_slot = grade_main_slot(drawn);
    const Tensor *given = &drawn->given.out[main_slot], *known = &drawn->expected[main_slot];
    bool is_wrong = grade_difference(drawn, given, known).kind != DIFFERENCE_NONE;
    GradeRunning running = grade_running(drawn);
    slot = is_wrong ? main_slot : slot;
    if (running.is_witness)
        grade_naming_read_again(running.naming, drawn, slot);
    else
        grade_naming_read(running.naming, drawn, slot, running.number);
}

// True for a wrong result without an explanation that the function has written completely.
static bool may_be_asked_again(const GradeCase *drawn)
{
    const VerdictTest *test = grade_running(drawn).test;
    int slot = grade_main_slot(drawn);
    return !test->hidden && !test->mistakes[0] && !test->property[LANGUAGE_ENGLISH] &&
           drawn->unwritten[slot] == 0 &&
           grade_difference(drawn, grade_result(drawn), grade_expected(drawn)).kind >
               DIFFERENCE_SHAPE;
}

// Records what differs in a slot.
static void note_difference(GradeCase *drawn, int slot)
{
    const GradeRunning running = grade_running(drawn);
    if (!running.test->where)
        grade_record(running.test, drawn, drawn->exercise, slot, running.arena);
    if (running.edge > 0 || running.is_alone) // mistakes of the bank show with any shape
        memset(running.test->mistakes, 0, sizeof running.test->mistakes);
    if (!running.is_alone)
        read_relations(drawn, slot);
    // Unwritten elements have no value to examine; ids written at double width leave half of their row unwritten.
    bool has_numbers =
        drawn->unwritten[grade_main_slot(drawn)] == 0 || grade_result(drawn)->dtype == DTYPE_I64;
    if (grade_difference(drawn, grade_result(drawn), grade_expected(drawn)).kind >
            DIFFERENCE_SHAPE &&
        has_numbers && !running.test->hidden)
        grade_property_say(drawn, running.test, running.arena);
    running.test->given = grade_given(drawn, running.arena);
    running.test->printed =
        running.test->hidden ? NULL : grade_printed(running.workers->first, running.arena);
    if (may_be_asked_again(drawn))
        grade_second_say(drawn, running.test, running.arena);
}

static void end_differing(GradeCase *drawn, int slot)
{
    if (grade_running(drawn).is_witness)
        read_relations(drawn, slot);
    else
        note_difference(drawn, slot);
    ck_abort_msg("%s", "other numbers");
}

void grade_expect_output(GradeCase *drawn, int slot)
{
    if (grade_difference(drawn, &drawn->given.out[slot], &drawn->expected[slot]).kind !=
        DIFFERENCE_NONE)
        end_differing(drawn, slot);
    if (grade_running(drawn).is_witness)
        grade_naming_read_right(grade_running(drawn).naming, drawn, slot);
}

void grade_expect_right(GradeCase *drawn)
{
    grade_expect_output(drawn, grade_main_slot(drawn));
}

void grade_expect_number(GradeCase *drawn, double expected, double got, double within,
                         const char *where, ...)
{
    bool equal = expected == got || (isnan(expected) && isnan(got));
    if (equal || fabs(expected - got) <= within)
        return;
    if (drawn->unwritten[grade_main_slot(drawn)] > 0)
        grade_expect_right(drawn); // ends the test: an unwritten element has no value to quote
    const GradeRunning running = grade_running(drawn);
    Error err;
    char text[128];
    va_list values;
    va_start(values, where);
    vsnprintf(text, sizeof text, where, values);
    va_end(values);
    grade_record(running.test, drawn, drawn->exercise, grade_main_slot(drawn), running.arena);
    running.test->where = arena_text(running.arena, text, &err);
    running.test->expected = grade_number(expected, got, running.arena);
    running.test->got = grade_number(got, expected, running.arena);
    end_differing(drawn, grade_main_slot(drawn));
}

void grade_expect_view(GradeCase *drawn)
{
    grade_expect_right(drawn);
    const Tensor *view = grade_result(drawn), *expected = grade_expected(drawn);
    ck_assert_ptr_eq(view->storage.bytes, expected->storage.bytes);
    for (int axis = 0; axis < expected->rank; axis++)
        if (expected->shape[axis] > 1) // an axis of length 1 has no step
            grade_expect_number(drawn, (double)expected->stride[axis], (double)view->stride[axis],
                                0.0, "%s.stride[%d]", drawn->call->writes[0].tensor, axis);
}

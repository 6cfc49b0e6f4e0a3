// grade_record: a failure in words and numbers, for the record.
#include "grade_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "grade_added.h"
#include "grade_run.h"

enum { PRINTED_LINES = 12, PRINTED_BYTES = 1000, NUMBERS_SHOWN = 6, NUMBERS_MAX = 96 };

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
static void add_options(const GradeCase *drawn, char *text, size_t room)
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
    size_t used = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && used < room; i++)
        if (drawn->exercise->takes & all[i].option)
            used += (size_t)snprintf(text + used, room - used, ", %s = %.9g", all[i].name,
                                     option_value(drawn->given.options, all[i].option));
}

// " = [3, -1]", so that one can compute it by hand; "" where there are many.
static const char *few_numbers(const Tensor *in, char text[NUMBERS_MAX])
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = tensor_count(in);
    size_t used = 0;
    text[0] = '\0';
    if (count > NUMBERS_SHOWN || count == 0)
        return text;
    do
        used += (size_t)snprintf(text + used, NUMBERS_MAX - used, "%s%.6g", used ? ", " : " = [",
                                 tensor_number(in, at));
    while (tensor_next(in, at) && used < NUMBERS_MAX);
    if (used < NUMBERS_MAX - 1)
        strcpy(text + used, "]");
    return text;
}

const char *grade_given(const GradeCase *drawn, Arena *arena)
{
    Error err;
    char text[512] = "", shape[TENSOR_TEXT_MAX], numbers[NUMBERS_MAX];
    size_t used = 0;
    bool is_small = grade_running(drawn).is_alone;
    for (int slot = 0; slot < STAGE_READS_MAX && drawn->call->reads[slot].role; slot++) {
        const Tensor *in = &drawn->given.in[slot];
        bool is_there = in->storage.bytes != NULL;
        if (!drawn->exercise->in[slot])
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s%s", used ? ", " : "",
                                 drawn->call->reads[slot].role,
                                 is_there ? tensor_shape_text(in->rank, in->shape, shape) : "NULL",
                                 is_there && is_small ? few_numbers(in, numbers) : "");
        if (used >= sizeof text)
            break;
    }
    if (used < sizeof text)
        add_options(drawn, text + used, sizeof text - used);
    return grade_must_text(arena_text(arena, text, &err), &err);
}

// Where the function's own words end and those of its process or of a sanitizer begin.
static size_t own_words(const char *said)
{
    static const char *const others[] = {"\n@", "\n==", ": runtime error: "};
    size_t length = strlen(said);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *found = strstr(said, others[i]);
        size_t before = found ? (size_t)(found - said) : length;
        length = before < length ? before : length;
    }
    bool is_cut = strncmp(said + length, ": runtime", 9) == 0; // the line began with its place
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
        kept--; // no half of a character
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
    size_t used = 0;
    for (int axis = 0; axis < rank && used < sizeof text; axis++)
        used += (size_t)snprintf(text + used, sizeof text - used, axis ? ", %td" : "%td", at[axis]);
    return grade_must_text(arena_format(arena, &err, "%s[%s]", name, text), &err);
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

// What stands there; of a flag whatever it is: 255 is not 1.
static double number_given(const Tensor *got, const ptrdiff_t at[])
{
    return got->dtype == DTYPE_BOOL ? (double)got->storage.boolean[tensor_place(got, at)]
                                    : tensor_number(got, at);
}

void grade_record(VerdictTest *test, GradeCase *drawn, const GradeExercise *exercise, int slot,
                  Arena *arena)
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

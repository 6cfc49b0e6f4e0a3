// grade_expect_...: what a test demands of a result; see grade.h.
#include "grade_run.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "grade_naming.h"
#include "grade_property.h"

// What relations know most of is the main result, where that is wrong too.
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

// A wrong result that nothing else was said of yet, and all of which the function has written.
static bool may_be_asked_again(const GradeCase *drawn)
{
    const VerdictTest *test = grade_running(drawn).test;
    int slot = grade_main_slot(drawn);
    return !test->hidden && !test->mistakes[0] && !test->property[LANGUAGE_ENGLISH] &&
           drawn->unwritten[slot] == 0 &&
           grade_difference(drawn, grade_result(drawn), grade_expected(drawn)).kind >
               DIFFERENCE_SHAPE;
}

// What was never written is no number to ask; ids, of which two may stand in one place, are left half empty then.
static bool may_have_properties(const GradeCase *drawn)
{
    return drawn->unwritten[grade_main_slot(drawn)] == 0 || grade_result(drawn)->dtype == DTYPE_I64;
}

// Notes what differs in a slot.
static void note_difference(GradeCase *drawn, int slot)
{
    const GradeRunning running = grade_running(drawn);
    if (!running.test->where)
        grade_record(running.test, drawn, drawn->exercise, slot, running.arena);
    if (running.edge > 0 || running.is_alone) // the mistakes of the bank show with any shape
        memset(running.test->mistakes, 0, sizeof running.test->mistakes);
    if (!running.is_alone)
        read_relations(drawn, slot);
    if (grade_difference(drawn, grade_result(drawn), grade_expected(drawn)).kind >
            DIFFERENCE_SHAPE &&
        may_have_properties(drawn) && !running.test->hidden)
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
        grade_expect_right(
            drawn); // ends the test: what was never written is no number to be quoted
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
        if (expected->shape[axis] > 1) // along one index nothing steps
            grade_expect_number(drawn, (double)expected->stride[axis], (double)view->stride[axis],
                                0.0, "%s.stride[%d]", drawn->call->writes[0].tensor, axis);
}

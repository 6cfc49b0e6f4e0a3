// grade_added: see grade_added.h.
#include "grade_added.h"

#include <string.h>
#include "grade_property.h"
#include "words.h"

static const Words words =
#define ADDED(english, korean) WORDS(english, korean)
#include "grade_added.def"
#undef ADDED
    ;

// The same question, of outputs that begin at 0. False where there is no answer.
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

// How many elements that seemed never written are no longer 0; a sum of 0 is among them where one is. `where`
// is the first.
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

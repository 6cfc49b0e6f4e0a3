// The worker's wire, on the judging side: whatever a hostile process replies, prints, or leaves in the
// memory that both map, nothing beyond our tensors is touched, and what is not right is told in both
// languages. The first byte says which:
//
//   's', 'v'   an honest reply to a call of score (its output was given) or of view (which gives a view
//              back), with changes: eleven bytes each, 'r' of the reply, 'o' of the outputs, 'i' of the
//              inputs; where, in two bytes; and eight bytes to put there
//   other      the end of a process: its status in two bytes, then what it has printed, and after a
//              NUL what the tool said that finds places in the source
#include "fuzz.h"
#include "stage.h"
#include "utf8.h"
#include "worker_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHANGE_BYTES = 11, NUMBERS = 12 };

static const char *tool_said;

bool __wrap_keeper_run_tool(const Tool *tool, char *said, size_t room, ToolEnd *end, Error *err);

// In the place of a program that would be started for every input.
bool __wrap_keeper_run_tool(const Tool *tool, char *said, size_t room, ToolEnd *end, Error *err)
{
    (void)tool;
    *end = (ToolEnd){.status = 0};
    snprintf(said, room, "%s", tool_said ? tool_said : "");
    return tool_said || error_set(err, "there is no such tool");
}

static void is_told(const WorkerAnswer *answer)
{
    fuzz_must(answer->why[LANGUAGE_ENGLISH][0] && answer->why[LANGUAGE_KOREAN][0],
              "what is not right is told");
    fuzz_must(utf8_valid(answer->why[LANGUAGE_ENGLISH], strlen(answer->why[LANGUAGE_ENGLISH])) &&
                  utf8_valid(answer->why[LANGUAGE_KOREAN], strlen(answer->why[LANGUAGE_KOREAN])),
              "in letters: %s", answer->why[LANGUAGE_ENGLISH]);
}

// --- a reply

typedef struct Call {
    const StageCall *call;
    StageOptions options;
    StageArgs args;
    float *given, *made; // of their own, so that one element beyond them is noticed
} Call;

static void begin_call(Call *call, bool is_view)
{
    const ptrdiff_t q[3] = {1, 3, 4}, heads[4] = {1, 1, 3, 4}, scores[4] = {1, 1, 3, 3};
    call->call = &stage_find(is_view ? "view" : "score")->calls[0];
    call->options = (StageOptions){.heads = is_view ? 2 : 1};
    call->args = (StageArgs){.options = &call->options};
    call->given = calloc(NUMBERS, sizeof *call->given);
    call->made = calloc(9, sizeof *call->made);
    fuzz_must(call->given && call->made, "there is memory");
    call->args.in[0] = is_view ? tensor_over(call->given, DTYPE_F32, 3, q)
                               : tensor_over(call->given, DTYPE_F32, 4, heads);
    if (is_view)
        return;
    call->args.in[1] = call->args.in[0];
    call->args.out[0] = tensor_over(call->made, DTYPE_F32, 4, scores);
}

static WireReply honest_reply(const WorkerLayout *layout, bool is_view)
{
    WireReply reply = {.version = WIRE_VERSION, .number = 1, .kind = WIRE_ANSWERED};
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        reply.out[i] = layout->request.tensors[STAGE_READS_MAX + i];
    if (is_view)
        reply.out[0] =
            (WireTensor){.region = 0, .rank = 4, .shape = {1, 3, 2, 2}, .stride = {12, 4, 2, 1}};
    return reply;
}

static void change(const Worker *worker, WireReply *reply, const uint8_t *data, size_t size)
{
    for (; size >= CHANGE_BYTES; data += CHANGE_BYTES, size -= CHANGE_BYTES) {
        int file = data[0] == 'o';
        unsigned char *bytes =
            data[0] == 'r' ? (unsigned char *)reply : worker->running.memory[file];
        size_t room = data[0] == 'r' ? sizeof *reply : worker->running.bytes[file];
        size_t place = (size_t)data[1] << 8 | data[2];
        if (bytes && place + 8 <= room)
            memcpy(bytes + (data[0] == 'r' ? place : room - 8 - place), data + 3, 8);
    }
}

// Every element of what was taken over lies where it may.
static void look_at(const Tensor *tensor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count;
    double sum = 0.0;
    if (!tensor_count_of(tensor->rank, tensor->shape, &count) || count == 0 || count > 10000)
        return;
    do
        sum += tensor_number(tensor, at);
    while (tensor_next(tensor, at));
    fuzz_must(count > 0, "%g is the sum of what there is", sum);
}

static void reply_to(bool is_view, const uint8_t *data, size_t size)
{
    static Worker worker;
    static bool is_open;
    int unused = -1;
    MachineFault fault;
    Call call;
    WorkerLayout layout;
    WorkerAnswer answer = {.end = WORKER_ANSWERED};
    if (!is_open) {
        worker.running.file[0] = worker.running.file[1] = -1;
        is_open = worker_memory_open(&worker, &unused, &fault);
    }
    begin_call(&call, is_view);
    fuzz_must(is_open && worker_memory_fill(&worker, call.call, &call.args, &layout, &fault),
              "there is memory to share");
    WireReply reply = honest_reply(&layout, is_view);
    change(&worker, &reply, data, size);
    worker_memory_take(&worker, &layout, call.call, &reply, &call.args, &answer);
    if (answer.end == WORKER_ANSWERED)
        look_at(&call.args.out[0]);
    else
        is_told(&answer);
    for (int i = 0; i < NUMBERS; i++)
        fuzz_must(call.given[i] == 0.0f, "no input of ours is written to");
    free(call.given);
    free(call.made);
}

// --- an end

static void end_with(int status, const char *said, const char *places)
{
    static Worker worker;
    WorkerAnswer answer = {.end = WORKER_ANSWERED};
    WireReport report = {.has_ended = 1, .status = status};
    snprintf(worker.program, sizeof worker.program, "/x/score-sanitized");
    snprintf(worker.said, sizeof worker.said, "%s", said);
    worker.said_bytes = strlen(worker.said);
    tool_said = places;
    worker_words_end(&worker, &report, &answer);
    is_told(&answer);
    worker_words_clean(&worker);
    worker_words_printable(worker.said);
    fuzz_must(utf8_valid(worker.said, strlen(worker.said)), "what it printed is a text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    if (data[0] == 's' || data[0] == 'v') {
        reply_to(data[0] == 'v', data + 1, size - 1);
        return 0;
    }
    char *text = calloc(1, size + 1);
    fuzz_must(text != NULL, "there is memory");
    memcpy(text, data + 3, size - 3);
    size_t length = strlen(text);
    end_with(data[1] << 8 | data[2], text, length < size - 4 ? text + length + 1 : NULL);
    free(text);
    return 0;
}

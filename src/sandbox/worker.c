// Runs a learner's function in its process and takes the results, or decides whether the learner or the machine is
// to blame for a failure. See worker.h.
#include "fence.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "place.h"
#include "worker_internal.h"

// --- why no reply came

enum { PROCESSOR_SECONDS = 120 }; // CPU limit for all calls of a process; each call has its own

typedef enum Received {
    RECEIVED_REPLY,
    RECEIVED_NONSENSE,
    RECEIVED_END,
    RECEIVED_NOTHING, // within the time limit
    RECEIVED_MACHINE, // reading or writing failed, with errno
} Received;

// How a process ended, or was ended, without a reply.
typedef struct Ending {
    Received received;
    int cause; // errno, for RECEIVED_MACHINE
    KeeperEnd keeper;
    WireReport report;
    const TimeLimit *time_limit;
    long computed; // milliseconds; -1: unknown
} Ending;

// --- who is to blame
//
// Reports as the learner's fault only what a learner's code can cause.

// What the machine lacked for a process that ended by itself. Returns false if nothing is known. In the full sandbox
// nothing allowed kills it, and it cannot end the keeper.
static bool find_fault(const Worker *worker, const Ending *ending, MachineFault *fault)
{
    const WireReport *report = &ending->report;
    bool reported = ending->keeper == KEEPER_REPORTED, began = worker->running.process > 0;
    bool is_open = began && !worker->running.is_closed;
    bool was_killed = worker->running.is_closed && !report->was_ended &&
                      WIFSIGNALED(report->status) && WTERMSIG(report->status) == SIGKILL &&
                      report->milliseconds < PROCESSOR_SECONDS * 900;
    if (reported && began && was_killed)
        machine_killed(fault, report);
    else if (reported ? !began : ending->keeper != KEEPER_WAS_ENDED || !is_open)
        machine_ended(fault, report);
    else
        return false;
    return true;
}

static const char *seconds_text(long milliseconds, char text[32])
{
    snprintf(text, 32, "%ld.%ld", milliseconds / 1000, milliseconds % 1000 / 100);
    return text;
}

bool worker_is_spent(const Worker *worker)
{
    return worker->time_limit > 0 && worker->spent >= worker->time_limit;
}

// No reply within the time limit.
static WorkerEnd out_of_time(const Worker *worker, const Ending *ending, WorkerAnswer *answer)
{
    char text[32], guard[32];
    const TimeLimit *time_limit = ending->time_limit;
    seconds_text(time_limit->computing, text);
    if (time_limit->end == TIME_LIMIT_WAITED)
        return worker_say(answer, WORKER_TIMED_OUT,
                          answer->at_start ? SENTENCE_START_WAITS : SENTENCE_WAITS,
                          (Given){{NULL}});
    // Earlier calls may have left little of the worker's time for this one.
    if (time_limit->end == TIME_LIMIT_COMPUTED && worker_is_spent(worker) &&
        2 * time_limit->computing < worker->time_limit)
        return worker_say(answer, WORKER_TIMED_OUT, SENTENCE_TIME_USED, (Given){{NULL}});
    if (time_limit->end == TIME_LIMIT_COMPUTED || ending->computed < 0)
        return worker_say(answer, WORKER_TIMED_OUT,
                          answer->at_start ? SENTENCE_START_ENDLESS : SENTENCE_ENDLESS,
                          (Given){{text}});
    snprintf(guard, sizeof guard, "%d", TIME_LIMIT_GUARD_SECONDS);
    return worker_say(answer, WORKER_NOT_JUDGED, SENTENCE_MACHINE_BUSY,
                      (Given){{guard, seconds_text(ending->computed, text)}});
}

// Fills `answer`: the learner's fault, or the machine's.
static WorkerEnd worker_ending_say(const Worker *worker, const Ending *ending, WorkerAnswer *answer)
{
    MachineFault fault;
    const WireReport *report = &ending->report;
    if (ending->received == RECEIVED_NONSENSE)
        return worker_say(answer, WORKER_FORGED, SENTENCE_FORGED, (Given){{NULL}});
    if (ending->received == RECEIVED_MACHINE && !machine_lacks(&fault, ending->cause))
        return machine_say(&fault, answer);
    if (report->lacks && !machine_lacks(&fault, report->lacks))
        return machine_say(&fault, answer);
    if (ending->received == RECEIVED_NOTHING && !report->too_large)
        return out_of_time(worker, ending, answer);
    if (find_fault(worker, ending, &fault))
        return machine_say(&fault, answer);
    if (ending->keeper != KEEPER_REPORTED)
        return worker_say(answer, WORKER_FORBIDDEN, SENTENCE_KEEPER_ENDED, (Given){{NULL}});
    worker_words_end(worker, report, answer);
    return answer->end;
}

// --- a process, and a call

enum {
    CALL_MILLISECONDS = 2000, // CPU time
    START_MILLISECONDS = 2000,
    WAIT_MILLISECONDS = 1000,       // waiting time of all calls of a process
    START_WAIT_MILLISECONDS = 3000, // the program may have to be loaded from a slow disk
    WAIT_LEAST = 200,
    STOP_MILLISECONDS = 1000,
    MEGABYTES = 512,            // of its own memory
    ADDRESSES_MEGABYTES = 8192, // with the tensors, and memory requested but unused
};

bool worker_open(Worker *worker, const char *program, Error *err)
{
    *worker = (Worker){
        .running = {.lifeline = -1, .control = -1, .output = -1, .file = {-1, -1}},
    };
    char path[PATH_MAX]; // absolute: it starts in another folder
    bool found =
        realpath(program, path) && strlen(path) < sizeof worker->program && access(path, X_OK) == 0;
    snprintf(worker->program, sizeof worker->program, "%s", found ? path : "");
    return found || error_set(err, TELL(CANNOT_START), program, error_reason(errno));
}

static bool is_running(const Worker *worker)
{
    return worker->running.keeper > 0;
}

// Ends the process and reads its keeper's report.
static KeeperEnd stop(Worker *worker, WireReport *report)
{
    Keeper keeper = {worker->running.keeper, worker->running.lifeline, worker->running.output};
    keeper_read_output(keeper.output, worker->said, sizeof worker->said, &worker->said_bytes);
    KeeperEnd end = keeper_stop(&keeper, report);
    if (end !=
        KEEPER_REPORTED) // without its keeper the process ends as well: its connection closes
        poll(&(struct pollfd){.fd = worker->running.control}, 1, STOP_MILLISECONDS);
    close(worker->running.control);
    worker_memory_close(worker);
    worker->running.keeper = 0;
    worker->running.control = worker->running.lifeline = worker->running.output = -1;
    return end;
}

void worker_close(Worker *worker)
{
    WireReport report;
    if (is_running(worker))
        stop(worker, &report);
}

static bool open_control(int pair[2])
{
    if (socketpair(AF_UNIX, WIRE_SOCKET, 0, pair) != 0)
        return false;
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static bool spawn(Worker *worker, int control, int inputs, MachineFault *fault)
{
    char seconds[16], megabytes[16], watched[16];
    int most = worker->megabytes ? worker->megabytes : MEGABYTES;
    int addresses = worker->megabytes ? worker->megabytes : ADDRESSES_MEGABYTES;
    bool sanitized = text_ends(worker->program, WORKER_SANITIZED);
    snprintf(seconds, sizeof seconds, "%d", PROCESSOR_SECONDS);
    snprintf(megabytes, sizeof megabytes, "%d", sanitized ? 0 : addresses);
    snprintf(watched, sizeof watched, "%d", most);
    char *words[] = {(char[]){"run"}, worker->program, seconds, megabytes, watched, NULL};
    char *nothing[] = {NULL};
    Keeper keeper;
    if (!keeper_start(&keeper, words, nothing, (int[]){control, inputs, worker->running.file[1]},
                      fault))
        return false;
    worker->running.keeper = keeper.process;
    worker->running.process = 0;
    worker->running.waited = 0;
    worker->running.lifeline = keeper.lifeline;
    worker->running.output = keeper.output;
    return true;
}

static bool start(Worker *worker, MachineFault *fault)
{
    int pair[2] = {-1, -1}, inputs = -1;
    bool opened = worker_memory_open(worker, &inputs, fault) &&
                  (open_control(pair) || machine_lacks(fault, errno));
    bool spawned = opened && spawn(worker, pair[1], inputs, fault);
    if (inputs >= 0)
        close(inputs);
    if (pair[1] >= 0)
        close(pair[1]);
    worker->running.control = pair[0];
    if (spawned)
        return true;
    if (pair[0] >= 0)
        close(pair[0]);
    worker->running.control = -1;
    worker_memory_close(worker);
    return false;
}

// --- what comes from the process and its keeper

// Why a read failed: no data yet, the other end is closed, or the machine failed.
static Received heard_without(ssize_t got)
{
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return RECEIVED_NOTHING;
    return got >= 0 || errno == ECONNRESET ? RECEIVED_END : RECEIVED_MACHINE;
}

// RECEIVED_NOTHING if the keeper reports only the fence.
static Received receive_from_keeper(Worker *worker)
{
    WireReport report;
    ssize_t got = recv(worker->running.lifeline, &report, sizeof report, MSG_DONTWAIT | MSG_PEEK);
    if (got != (ssize_t)sizeof report)
        return heard_without(got);
    if (report.has_ended)
        return RECEIVED_END;
    recv(worker->running.lifeline, &report, sizeof report, MSG_DONTWAIT);
    worker->running.process = report.process;
    worker->running.is_closed = (report.parts & FENCE_CALLS) != 0;
    snprintf(worker->fence, sizeof worker->fence, "%s, %s", fence_recorded(FENCE_PART_PROCESS),
             report.fence);
    return RECEIVED_NOTHING;
}

static Received receive(Worker *worker, WireReply *reply)
{
    char bytes[sizeof *reply + 1];
    ssize_t got = recv(worker->running.control, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0)
        return heard_without(got);
    memcpy(reply, bytes, sizeof *reply);
    return got == (ssize_t)sizeof *reply && reply->version == WIRE_VERSION ? RECEIVED_REPLY
                                                                           : RECEIVED_NONSENSE;
}

// Waits for a datagram, and collects the process's output meanwhile.
static Received wait_for(Worker *worker, TimeLimit *time_limit, WireReply *reply)
{
    struct pollfd ends[3] = {{.fd = worker->running.control, .events = POLLIN},
                             {.fd = worker->running.lifeline, .events = POLLIN},
                             {.fd = worker->running.output, .events = POLLIN}};
    do {
        poll(ends, 3, TIME_LIMIT_SLICE);
        if (ends[2].revents && !keeper_read_output(worker->running.output, worker->said,
                                                   sizeof worker->said, &worker->said_bytes))
            ends[2].fd = -1;
        Received received = ends[0].revents ? receive(worker, reply) : RECEIVED_NOTHING;
        if (received == RECEIVED_END)
            ends[0].fd = -1; // the keeper reports how it ended
        else if (received != RECEIVED_NOTHING)
            return received;
        received = ends[1].revents ? receive_from_keeper(worker) : RECEIVED_NOTHING;
        if (received != RECEIVED_NOTHING)
            return received;
    } while (time_limit_goes_on(time_limit, worker->running.process,
                                poll(&ends[2], ends[2].fd >= 0, 0) == 0));
    return RECEIVED_NOTHING;
}

// Explains a call without a reply, using the keeper's report.
static WorkerEnd end_without_reply(Worker *worker, Received received, const TimeLimit *time_limit,
                                   WorkerAnswer *answer)
{
    Ending ending = {.received = received, .cause = errno, .time_limit = time_limit};
    receive_from_keeper(worker); // the report on the fence
    ending.computed =
        received == RECEIVED_NOTHING ? time_limit_computed(time_limit, worker->running.process) : 0;
    ending.keeper = stop(worker, &ending.report);
    worker_ending_say(worker, &ending, answer);
    worker_words_clean(worker);
    return answer->end;
}

// --- one call

// Limited by what is left of the worker's time_limit.
static long at_most(const Worker *worker, long milliseconds)
{
    long left = worker->time_limit - worker->spent;
    return worker->time_limit > 0 && left < milliseconds ? left : milliseconds;
}

// Preserves errno.
static void note_spent(Worker *worker, const TimeLimit *time_limit, long waited_before)
{
    int cause = errno;
    long computed = time_limit_computed(time_limit, worker->running.process);
    worker->spent += time_limit->waited - waited_before + (computed > 0 ? computed : 0);
    errno = cause;
}

// Waits for the process to be ready. A reply before any request is forged.
static WorkerEnd make_ready(Worker *worker, WorkerAnswer *answer)
{
    WireReply reply;
    MachineFault fault;
    TimeLimit time_limit =
        time_limit_begin(0, at_most(worker, START_MILLISECONDS),
                         at_most(worker, START_WAIT_MILLISECONDS), 0); // still starting
    if (is_running(worker)) {
        Received received = receive(worker, &reply);
        if (received == RECEIVED_NOTHING)
            return WORKER_ANSWERED;
        return end_without_reply(worker, received == RECEIVED_REPLY ? RECEIVED_NONSENSE : received,
                                 &time_limit, answer);
    }
    answer->at_start = true;
    if (!start(worker, &fault))
        return machine_say(&fault, answer);
    Received received = wait_for(worker, &time_limit, &reply);
    note_spent(worker, &time_limit, 0);
    if (received == RECEIVED_REPLY && (reply.kind != WIRE_READY || reply.number != 0))
        received = RECEIVED_NONSENSE;
    if (received != RECEIVED_REPLY)
        return end_without_reply(worker, received, &time_limit, answer);
    receive_from_keeper(worker); // the report on the fence
    answer->at_start = false;
    return WORKER_ANSWERED;
}

// Sends the request and waits for the reply. The send fails if the process never took earlier requests.
static Received exchange(Worker *worker, const WireRequest *request, TimeLimit *time_limit,
                         WireReply *reply)
{
    ssize_t sent = send(worker->running.control, request, sizeof *request, MSG_NOSIGNAL);
    if (sent != (ssize_t)sizeof *request && errno == EAGAIN)
        return RECEIVED_NONSENSE;
    if (sent != (ssize_t)sizeof *request)
        return errno == EPIPE || errno == ECONNRESET ? RECEIVED_END : RECEIVED_MACHINE;
    Received received = wait_for(worker, time_limit, reply);
    note_spent(worker, time_limit, worker->running.waited);
    worker->running.waited = time_limit->waited;
    if (received == RECEIVED_REPLY &&
        (reply->number != request->number || reply->kind == WIRE_READY))
        received = RECEIVED_NONSENSE;
    return received;
}

static WorkerEnd ask(Worker *worker, const StageCall *call, StageArgs *args, WorkerAnswer *answer)
{
    WorkerLayout layout;
    WireReply reply;
    MachineFault fault;
    long most = at_most(worker, worker->milliseconds ? worker->milliseconds : CALL_MILLISECONDS);
    long waiting = most < WAIT_LEAST          ? WAIT_LEAST
                   : most < WAIT_MILLISECONDS ? most
                                              : WAIT_MILLISECONDS;
    if (!worker_memory_fill(worker, call, args, &layout, &fault)) {
        worker_close(worker);
        return machine_say(&fault, answer);
    }
    TimeLimit time_limit =
        time_limit_begin(worker->running.process, most, waiting, worker->running.waited);
    Received received = exchange(worker, &layout.request, &time_limit, &reply);
    if (received != RECEIVED_REPLY)
        return end_without_reply(worker, received, &time_limit, answer);
    if (reply.kind == WIRE_NO_MEMORY)
        return worker_say(answer, WORKER_TOO_LARGE, SENTENCE_NO_ROOM, (Given){{NULL}});
    reply.text[WIRE_TEXT_MAX - 1] = '\0';
    if (reply.kind == WIRE_REFUSED) {
        char reason[WIRE_TEXT_MAX + 2];
        snprintf(reason, sizeof reason, "%s%s", reply.text[0] ? ": " : "", reply.text);
        return worker_say(answer, WORKER_REFUSED, SENTENCE_REFUSED, (Given){{reason}});
    }
    worker_memory_take(worker, &layout, call, &reply, args, answer);
    return answer->end;
}

static void call(Worker *worker, const StageCall *what, StageArgs *args, WorkerAnswer *answer)
{
    if (make_ready(worker, answer) != WORKER_ANSWERED)
        return;
    ask(worker, what, args, answer);
    if (!is_running(worker))
        return;
    keeper_read_output(worker->running.output, worker->said, sizeof worker->said,
                       &worker->said_bytes);
    if (answer->end != WORKER_ANSWERED && answer->end != WORKER_REFUSED)
        worker_close(worker);
}

// A call without asking whether the machine is to blame.
static WorkerEnd worker_call_once(Worker *worker, const StageCall *what, StageArgs *args,
                                  WorkerAnswer *answer)
{
    *answer = (WorkerAnswer){.end = WORKER_ANSWERED};
    worker->said_bytes = 0;
    worker->said[0] = '\0';
    if (worker_is_spent(worker))
        worker_say(answer, WORKER_TIMED_OUT, SENTENCE_TIME_USED, (Given){{NULL}});
    else
        call(worker, what, args, answer);
    worker_words_printable(worker->said);
    return answer->end;
}

// --- a known function: if it fails too, the machine is to blame

enum { QUERIES = 2, NUMBERS = 3 };

// Runs q k^T = [[1*1+2*0+3*2, 1*0+2*1+3*1], [4*1+5*0+6*2, 4*0+5*1+6*1]] in the worker and checks it.
static bool computes(Worker *worker, WorkerAnswer *answer)
{
    static const float right[QUERIES * QUERIES] = {7, 5, 16, 11};
    static const StageCall call = {.reads = {{.role = "q"}, {.role = "k"}},
                                   .writes = {{.role = "scores", .tensor = "scores"}}};
    static const StageOptions options = {.heads = 1};
    const ptrdiff_t given[] = {1, 1, QUERIES, NUMBERS}, wanted[] = {1, 1, QUERIES, QUERIES};
    float q[] = {1, 2, 3, 4, 5, 6}, k[] = {1, 0, 2, 0, 1, 1}, scores[QUERIES * QUERIES] = {0};
    StageArgs args = {
        .in = {tensor_over(q, DTYPE_F32, 4, given), tensor_over(k, DTYPE_F32, 4, given)},
        .out = {tensor_over(scores, DTYPE_F32, 4, wanted)},
        .options = &options,
    };
    return worker_call_once(worker, &call, &args, answer) == WORKER_ANSWERED &&
           memcmp(scores, right, sizeof right) == 0;
}

// True if a known right function works on this machine; else `answer` has the reason.
static bool worker_known_runs(WorkerAnswer *answer)
{
    static Worker worker; // 25 KB, with its output
    WorkerAnswer known;
    char keeper[WORKER_PATH_MAX]; // which doubles as the known program
    Error err;
    MachineFault fault = {.sentence = SENTENCE_MACHINE_KNOWN};
    bool there = (worker_place_keeper(keeper, &err) && worker_open(&worker, keeper, &err)) ||
                 machine_misses(&fault, &err);
    bool runs = there && computes(&worker, &known);
    if (there)
        worker_close(&worker);
    if (there && !runs && known.end == WORKER_NOT_JUDGED)
        *answer = known;
    else if (!runs)
        machine_say(&fault, answer);
    return runs;
}

// --- sanitizers

// Replaces the exercise's call.c; the rest is as in a learner's program. It exits without a request.
static const char nobodys_call[] =
    "_Bool exercise_call(void *arguments);\n"
    "_Bool exercise_call(void *arguments) { return arguments != 0; }\n";

static bool build(const char *exercise, WorkerProgram *program)
{
    Error err;
    Temporary folder;
    char path[WORKER_PATH_MAX];
    if (!temporary_folder(&folder, temporary_place()))
        return false;
    snprintf(path, sizeof path, "%s/known.c", folder.path);
    FILE *file = fopen(path, "w");
    bool written = file && fputs(nobodys_call, file) >= 0;
    written = file && fclose(file) == 0 && written;
    WorkerBuild known = {.source = path, .exercise = exercise, .sanitize = true, .optimisation = 1};
    bool built = written && worker_build(&known, program, &err) && program->sanitized;
    temporary_drop(&folder);
    return built;
}

// Waits for the keeper's report, within the usual limit.
static void wait_for_end(const Keeper *keeper)
{
    WireReport report = {.has_ended = 0};
    struct pollfd line = {.fd = keeper->lifeline, .events = POLLIN};
    while (!report.has_ended && poll(&line, 1, TIME_LIMIT_GUARD_SECONDS * 1000) > 0 &&
           recv(line.fd, &report, sizeof report, MSG_PEEK) == (ssize_t)sizeof report)
        if (!report.has_ended)
            recv(line.fd, &report, sizeof report, 0);
}

bool worker_sanitizers_start(const char *exercise)
{
    static WorkerProgram program; // 20 KB, with the compiler's output
    Keeper keeper;
    MachineFault fault;
    WireReport report;
    char *words[] = {(char[]){"run"}, program.path,    (char[]){"2"},
                     (char[]){"0"},   (char[]){"512"}, NULL};
    char *nothing[] = {NULL};
    if (!build(exercise, &program) ||
        !keeper_start(&keeper, words, nothing, (int[]){-1, -1, -1}, &fault))
        return false;
    wait_for_end(&keeper);
    return keeper_stop(&keeper, &report) == KEEPER_REPORTED && !report.lacks &&
           WIFEXITED(report.status) && WEXITSTATUS(report.status) == 0;
}

// --- worker_call

// True if the machine may be to blame for this end too.
static bool is_doubtful(const WorkerAnswer *answer)
{
    switch (answer->end) {
    case WORKER_CRASHED:
    case WORKER_TIMED_OUT:
    case WORKER_LEFT:
    case WORKER_TOO_LARGE:
        return true;
    case WORKER_ANSWERED:
    case WORKER_NOT_JUDGED:
        return false;
    default:
        return answer->at_start;
    }
}

WorkerEnd worker_call(Worker *worker, const StageCall *what, StageArgs *args, WorkerAnswer *answer)
{
    if (worker->start.end != WORKER_ANSWERED) {
        *answer = worker->start;
        return answer->end;
    }
    worker_call_once(worker, what, args, answer);
    if (is_doubtful(answer))
        worker_known_runs(answer);
    if (answer->at_start && answer->end != WORKER_NOT_JUDGED)
        worker->start = *answer;
    return answer->end;
}

// --- learner's functions in a trace

// Repeats the call with one output that starts at 0. Returns how many elements that looked unwritten changed, and so
// were only added to; 0 without an answer.
static ptrdiff_t count_added(Worker *worker, const StageCall *call, const StageArgs *theirs,
                             int slot, Arena *scratch)
{
    WorkerAnswer ignored;
    StageArgs again = *theirs;
    const Tensor *before = &theirs->out[slot];
    Tensor *from_0 = &again.out[slot];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = 0;
    Error err;
    if (before->dtype != DTYPE_F32 ||
        !tensor_take(scratch, before->dtype, before->rank, before->shape, from_0, &err))
        return 0;
    worker->begins_at_0 = true;
    bool answered = worker_call(worker, call, &again, &ignored) == WORKER_ANSWERED;
    worker->begins_at_0 = false;
    if (!answered)
        return 0;
    do
        count += worker_unwritten(before, at) && tensor_number(from_0, at) != 0.0;
    while (tensor_next(before, at));
    return count;
}

// Checks that an output has the planned shape and all of its numbers; else sets a message in `answer`.
static bool is_whole(const Slot *slot, const Tensor *plan, const Tensor *out, ptrdiff_t unwritten,
                     ptrdiff_t added, WorkerAnswer *answer)
{
    char wanted[TENSOR_TEXT_MAX], got[TENSOR_TEXT_MAX], missing[24], all[24];
    snprintf(missing, sizeof missing, "%td", added > 0 ? added : unwritten);
    snprintf(all, sizeof all, "%td", tensor_count(out));
    Given shapes = {{slot->tensor, tensor_shape_text(out->rank, out->shape, got),
                     tensor_shape_text(plan->rank, plan->shape, wanted)}};
    if (!tensor_same_shape(plan, out))
        worker_say(answer, WORKER_BAD_VIEW, SENTENCE_OTHER_SHAPE, shapes);
    else if (!out->storage.bytes)
        worker_say(answer, WORKER_BAD_VIEW, SENTENCE_NO_STORAGE, shapes);
    else if (unwritten > 0)
        worker_say(answer, WORKER_REFUSED, added > 0 ? SENTENCE_ADDED_TO : SENTENCE_NEVER_SET,
                   (Given){{slot->tensor, missing, all}});
    return answer->end == WORKER_ANSWERED;
}

// The same for all outputs that the function fills.
static bool all_whole(const StageCall *call, const WorkerStage *entry, const StageArgs *planned,
                      const StageArgs *args, WorkerAnswer *answer, Arena *scratch)
{
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        if (entry->output >= 0 && entry->output != i)
            continue;
        ptrdiff_t unwritten = answer->unwritten[i];
        ptrdiff_t added = unwritten > 0 ? count_added(entry->worker, call, args, i, scratch) : 0;
        if (!is_whole(&call->writes[i], &planned->out[i], &args->out[i], unwritten, added, answer))
            return false;
    }
    return true;
}

// Gives outputs that the function does not fill memory of their own for the call, so that the stage's numbers stay.
static bool spare_others(const StageCall *call, int output, StageArgs *args, Arena *scratch,
                         Error *err)
{
    for (int i = 0; i < STAGE_WRITES_MAX && call->writes[i].role; i++) {
        Tensor *out = &args->out[i];
        if (output < 0 || output == i)
            continue;
        if (call->writes[i].is_view)
            *out = (Tensor){.rank = 0};
        else if (!tensor_take(scratch, out->dtype, out->rank, out->shape, out, err))
            return false;
    }
    return true;
}

static bool say_end(const WorkerAnswer *answer, const char *stage, Language language, Error *err)
{
    const char *why = answer->why[language_recorded(language)];
    return answer->end == WORKER_NOT_JUDGED ? error_machine(err, "%s: %s", stage, why)
                                            : error_set(err, "%s: %s", stage, why);
}

static bool run_one(WorkerStage *entry, const TraceStep *step, const StageArgs *planned,
                    StageArgs *args, Error *err)
{
    StageArgs theirs = *planned;
    WorkerAnswer answer = {.end = WORKER_ANSWERED};
    Arena scratch = {0};
    bool good = spare_others(step->call, entry->output, &theirs, &scratch, err);
    if (good && (worker_call(entry->worker, step->call, &theirs, &answer) != WORKER_ANSWERED ||
                 !all_whole(step->call, entry, planned, &theirs, &answer, &scratch)))
        good = say_end(&answer, step->stage->name, entry->language, err);
    entry->end = answer.end;
    for (int i = 0; good && i < STAGE_WRITES_MAX; i++)
        if (entry->output < 0 || entry->output == i)
            args->out[i] = theirs.out[i];
    arena_finish(&scratch);
    return good;
}

bool worker_stage_takes(void *context, const Stage *stage)
{
    const WorkerStage *entry = context;
    while (entry->stage && strcmp(entry->stage, stage->name) != 0)
        entry++;
    return entry->stage;
}

bool worker_stage_run(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    const StageArgs planned = *args;
    *done = false;
    for (WorkerStage *entry = context; entry->stage; entry++) {
        if (strcmp(entry->stage, step->stage->name) != 0)
            continue;
        if (entry->output >= 0 && !*done && !step->stage->run(args, err))
            return false;
        *done = true;
        if (!run_one(entry, step, &planned, args, err))
            return false;
    }
    return true;
}

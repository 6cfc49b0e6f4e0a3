// A learner's function in a process of its own: right answers come back, and for every usual slip
// there is the right end, a sentence with the place in the source, and a next call that works.
#include "worker.h"

#include <stdio.h>
#include <string.h>
#include "scratch.h"
#include "suite.h"
#include "tiny.h"
#include "worker_case.h"

typedef struct Slip {
    const char *file, *exercise;
    WorkerEnd end;
    const char *plain,
        *sanitized; // what the sentence holds without and with sanitizers; NULL: not asked
} Slip;

static const Slip slips[] = {
    {"worker/past_end.c", "test-score", WORKER_WROTE_OUTSIDE,
     "wrote past the end of scores at past_end.c:9: element 4 of its storage, which has elements 0 "
     "to 3",
     "wrote past the end of scores at past_end.c:9: element 4"},
    {"worker/before.c", "test-score", WORKER_WROTE_OUTSIDE, "wrote before the beginning of scores",
     "wrote before the beginning of scores at before.c:8"},
    {"worker/reads_past.c", "test-score", WORKER_READ_OUTSIDE,
     "read past the end of q at reads_past.c:9: element 6",
     "read past the end of q at reads_past.c:9"},
    {"worker/changes_input.c", "test-score", WORKER_CHANGED_INPUT,
     "wrote into its input q at changes_input.c:7", "wrote into its input q at changes_input.c:7"},
    {"worker/no_pointer.c", "test-score", WORKER_CRASHED,
     "a pointer that is NULL at no_pointer.c:9", "a pointer that is NULL at no_pointer.c:9"},
    {"worker/no_pointer_given.c", "test-score", WORKER_CRASHED,
     "a pointer that is NULL at no_pointer_given.c:9", "a pointer that is NULL"},
    {"worker/divides.c", "test-score", WORKER_CRASHED, "divides an integer by zero at divides.c:9",
     NULL},
    {"worker/divides.c", "test-score", WORKER_SANITIZER, NULL, "at divides.c:9"},
    {"worker/aborts.c", "test-score", WORKER_CRASHED, "ended by a signal: Aborted", NULL},
    {"worker/own_array.c", "test-score", WORKER_SANITIZER, NULL, "own_array.c:9"},
    {"worker/overflow.c", "test-score", WORKER_SANITIZER, NULL,
     "leaves undefined at overflow.c:9: signed integer overflow"},
    {"worker/misaligned.c", "test-score", WORKER_SANITIZER, NULL,
     "at misaligned.c:9: store to misaligned address for type"},
    {"worker/loud.c", "test-score", WORKER_WROTE_OUTSIDE, "past the end of scores at loud.c:10",
     "past the end of scores at loud.c:10"},
    {"worker/moves_output.c", "test-score", WORKER_BAD_VIEW, "changed the tensor scores itself",
     "changed the tensor scores itself"},
    {"worker/loops.c", "test-score", WORKER_TIMED_OUT, "within 0.3 seconds of processor time",
     "a loop that never ends"},
    {"worker/sleeps.c", "test-score", WORKER_TIMED_OUT, "waits instead of computing",
     "waits instead of computing"},
    {"worker/begins_never.c", "test-score", WORKER_TIMED_OUT,
     "before your function is called (a constructor) did not finish",
     "before your function is called (a constructor) did not finish"},
    {"worker/begins_asleep.c", "test-score", WORKER_TIMED_OUT,
     "before your function is called (a constructor) waits", NULL},
    {"worker/begins_with_127.c", "test-score", WORKER_LEFT, "exit status 127", "exit status 127"},
};

// On one line, as a test's remark has to be.
static const char *on_one_line(char *text)
{
    for (char *end = text; (end = strchr(end, '\n'));)
        *end = '|';
    return text;
}

static void slip_ends(const Slip *slip, bool sanitize, const char *says)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, slip->file, slip->exercise, sanitize);
    if (sanitize && !strstr(worker.program, "-sanitized"))
        return; // this compiler has none
    worker.milliseconds = 300;
    for (int twice = 0; twice < 2; twice++) {
        worker_case_score(&worker, scores, &answer);
        ck_assert_msg(answer.end == slip->end && strstr(answer.why[LANGUAGE_ENGLISH], says),
                      "%s (%d): %s|%s", slip->file, (int)answer.end, answer.why[LANGUAGE_ENGLISH],
                      on_one_line(worker.said));
        ck_assert_msg(!strstr(answer.why[LANGUAGE_ENGLISH], "attnscope.h"), "%s",
                      answer.why[LANGUAGE_ENGLISH]);
        ck_assert_msg(strncmp(answer.why[LANGUAGE_KOREAN], answer.why[LANGUAGE_ENGLISH], 8) != 0 &&
                          answer.why[LANGUAGE_KOREAN][0],
                      "%s", answer.why[LANGUAGE_KOREAN]);
    }
    worker_close(&worker);
    ck_assert_int_eq(worker_case_children(), 0);
}

LOOP_TEST(a_slip_is_told, sizeof slips / sizeof *slips)
{
    const Slip *slip = &slips[_i];
    if (slip->plain)
        slip_ends(slip, false, slip->plain);
    if (slip->sanitized)
        slip_ends(slip, true, slip->sanitized);
}

static void is_told_in_korean(const char *file, const char *sentence)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, file, "test-score", false);
    worker_case_score(&worker, scores, &answer);
    ck_assert_str_eq(answer.why[LANGUAGE_KOREAN], sentence);
    worker_close(&worker);
}

TEST(a_slip_is_told_in_korean)
{
    is_told_in_korean(
        "worker/past_end.c",
        "past_end.c:9에서 함수가 scores의 끝을 넘어 썼습니다. 저장 공간의 원소는 0번부터 "
        "3번까지인데 4번에 썼습니다");
    is_told_in_korean("worker/aborts.c",
                      "함수가 시그널을 받고 끝났습니다: abort 호출로 중단(SIGABRT)");
}

LOOP_TEST(right_numbers_come_back, 2)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, "worker/score.c", "test-score", _i);
    for (int again = 0; again < 3; again++) {
        ck_assert_msg(worker_case_score(&worker, scores, &answer) == WORKER_ANSWERED, "%s\n%s",
                      answer.why[LANGUAGE_ENGLISH], worker.said);
        ck_assert_mem_eq(scores, worker_case_scores, sizeof scores);
        ck_assert_int_eq(answer.unwritten[0], 0);
    }
    ck_assert_msg(strncmp(worker.fence, "a process of its own, limits", 28) == 0, "%s",
                  worker.fence);
    worker_close(&worker);
}

// Only where a program with sanitizers starts is one of a learner's that does not at fault for it.
TEST(a_program_with_sanitizers_is_known_to_start)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, "worker/score.c", "test-score", true);
    bool has_some = strstr(worker.program, "-sanitized") != NULL;
    ck_assert_int_eq(worker_case_score(&worker, scores, &answer), WORKER_ANSWERED);
    ck_assert_int_eq(worker_sanitizers_start("test-score"), has_some);
    ck_assert(!worker_sanitizers_start("no-exercise"));
    worker_close(&worker);
}

TEST(what_was_not_written_is_counted)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, "worker/half.c", "test-score", false);
    ck_assert_int_eq(worker_case_score(&worker, scores, &answer), WORKER_ANSWERED);
    ck_assert_int_eq(answer.unwritten[0], 2);
    worker_close(&worker);
}

TEST(the_beginning_and_the_end_of_much_print_are_kept)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, "worker/loud.c", "test-score", false);
    worker_case_score(&worker, scores, &answer);
    ck_assert_ptr_nonnull(strstr(worker.said, "line 0\nline 1\n"));
    ck_assert_ptr_nonnull(strstr(worker.said, "[...]"));
    ck_assert_ptr_nonnull(strstr(worker.said, "line 4999\n"));
    ck_assert_ptr_null(strchr(worker.said, '@'));
    worker_close(&worker);
}

TEST(what_it_prints_is_kept_apart)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, "worker/prints.c", "test-score", false);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(worker_case_score(&worker, scores, &answer), WORKER_ANSWERED);
        ck_assert_mem_eq(scores, worker_case_scores, sizeof scores);
        ck_assert_str_eq(worker.said, "7 5 16 11 ");
    }
    worker_close(&worker);
}

// --- views: q [1, 2, 4] seen as [1, 2, 2, 2]

static WorkerEnd call_view(const char *file, float q[8], Tensor *seen, WorkerAnswer *answer)
{
    Worker worker;
    StageOptions options = {.heads = 2};
    StageArgs args = {.in = {tensor_over(q, DTYPE_F32, 3, (ptrdiff_t[]){1, 2, 4})},
                      .options = &options};
    worker_case_open(&worker, file, "test-view", false);
    worker_call(&worker, &stage_find("view")->calls[0], &args, answer);
    worker_close(&worker);
    *seen = args.out[0];
    return answer->end;
}

TEST(a_view_points_into_the_callers_own_numbers)
{
    float q[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    Tensor seen;
    WorkerAnswer answer;
    ck_assert_msg(call_view("worker/view.c", q, &seen, &answer) == WORKER_ANSWERED, "%s",
                  answer.why[LANGUAGE_ENGLISH]);
    ck_assert_int_eq(seen.rank, 4);
    ck_assert_ptr_eq(tensor_at4(&seen, 0, 1, 1, 0), &q[6]); // row 1, head 1: 6 and 7
}

LOOP_TEST(a_view_of_something_else_is_refused, 3)
{
    static const char *const files[] = {"worker/view_beyond.c", "worker/view_own.c",
                                        "worker/view_none.c"};
    static const char *const says[] = {"reaches beyond the storage of q", "has its own storage",
                                       "no storage"};
    float q[8] = {0};
    Tensor seen;
    WorkerAnswer answer;
    ck_assert_int_eq(call_view(files[_i], q, &seen, &answer), WORKER_BAD_VIEW);
    ck_assert_msg(strstr(answer.why[LANGUAGE_ENGLISH], says[_i]) != NULL, "%s",
                  answer.why[LANGUAGE_ENGLISH]);
    ck_assert_ptr_null(seen.storage.bytes);
}

// --- for a debugger

LOOP_TEST(a_saved_call_runs_by_itself, 2)
{
    Error err;
    WorkerProgram program;
    char command[2 * WORKER_PATH_MAX];
    const char *saved = scratch_path("call");
    ck_assert_msg(worker_case_build("worker/prints.c", "test-score", _i, &program, &err), "%s",
                  err.text);
    ck_assert_msg(worker_case_save(saved, &err), "%s", err.text);
    for (int again = 0; again < 2; again++) {
        char line[128] = "";
        snprintf(command, sizeof command, "'%s' '%s' 'It came back.' 'It said no.'", program.path,
                 saved);
        FILE *output = popen(command, "r");
        ck_assert_ptr_nonnull(fgets(line, sizeof line, output));
        ck_assert_int_eq(pclose(output), 0);
        ck_assert_str_eq(line, "7 5 16 11 It came back.\n");
    }
}

TEST(a_call_that_cannot_be_saved_is_told)
{
    Error err;
    ck_assert(!worker_case_save(scratch_path("none/call"), &err));
    ck_assert_msg(strstr(err.text, "none/call") != NULL, "%s", err.text);
}

// --- as a stage of a trace

TEST(a_trace_runs_with_it)
{
    Scenario scenario;
    Trace right, mine;
    Worker worker;
    Error err;
    tiny_scenario(&scenario, (TinyShape){2, 3, 4, 2, 5, 6, .d_in = 7}, 5);
    worker_case_open(&worker, "worker/score.c", "test-score", false);
    WorkerStage stages[] = {{.stage = "score", .output = -1, .worker = &worker}, {.stage = NULL}};
    TraceVariant variant = {.run = worker_stage_run, .context = stages};
    ck_assert_msg(trace_open(&right, &scenario, &err) && trace_run(&right, &err), "%s", err.text);
    ck_assert_msg(trace_open_variant(&mine, &scenario, &variant, &err) && trace_run(&mine, &err),
                  "%s", err.text);
    const Tensor *a = &right.tensors[trace_find(&right, "scores")].tensor;
    const Tensor *b = &mine.tensors[trace_find(&mine, "scores")].tensor;
    ck_assert_int_eq(tensor_count(b), 2 * 2 * 3 * 4);
    for (ptrdiff_t i = 0; i < tensor_count(a); i++)
        ck_assert_float_eq_tol(a->storage.f32[i], b->storage.f32[i], 1e-4);
    ck_assert_int_eq(worker.running.number, 1);
    trace_close(&mine);
    trace_close(&right);
    worker_close(&worker);
    scenario_finish(&scenario);
}

// The second run finds the views of the first one in its arguments.
TEST(a_trace_runs_again_with_it)
{
    Scenario scenario;
    Trace mine;
    Worker worker;
    Error err;
    tiny_scenario(&scenario, (TinyShape){2, 3, 4, 2, 5, 6, .d_in = 7}, 5);
    worker_case_open(&worker, "worker/view.c", "test-view", false);
    WorkerStage stages[] = {{.stage = "view", .output = -1, .worker = &worker}, {.stage = NULL}};
    TraceVariant variant = {.run = worker_stage_run, .context = stages};
    ck_assert_msg(trace_open_variant(&mine, &scenario, &variant, &err), "%s", err.text);
    for (int again = 0; again < 2; again++) {
        ck_assert_msg(trace_run(&mine, &err), "%s", err.text);
        const Tensor *q = &mine.tensors[trace_find(&mine, "q")].tensor;
        const Tensor *seen = &mine.tensors[trace_find(&mine, "q_view")].tensor;
        ck_assert_ptr_eq(tensor_at4(seen, 1, 2, 1, 4), tensor_at3(q, 1, 2, 1 * 5 + 4));
        trace_rewind(&mine);
    }
    trace_close(&mine);
    worker_close(&worker);
    scenario_finish(&scenario);
}

// Of 2 sequences, 3 queries and 4 keys; 2 heads of 5 numbers, and of 6 in v. half.c fills the 4 scores
// of a single query, of 2*2*3*4.
static const struct {
    const char *file, *exercise, *stage;
    Language language;
    const char *words;
} parts[] = {
    {"worker/view_of_q.c", "test-view", "view", LANGUAGE_ENGLISH,
     "view: your function gave k_view the shape (2, 3, 2, 5), but (2, 4, 2, 5) is needed"},
    {"worker/view_of_q.c", "test-view", "view", LANGUAGE_KOREAN,
     "view: 함수가 정한 k_view의 모양(shape)이 틀렸습니다. 정답은 (2, 4, 2, 5), 나온 것은 (2, 3, "
     "2, 5)입니다"},
    {"worker/half.c", "test-score", "score", LANGUAGE_ENGLISH,
     "score: your function never set 44 of the 48 numbers of scores"},
    {"worker/half.c", "test-score", "score", LANGUAGE_KOREAN,
     "score: 함수가 scores의 숫자 48개 중 44개를 쓰지 않았습니다"},
    {"worker/added.c", "test-score", "score", LANGUAGE_ENGLISH,
     "score: your function adds (+=) to what was in the place of 32 of the 48 numbers of scores "
     "before: write them with =, or set them to 0 first"},
};

LOOP_TEST(a_trace_ends_at_what_is_not_whole, sizeof parts / sizeof *parts)
{
    Scenario scenario;
    Trace mine;
    Worker worker;
    Error err = {.text = ""};
    tiny_scenario(&scenario, (TinyShape){2, 3, 4, 2, 5, 6, .d_in = 7}, 5);
    worker_case_open(&worker, parts[_i].file, parts[_i].exercise, false);
    WorkerStage stages[] = {
        {.stage = parts[_i].stage, .output = -1, .worker = &worker, .language = parts[_i].language},
        {.stage = NULL}};
    TraceVariant variant = {.run = worker_stage_run, .context = stages};
    ck_assert_msg(trace_open_variant(&mine, &scenario, &variant, &err), "%s", err.text);
    ck_assert(!trace_run(&mine, &err));
    ck_assert_str_eq(err.text, parts[_i].words);
    trace_close(&mine);
    worker_close(&worker);
    scenario_finish(&scenario);
}

FIXTURE_ONCE(worker_case_begin, worker_case_finish)

SUITE_WITH("worker", scratch_open, scratch_close)

// What a malicious or desperate solution does to look right: every file under attacks/ fails, leaves
// no process and no file behind, and the next function is called as if nothing had been.
//
// Twice: behind the whole fence, and behind one without seccomp, where a system may lack it.
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "scratch.h"
#include "suite.h"
#include "utf8.h"
#include "worker_case.h"

typedef struct Attack {
    const char *name;
    unsigned ends; // behind the whole fence: bits of WorkerEnd; an answer has wrong numbers
} Attack;

#define END(name) (1u << WORKER_##name)

static const Attack attacks[] = {
    {"leaves", END(LEFT)},
    {"leaves_at_once", END(LEFT)},
    {"leaves_late", END(LEFT)},
    {"forges_report", END(FORGED) | END(LEFT)},
    {"answers_first", END(FORGED)},
    {"answers_often", END(FORGED)},
    {"environment", END(ANSWERED)},
    {"jumps", END(CRASHED)},
    {"ends_itself", END(FORBIDDEN)},
    {"stops_itself", END(TIMED_OUT)},
    {"kills_parent", END(FORBIDDEN)},
    {"signals_all", END(FORBIDDEN)},
    {"never_ends", END(TIMED_OUT)},
    {"waits", END(TIMED_OUT)},
    {"takes_memory", END(TOO_LARGE) | END(CRASHED)},
    {"calls_itself", END(CRASHED)},
    {"closes_all", END(LEFT)},
    {"joins_group", END(FORBIDDEN)},
    {"leaves_daemon", END(FORBIDDEN)},
    {"leaves_many", END(FORBIDDEN)},
    {"replaces_library", END(ANSWERED)},
    {"writes_file", END(FORBIDDEN)},
    {"shrinks_memory", END(ANSWERED)},
    {"rewrites_inputs", END(FORBIDDEN)},
    {"opens_socket", END(FORBIDDEN)},
    {"starts_program", END(FORBIDDEN)},
    {"debugs_parent", END(FORBIDDEN)},
    {"reads_files", END(ANSWERED)},
    {"prints_without_end", END(TIMED_OUT)},
    {"steers_terminal", END(ANSWERED)},
};

// Processes that run this program, whoever their parent is.
static int survivors(const char *program)
{
    int count = 0;
    DIR *all = opendir("/proc");
    for (struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all)) {
        char link[300], path[WORKER_PATH_MAX];
        snprintf(link, sizeof link, "/proc/%s/exe", entry->d_name);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        count += strcmp(path, program) == 0;
    }
    if (all)
        closedir(all);
    return count;
}

static void next_one_works(void)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    worker_case_open(&worker, "worker/score.c", "test-score", false);
    ck_assert_msg(worker_case_score(&worker, scores, &answer) == WORKER_ANSWERED, "%s",
                  answer.why[LANGUAGE_ENGLISH]);
    ck_assert_mem_eq(scores, worker_case_scores, sizeof scores);
    worker_close(&worker);
}

static void leaves_nothing(const Attack *attack, const char *program)
{
    ck_assert_msg(survivors(program) == 0, "%s left a process", attack->name);
    ck_assert_int_eq(worker_case_children(), 0);
    ck_assert_msg(scratch_count() == 0, "%s left a file", attack->name);
}

// Nothing that it printed steers a terminal or is refused by a file format.
static bool is_printable(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i], next = (unsigned char)text[i + 1];
        if ((byte < ' ' && byte != '\n') || byte == 0x7F || (byte == 0xC2 && next < 0xA0))
            return false;
    }
    return utf8_valid(text, length);
}

static void fails(const Attack *attack, bool whole_fence)
{
    Worker worker;
    WorkerAnswer answer;
    float scores[4];
    char file[64];
    snprintf(file, sizeof file, "attacks/%s.c", attack->name);
    worker_case_open(&worker, file, "test-score", false);
    worker.milliseconds = attack->ends & END(TIMED_OUT) ? 200 : 5000;
    worker.megabytes = 128;
    WorkerEnd end = worker_case_score(&worker, scores, &answer);
    bool is_right =
        end == WORKER_ANSWERED && memcmp(scores, worker_case_scores, sizeof scores) == 0;
    bool may_read = strcmp(attack->name, "reads_files") == 0 && !strstr(worker.fence, "Landlock");
    ck_assert_msg(!is_right || may_read, "%s counts as right", attack->name);
    bool holds_all = strstr(worker.fence, "Landlock") && strstr(worker.fence, "seccomp");
    if (whole_fence && holds_all)
        ck_assert_msg(attack->ends >> end & 1, "%s: %d: %s\n%s", attack->name, (int)end,
                      answer.why[LANGUAGE_ENGLISH], worker.said);
    else if (whole_fence)
        printf("# skipped: how %s ends; here is only %s\n", attack->name, worker.fence);
    ck_assert_msg(end == WORKER_ANSWERED || answer.why[0], "%s: no sentence", attack->name);
    ck_assert_msg(is_printable(worker.said) && is_printable(answer.why[LANGUAGE_ENGLISH]), "%s",
                  attack->name);
    worker_close(&worker);
    leaves_nothing(attack, worker.program);
}

static void into_empty_folder(void)
{
    scratch_open();
    ck_assert_int_eq(chdir(scratch_path("")), 0);
}

START_TEST(an_attack_fails)
{
    fails(&attacks[_i], true);
    next_one_works();
}

START_TEST(an_attack_fails_without_seccomp)
{
    ck_assert_int_eq(setenv("ATTNSCOPE_KEEPER", getenv("ATTNSCOPE_BARE_KEEPER"), 1), 0);
    fails(&attacks[_i], false);
    next_one_works();
}

// The keeper sees that nobody listens any more.
START_TEST(a_judge_that_is_killed_leaves_nothing)
{
    Worker worker;
    worker_case_open(&worker, "attacks/never_ends.c", "test-score", false);
    worker.milliseconds = 60000;
    pid_t judge = fork();
    if (judge == 0) {
        WorkerAnswer answer;
        float scores[4];
        worker_case_score(&worker, scores, &answer);
        _exit(0);
    }
    for (int waited = 0; survivors(worker.program) == 0 && waited < 10000; waited++)
        usleep(1000);
    ck_assert_int_eq(survivors(worker.program), 1);
    kill(judge, SIGKILL);
    waitpid(judge, NULL, 0);
    for (int waited = 0; survivors(worker.program) > 0 && waited < 10000; waited++)
        usleep(1000);
    ck_assert_int_eq(survivors(worker.program), 0);
}

START_TEST(every_file_is_in_the_list)
{
    DIR *folder = opendir(test_file("attacks"));
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        size_t length = strcspn(entry->d_name, ".");
        bool found = !strstr(entry->d_name, ".c"); // what is handed in has a list of its own
        for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
            found = found || (strlen(attacks[i].name) == length &&
                              strncmp(attacks[i].name, entry->d_name, length) == 0);
        ck_assert_msg(found, "%s is not in the list", entry->d_name);
    }
    closedir(folder);
}

int main(void)
{
    int count = (int)(sizeof attacks / sizeof *attacks);
    Suite *suite = suite_create("attacks");
    TCase *tcase = tcase_create("attacks");
    tcase_add_unchecked_fixture(tcase, worker_case_begin, worker_case_finish);
    tcase_add_checked_fixture(tcase, into_empty_folder, scratch_close);
    tcase_add_loop_test(tcase, an_attack_fails, 0, count);
    tcase_add_loop_test(tcase, an_attack_fails_without_seccomp, 0, count);
    tcase_add_test(tcase, a_judge_that_is_killed_leaves_nothing);
    tcase_add_test(tcase, every_file_is_in_the_list);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}

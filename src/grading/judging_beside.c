// judging_beside: see judging_beside.h.
#include "judging_beside.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "grading_words.h"

enum { LETTER_FIRST = 'a' };

// --- in the process beside

// SIGTERM calls a check off. It ends the judge and the compiler, since exec takes this handler from them;
// this process survives it and removes its files.
static void on_called_off(int number)
{
    (void)number;
}

static void listen_for_end(void)
{
    static const int inherited[] = {SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
    sigset_t none;
    for (size_t i = 0; i < sizeof inherited / sizeof *inherited; i++)
        signal(inherited[i], SIG_DFL); // this terminal is another process's
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_called_off}, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void check_and_tell(const Workspace *workspace, int number, long long seed, int output)
{
    static Judging judging; // 50 KB
    FILE *out = fdopen(output, "w");
    if (!out)
        return;
    judging_run(&judging, workspace, number, seed, NULL);
    JudgingNews news = judging.end == JUDGING_UNTOUCHED ? JUDGING_NEWS_NOTHING_WRITTEN
                       : judging_passed(&judging)       ? JUDGING_NEWS_PASSED
                                                        : JUDGING_NEWS_TOLD;
    fputc(LETTER_FIRST + (int)news, out);
    judging_print(&judging, workspace, number, out);
    fflush(out);
}

// --- here

bool judging_beside_begin(JudgingBeside *beside, const Workspace *workspace, int number,
                          long long seed, Error *err)
{
    int ends[2];
    judging_beside_end(beside);
    if (!written_begin(&beside->said, err))
        return false;
    if (pipe(ends) != 0)
        return error_set(err, TELL(CHECK_NOT_STARTED), error_reason(errno));
    fflush(NULL);
    beside->process = fork();
    if (beside->process == 0) {
        setpgid(0, 0);
        listen_for_end();
        close(ends[0]);
        check_and_tell(workspace, number, seed, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    beside->output = ends[0];
    if (beside->process > 0) {
        setpgid(beside->process, beside->process); // whichever of the two comes first
        return true;
    }
    beside->process = 0;
    close(ends[0]);
    return error_set(err, TELL(CHECK_NOT_STARTED), error_reason(errno));
}

bool judging_beside_hear(JudgingBeside *beside, JudgingNews *news, const char **text)
{
    char bytes[4096];
    ssize_t got;
    do
        got = read(beside->output, bytes, sizeof bytes);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        fwrite(bytes, 1, (size_t)got, beside->said.out);
        return false;
    }
    bool whole = written_end(&beside->said, &beside->unheard), told = beside->said.length > 1;
    *news = told ? (JudgingNews)(beside->said.text[0] - LETTER_FIRST) : JUDGING_NEWS_TOLD;
    *text = told ? beside->said.text + 1 : whole ? NULL : beside->unheard.text;
    close(beside->output);
    while (waitpid(beside->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    beside->process = 0;
    return true;
}

void judging_beside_end(JudgingBeside *beside)
{
    const struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
    if (beside->process > 0) {
        close(beside->output);
        // Again and again: it may just be starting the next program.
        do {
            kill(-beside->process, SIGTERM);
            nanosleep(&moment, NULL);
        } while (waitpid(beside->process, NULL, WNOHANG) == 0);
    }
    written_drop(&beside->said);
    *beside = (JudgingBeside){.process = 0};
}

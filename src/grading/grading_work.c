// Judges submissions in parallel, and keeps the journal; see grading_internal.h and class.h.
#include "exercise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "class.h"
#include "class_words.def"
#include "clock.h"
#include "digest.h"
#include "grading_internal.h"
#include "json.h"
#include "judging.h"
#include "place.h"
#include "state_file.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

// --- the progress line on the terminal

typedef struct Countdown {
    int done, count;
    double begun; // wall-clock time
    bool is_shown;
} Countdown;

static void show(const Countdown *progress)
{
    if (!progress->is_shown)
        return;
    fprintf(stderr, TELL(PROGRESS_COUNT), progress->done, progress->count);
    if (progress->done > 0) {
        double left = (clock_seconds() - progress->begun) / progress->done *
                      (progress->count - progress->done);
        fprintf(stderr, TELL(PROGRESS_LEFT), (int)left / 60, (int)left % 60);
    }
    fflush(stderr);
}

// --- the work

enum {
    KEY_MAX = 512,
};

// --- keys of results

// Identifies a program's build by its size and date: reading it would take longer than judging an exercise.
static void mix_program(char key[KEY_MAX], const char *path)
{
    struct stat file;
    if (stat(path, &file) == 0)
        text_add(key, KEY_MAX, " %llu %lld %lld.%09ld", (unsigned long long)file.st_ino,
                 (long long)file.st_size, (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

void grading_work_open(Grading *grading)
{
    static const char *const programs[] = {"attnscope-judge", "attnscope-keeper"};
    char key[KEY_MAX] = "", path[PLACE_PATH_MAX];
    Error err;
    snprintf(key, sizeof key, "1 %d %.100s ", grading->fence.parts, grading->fence.text);
    mix_program(key, place_self(path));
    for (int i = 0; i < 2; i++)
        if (place_program(programs[i], path, &err))
            mix_program(key, path);
    bytes_digest(key, strlen(key), grading->machine);
}

// The key of an exercise's result. Returns false if nothing would be compiled.
static bool key_of(const Grading *grading, int number, char key[DIGEST_TEXT_MAX])
{
    char made[WORKER_DIGEST_MAX], text[KEY_MAX];
    if (!judging_digest(&grading->workspace, number, made))
        return false;
    snprintf(text, sizeof text, "%s %s %s %lld", grading->machine, made,
             grading->workspace.exercises.exercises[number].name, grading->person_seed);
    bytes_digest(text, strlen(text), key);
    return true;
}

// --- a submission

// Skips links out of the submission, and unreadable files.
static void refuse(Judging *judging, ExerciseWord refusal)
{
    judging_finish(judging);
    judging->end = JUDGING_NOT_COMPILED;
    judging_say(judging, refusal, "");
}

// An unusable file is not "not begun": its remark is the result.
static void refuse_left_out(const Submission *submission, Judging *judging, int number)
{
    if (judging->end != JUDGING_UNTOUCHED || judging->file.state != WORKSPACE_MISSING)
        return;
    for (SubmissionNote *note = submission->notes; note; note = note->next)
        if (note->exercise == number && judging->end == JUDGING_UNTOUCHED) {
            note->is_result = true;
            judging->end = JUDGING_NOT_COMPILED;
            judging->is_closed = note->word == SAY_FILE_CLOSED;
            judging_say(judging, note->word, note->what);
        }
}

// A missing exercise is not "not begun": it has no points, and does not count as judged.
static void report_nowhere(const Submission *submission, Judging *judging)
{
    const SubmissionNote *why = submission_why_missing(submission);
    if (!why || judging->end != JUDGING_UNTOUCHED || judging->file.state != WORKSPACE_MISSING)
        return;
    judging->end = JUDGING_NOT_JUDGED;
    judging->is_nowhere = true;
    judging_say(judging, why->word, why->what);
}

static void spend(Grading *grading, const Judging *judging)
{
    budget_spend(&grading->budget, judging->plain.milliseconds + judging->guarded.milliseconds,
                 judging->verdict.spent);
}

// Results do not reveal where a submission lies.
static void report_from_folder(const Grading *grading, Judging *judging)
{
    const char *folder = grading->workspace.folder;
    judging_without(judging->why[LANGUAGE_ENGLISH].text, folder);
    judging_without(judging->why[LANGUAGE_KOREAN].text, folder);
    judging_without(judging->plain.said, folder);
}

static void judge_now(Grading *grading, Judging *judging, int number, const char *key)
{
    Workspace *workspace = &grading->workspace;
    workspace->compile_seconds = grading->budget.compile_seconds;
    workspace->time_limit = grading->budget.time_limit;
    judging_run(judging, workspace, number, grading->person_seed, NULL);
    spend(grading, judging);
    json_t *kept =
        *key ? judging_keep(judging, &workspace->exercises.exercises[number], workspace->folder)
             : NULL;
    if (kept && !journal_add(&grading->journal, key, kept, &grading->journal_why))
        grading->journal_failed = true;
    json_decref(kept);
    report_from_folder(grading, judging);
}

static void fill(Grading *grading, const Submission *submission, Judging *judging, int number)
{
    char key[DIGEST_TEXT_MAX] = "";
    if (submission->refusal != SAY_COUNT) {
        refuse(judging, submission->refusal);
        return;
    }
    judging_finish(judging);
    if (judging_is_idle(judging, &grading->workspace, number)) {
        refuse_left_out(submission, judging, number);
        report_nowhere(submission, judging);
        report_from_folder(grading, judging);
        return;
    }
    bool has_key = key_of(grading, number, key);
    const json_t *kept = has_key ? journal_find(&grading->journal, key) : NULL;
    if (kept && judging_take(judging, kept)) {
        spend(grading, judging);
        return;
    }
    if (submission->is_lost) { // the child died: nobody knows whether because of the learner's code
        judging->end = JUDGING_NOT_JUDGED;
        judging_say(judging, SAY_HANDED_LOST, "");
    } else if (!budget_share(&grading->budget))
        refuse(judging, SAY_HANDED_TIME);
    else
        judge_now(grading, judging, number, has_key ? key : "");
}

Judging *grading_judge(Grading *grading, const Submission *submission)
{
    Judging *all = grading->judged;
    char key[DIGEST_TEXT_MAX] = "";
    grading->budget = budget_open();
    grading->person_seed = course_file_seed(&grading->course, submission->person, grading->seed);
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i))
            fill(grading, submission, &all[i], i);
    for (int i = grading->first; i < grading->end; i++)
        if (grading_asks(grading, i) && all[i].end == JUDGING_NOT_JUDGED && !all[i].is_nowhere &&
            !submission->is_lost && budget_share(&grading->budget)) {
            bool has_key = key_of(grading, i, key);
            judge_now(grading, &all[i], i, has_key ? key : "");
        }
    return all;
}

// --- all submissions

static void work_on(Grading *grading, const Submission *submission)
{
    Error err;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); // nobody would read the results
#endif
    if (!workspace_open_submission(&grading->workspace, submission->path, &submission->folders,
                                   grading->lessons, &err))
        _exit(1);
    grading_judge(grading, submission);
    _exit(grading->journal_failed ? 1 : 0);
}

// Waits for one child to end.
static void wait_for_one(SubmissionList *list)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
        continue;
    for (int i = 0; i < list->count; i++)
        if (list->all[i].process == ended && ended > 0) {
            list->all[i].process = 0;
            list->all[i].is_lost = !WIFEXITED(status);
        }
}

// Looks at the next submission, while the others are judged, and starts it. Returns false if no process can be
// started. What could not be looked at is reported at the end.
static bool start_next(Grading *grading, SubmissionList *list, int *next, int *running)
{
    Submission *submission = &list->all[(*next)++];
    bool counts = !submission->is_other || grading->course.takes_best;
    Error unseen;
    if (!counts || !submission_look(list, submission, &unseen) || submission->refusal != SAY_COUNT)
        return true;
    fflush(NULL);
    submission->process = fork();
    if (submission->process == 0)
        work_on(grading, submission);
    bool started = submission->process > 0;
    submission->process = started ? submission->process : 0;
    *running += started;
    return started;
}

void grading_work(Grading *grading, SubmissionList *list)
{
    Error err;
    int next = 0, running = 0;
    if (grading->journal.file < 0)
        return;
    Countdown progress = {.count = list->count,
                          .begun = clock_seconds(),
                          .is_shown = isatty(STDERR_FILENO) && list->count > 1};
    show(&progress);
    for (bool can_start = true; running > 0 || (next < list->count && can_start);) {
        if (next < list->count && running < grading->jobs && can_start) {
            can_start = start_next(grading, list, &next, &running);
            continue; // the parent judges the rest later
        }
        wait_for_one(list);
        running--;
        progress.done = next - running;
        show(&progress);
    }
    if (progress.is_shown)
        fputs("\r\033[K", stderr); // erases the line
    journal_refresh(&grading->journal, &err);
}

// --- the journal

enum { JOURNAL_BYTES_MAX = 1 << 30 };

bool journal_place(const char *folder, char path[JOURNAL_PATH_MAX], Error *err)
{
    char digest[DIGEST_TEXT_MAX], name[DIGEST_TEXT_MAX + 16], *whole = realpath(folder, NULL);
    if (!whole)
        return error_set(err, "%s: %s", folder, error_reason(errno));
    bytes_digest(whole, strlen(whole), digest);
    free(whole);
    snprintf(name, sizeof name, "grades/%s.jsonl", digest);
    return cache_file_path(name, path, err) && state_file_make_folders(path, err);
}

// --- reading

// Parses a line, skipping foreign ones. Returns false and sets err without memory.
static bool take_line(Journal *journal, const char *line, size_t length, bool is_new, Error *err)
{
    json_t *entry = json_whole_read(line, length, 0, NULL, err);
    bool good = entry || !err->of_machine;
    json_t *what = json_object_get(entry, "what");
    const char *key = json_string_value(json_object_get(entry, "key"));
    if (key && json_is_object(what) && (is_new || !json_is_true(json_object_get(what, "again"))))
        good = json_object_set(journal->known, key, what) == 0 ||
               error_machine(err, "%s", error_reason(ENOMEM));
    json_decref(entry);
    return good;
}

// Reads all complete lines after the known ones.
static bool read_on(Journal *journal, bool is_new, Error *err)
{
    struct stat about;
    if (fstat(journal->file, &about) != 0)
        return error_number(err, errno, TELL(JOURNAL_UNREAD), error_reason(errno));
    if (about.st_size > JOURNAL_BYTES_MAX)
        return error_set(err, TELL(JOURNAL_LARGE));
    size_t length =
        (size_t)about.st_size > journal->read ? (size_t)about.st_size - journal->read : 0;
    char *text = malloc(length + 1);
    if (!text)
        return error_machine(err, TELL(JOURNAL_MEMORY), length);
    ssize_t got = pread(journal->file, text, length, (off_t)journal->read);
    bool good = got >= 0 || error_number(err, errno, TELL(JOURNAL_UNREAD), error_reason(errno));
    const char *at = text, *end = text + (good ? got : 0);
    for (const char *stop; good && (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1)
        good = take_line(journal, at, (size_t)(stop - at), is_new, err);
    journal->read += (size_t)(at - text);
    free(text);
    return good;
}

// Lines are only appended, so the first line identifies the file, even if only part of it was written.
static const char begins[] = "{\"key\":\"";

// How many bytes of the first line there are; a read error is reported later.
static size_t read_start(int file, char found[sizeof begins])
{
    ssize_t got = pread(file, found, sizeof begins - 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

bool journal_open(Journal *journal, const char *path, Error *err)
{
    *journal =
        (Journal){.file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600),
                  .known = json_object()};
    bool good = journal->file >= 0 && journal->known;
    struct stat about; // opening a pipe would block
    char found[sizeof begins];
    if (!good)
        error_number(err, errno, TELL(JOURNAL_UNOPENED), path, error_reason(errno));
    else if (fstat(journal->file, &about) != 0 || !S_ISREG(about.st_mode))
        good = error_set(err, TELL(JOURNAL_NOT_PLAIN), path);
    else if (memcmp(found, begins, read_start(journal->file, found)) != 0)
        good = error_set(err, TELL(JOURNAL_OTHER), path);
    else
        good = read_on(journal, false, err);
    if (!good)
        journal_close(journal);
    return good;
}

bool journal_open_unnamed(Journal *journal, Error *err)
{
    Temporary folder = {.path = NULL};
    char path[JOURNAL_PATH_MAX];
    *journal = (Journal){.file = -1};
    if (!temporary_folder(&folder, temporary_place()))
        return error_number(err, errno, TELL(JOURNAL_UNOPENED), temporary_place(),
                            error_reason(errno));
    snprintf(path, sizeof path, "%s/journal", folder.path);
    bool good = journal_open(journal, path, err);
    temporary_drop(&folder);
    return good;
}

bool journal_refresh(Journal *journal, Error *err)
{
    return journal->file < 0 || read_on(journal, true, err);
}

const json_t *journal_find(const Journal *journal, const char *key)
{
    return journal->known ? json_object_get(journal->known, key) : NULL;
}

// --- adding

// Terminates a partial line of a killed process; the caller holds the lock. A partial first line is completed so that it
// identifies the file.
static bool end_torn(int file)
{
    struct stat about;
    char last = '\n';
    size_t whole = sizeof begins - 1;
    if (fstat(file, &about) != 0 || about.st_size == 0 ||
        pread(file, &last, 1, about.st_size - 1) != 1 || last == '\n')
        return true;
    size_t there = about.st_size < (off_t)whole ? (size_t)about.st_size : whole;
    return file_write_all(file, begins + there, whole - there) && file_write_all(file, "\n", 1);
}

// A lock per process, which a fork does not share (flock's would).
static int lock(int file, short kind)
{
    struct flock whole = {.l_type = kind, .l_whence = SEEK_SET};
    int locked;
    while ((locked = fcntl(file, F_SETLKW, &whole)) != 0 && errno == EINTR)
        continue;
    return locked;
}

bool journal_add(const Journal *journal, const char *key, json_t *what, Error *err)
{
    if (journal->file < 0)
        return true;
    json_t *entry = json_pack("{s:s, s:O}", "key", key, "what", what);
    char *text = entry ? json_dumps(entry, JSON_COMPACT) : NULL;
    size_t length = text ? strlen(text) : 0;
    json_decref(entry);
    if (!text)
        return error_machine(err, TELL(JOURNAL_LINE));
    text[length] = '\n'; // replaces the NUL: one write, one line
        // Without locks, lines are appended all the same.
    bool locked = lock(journal->file, F_WRLCK) == 0;
    bool good = end_torn(journal->file) && file_write_all(journal->file, text, length + 1);
    if (!good)
        error_number(err, errno, TELL(JOURNAL_UNWRITTEN), error_reason(errno));
    if (locked)
        lock(journal->file, F_UNLCK);
    free(text);
    return good;
}

void journal_close(Journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    json_decref(journal->known);
    *journal = (Journal){.file = -1};
}

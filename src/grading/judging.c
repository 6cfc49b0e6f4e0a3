// Checks a learner's exercise: compiles it, runs attnscope-judge, and reports; see judging.h.
#include "judging.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "compiler_words.h"
#include "exercise.h"
#include "grading_internal.h"
#include "input_file.h"
#include "json.h"
#include "place.h"
#include "shown_name.h"
#include "words.h"
#include "error.h"

// --- the check

enum { WORDS_MAX = 2 * EXERCISES_MAX + 16, SAID_MAX = 512 };

// --- compiling

static WorkerBuild build_of(const Workspace *workspace, int number, JudgingBuild how,
                            const char *source)
{
    return (WorkerBuild){
        .source = source,
        .root = workspace->folder,
        .header = workspace->exercises.header,
        .exercise = workspace->exercises.exercises[number].name,
        .sanitize = how == JUDGING_GUARDED,
        .optimisation = how == JUDGING_DEBUGGED ? 0 : 1,
        .seconds = workspace->compile_seconds,
    };
}

bool judging_build(const Workspace *workspace, int number, JudgingBuild how, WorkerProgram *program,
                   Error *err)
{
    Arena arena = {0};
    const char *source = workspace_path(workspace, number, &arena, err);
    WorkerBuild build = build_of(workspace, number, how, source);
    bool built = source && worker_build(&build, program, err);
    arena_finish(&arena);
    return built;
}

bool judging_digest(const Workspace *workspace, int number, char digest[WORKER_DIGEST_MAX])
{
    Arena arena = {0};
    Error err;
    const char *source = workspace_path(workspace, number, &arena, &err);
    WorkerBuild build = build_of(workspace, number, JUDGING_GUARDED, source);
    bool found = source && worker_digest(&build, digest, &err);
    arena_finish(&arena);
    return found;
}

// What the child process made.
typedef struct Beside {
    bool has_ended, built;
    WorkerProgram program;
    Error why;
} Beside;

// Compiles with sanitizers in a child process while this one compiles without: half the time on two cores. Without a
// child, one after the other.
static bool build_both(Judging *judging, const Workspace *workspace, int number)
{
    Beside *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL);
    pid_t beside = shared == MAP_FAILED ? -1 : fork();
    if (beside == 0) {
        shared->built =
            judging_build(workspace, number, JUDGING_GUARDED, &shared->program, &shared->why);
        shared->has_ended = true;
        _exit(0);
    }
    bool built = judging_build(workspace, number, JUDGING_PLAIN, &judging->plain,
                               &judging->why[LANGUAGE_ENGLISH]);
    if (beside > 0)
        while (waitpid(beside, NULL, 0) < 0 && errno == EINTR)
            continue;
    bool is_done = beside > 0 && shared->has_ended;
    if (built && is_done) {
        judging->guarded = shared->program;
        judging->why[LANGUAGE_ENGLISH] = shared->why;
        built = shared->built;
    } else if (built) {
        built = judging_build(workspace, number, JUDGING_GUARDED, &judging->guarded,
                              &judging->why[LANGUAGE_ENGLISH]);
    } else if (is_done) { // it took its time all the same
        judging->guarded.milliseconds = shared->program.milliseconds;
    }
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *shared);
    Error *why = &judging->why[LANGUAGE_KOREAN], *first = &judging->plain.why[LANGUAGE_KOREAN];
    if (!built)
        *why = *first->text ? *first : judging->guarded.why[LANGUAGE_KOREAN];
    return built;
}

// --- the judge

typedef struct Call {
    char *words[WORDS_MAX];
    int count;
    Arena arena;
} Call;

static void add(Call *call, const char *word)
{
    if (call->count + 1 < WORDS_MAX)
        call->words[call->count++] = (char *)word;
}

static void add_option(Call *call, const char *name, const char *value)
{
    add(call, name);
    add(call, value);
}

// True if the compiler did not fail because of the file's contents.
static bool is_learners(const WorkerProgram *program)
{
    return program->end == WORKER_BUILD_REFUSED || program->end == WORKER_BUILD_ENDLESS;
}

// True if a passed exercise can run before this one. `left_out`: why the machine leaves it out.
static bool takes_part(const Workspace *workspace, int number, WorkerProgram *program,
                       Error *left_out)
{
    WorkspaceFile file;
    Error err = {.text = ""};
    program->end = WORKER_BUILD_FAILED;
    if (!workspace_look(workspace, number, &file, &err)) {
        if (err.of_machine)
            *left_out = err;
        return false;
    }
    if (file.state != WORKSPACE_DONE)
        return false;
    bool built = judging_build(workspace, number, JUDGING_PLAIN, program, &err);
    if (!built && !is_learners(program))
        *left_out = err;
    return built;
}

// Passed exercises are in the cache; others do not take part.
static void add_chain(Call *call, const Workspace *workspace, int number, Error *left_out)
{
    for (int i = 0; i < workspace->exercises.count; i++) {
        const Exercise *exercise = &workspace->exercises.exercises[i];
        static WorkerProgram program;
        if (i == number || !exercise->stage || !takes_part(workspace, i, &program, left_out))
            continue;
        const char *link =
            arena_format(&call->arena, left_out, "%s=%s", exercise->name, program.path);
        if (link)
            add_option(call, "--chain", link);
    }
}

// The judge's message if it ended without a record: its last one, or how it ended.
static bool gave_no_verdict(Judging *judging, int status, char *said)
{
    char composed[SAID_MAX];
    said[strcspn(said, "\n")] = '\0';
    for (Language i = 0; i < LANGUAGES; i++) {
        Language language = language_beside(i);
        snprintf(composed, sizeof composed, TELL_IN(language, JUDGE_STATUS), WEXITSTATUS(status));
        error_set(&judging->why[i], TELL_IN(language, JUDGE_ENDED),
                  WIFSIGNALED(status) ? signal_text(WTERMSIG(status), language)
                  : *said             ? said
                                      : composed);
    }
    return false;
}

// Runs the judge. Returns false and sets err on failure.
static bool run_judge(const Call *call, Judging *judging)
{
    char said[SAID_MAX] = "";
    int status = 0;
    pid_t judge;
    FILE *heard = NULL;
    int cause = grading_spawn(call->words, true, &judge, &heard);
    if (cause != 0) {
        WorkerAnswer answer;
        worker_machine_lacks(cause, &answer);
        for (Language language = 0; language < LANGUAGES; language++)
            error_set(&judging->why[language], "%s", answer.why[language]);
        return false;
    }
    said[fread(said, 1, sizeof said - 1, heard)] = '\0';
    fclose(heard);
    while (waitpid(judge, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return gave_no_verdict(judging, status, said);
}

bool judging_folder(Temporary *folder, Error *err)
{
    temporary_sweep(temporary_place(), true);
    return temporary_folder(folder, temporary_place()) ||
           error_set(err, TELL(JUDGE_NO_FOLDER), temporary_place(), error_reason(errno));
}

// Passes a wrong parameter list for the judge to report.
static void add_arguments(Call *call, const Workspace *workspace, int number)
{
    Error err, messages[LANGUAGES];
    if (!judging_arguments_of(workspace, number, messages))
        return;
    const char *english = arena_text(&call->arena, messages[LANGUAGE_ENGLISH].text, &err);
    const char *korean = arena_text(&call->arena, messages[LANGUAGE_KOREAN].text, &err);
    if (english && korean) {
        add_option(call, "--arguments", english);
        add_option(call, "--arguments-korean", korean);
    }
}

// The uninitialised variable that a compiler warned of, in the build whose warnings the learner sees first.
static void add_unset(Call *call, const Judging *judging)
{
    Error err;
    CompilerUnset unset;
    bool is_known = compiler_words_unset(judging->plain.said, &unset) ||
                    compiler_words_unset(judging->guarded.said, &unset);
    const char *line = is_known ? arena_text(&call->arena, unset.line, &err) : NULL;
    const char *name = is_known ? arena_text(&call->arena, unset.name, &err) : NULL;
    if (line && name) {
        add_option(call, "--unset-line", line);
        add_option(call, "--unset-name", name);
    }
}

static bool judge(Judging *judging, const Workspace *workspace, int number, long long seed,
                  const char *case_path)
{
    Call call = {.count = 0};
    Error *err = &judging->why[LANGUAGE_ENGLISH];
    Temporary folder = {.path = NULL};
    char program[PLACE_PATH_MAX], kept[JUDGING_KEPT_MAX];
    if (!place_program("attnscope-judge", program, err) || !judging_folder(&folder, err)) {
        arena_finish(&call.arena);
        return false;
    }
    const char *out = arena_format(&call.arena, err, "%s/verdict.json", folder.path);
    const char *time_limit = arena_format(
        &call.arena, err, "%d", workspace->time_limit ? workspace->time_limit : JUDGING_TIME_LIMIT);
    const char *numbers = arena_format(&call.arena, err, "%lld", seed);
    add(&call, program);
    add(&call, workspace->exercises.exercises[number].name);
    add_option(&call, "--program", judging->plain.path);
    add_option(&call, "--lang", language_name(language_now()));
    add_option(&call, "--seed", numbers);
    add_option(&call, "--out", out);
    add_option(&call, "--time-limit", time_limit);
    if (judging->guarded.sanitized)
        add_option(&call, "--second", judging->guarded.path);
    if (case_path)
        add_option(&call, "--case", case_path);
    add_arguments(&call, workspace, number);
    add_unset(&call, judging);
    if (judging_kept_of(workspace, number, kept))
        add_option(&call, "--kept", kept);
    add_chain(&call, workspace, number, &judging->not_chained);
    bool good = out && numbers && time_limit && run_judge(&call, judging);
    json_t *record = good ? json_whole_file(out, VERDICT_BYTES_MAX, err) : NULL;
    good = record && verdict_take(&judging->verdict, record, out, err);
    json_decref(record);
    temporary_drop(&folder);
    arena_finish(&call.arena);
    return good;
}

// --- the whole

// Records the result only if the file is still the one checked.
static void note(Judging *judging, const Workspace *workspace, int number)
{
    WorkspaceFile now;
    const ProgressLine check = {
        .name = workspace->exercises.exercises[number].name,
        .key = judging->file.digest,
        .number = judging->verdict.points,
        .passed = judging_passed(judging),
    };
    if (!workspace->progress_path) {
        error_set(&judging->not_noted, TELL(NOTED_NOWHERE));
        return;
    }
    if (workspace_look(workspace, number, &now, &judging->not_noted) &&
        strcmp(now.digest, judging->file.digest) == 0)
        progress_note_check(workspace->progress_path, &check, &judging->not_noted);
}

void judging_say(Judging *judging, ExerciseWord word, const char *what)
{
    for (Language language = 0; language < LANGUAGES; language++)
        error_set(&judging->why[language], exercise_word_in(language, word), what);
}

// A folder, a pipe, 5 GB: nothing a compiler can take; the learner's to fix.
static bool is_odd(Judging *judging, const Workspace *workspace, int number)
{
    Arena arena = {0};
    ExerciseWord odd = workspace_odd(workspace, number);
    const char *path = workspace_path(workspace, number, &arena, &judging->why[LANGUAGE_ENGLISH]);
    if (path && odd != SAY_COUNT) {
        judging->end = JUDGING_NOT_COMPILED;
        judging->is_closed = odd == SAY_FILE_CLOSED;
        judging_say(judging, odd, path);
    }
    arena_finish(&arena);
    return path && odd != SAY_COUNT;
}

bool judging_is_idle(Judging *judging, const Workspace *workspace, int number)
{
    if (is_odd(judging, workspace, number))
        return true;
    judging->end = JUDGING_NOT_JUDGED;
    if (!workspace_look(workspace, number, &judging->file, &judging->why[LANGUAGE_ENGLISH]))
        return true;
    if (judging->file.state > WORKSPACE_NEW)
        return false;
    judging->end = JUDGING_UNTOUCHED;
    return true;
}

static void check(Judging *judging, const Workspace *workspace, int number, long long seed,
                  const char *case_path)
{
    if (judging_is_idle(judging, workspace, number))
        return;
    if (!build_both(judging, workspace, number)) {
        bool refused = is_learners(&judging->plain) || is_learners(&judging->guarded);
        judging->end = refused ? JUDGING_NOT_COMPILED : JUDGING_NOT_JUDGED;
    } else if (judge(judging, workspace, number, seed, case_path)) {
        if (verdict_judged(&judging->verdict)) {
            judging->end = JUDGING_DONE;
            return;
        }
        const char *const *why = verdict_first_not_run(&judging->verdict)->why;
        error_set(&judging->why[LANGUAGE_ENGLISH], "%s",
                  why[LANGUAGE_ENGLISH] ? why[LANGUAGE_ENGLISH] : TELL(TEST_NOT_RUN));
        if (why[LANGUAGE_KOREAN])
            error_set(&judging->why[LANGUAGE_KOREAN], "%s", why[LANGUAGE_KOREAN]);
    }
}

void judging_run(Judging *judging, const Workspace *workspace, int number, long long seed,
                 const char *case_path)
{
    judging_finish(judging);
    judging->is_begun = true;
    check(judging, workspace, number, seed, case_path);
    if (judging->end == JUDGING_DONE)
        note(judging, workspace, number);
    if (judging->end == JUDGING_NOT_JUDGED && !*judging->why[LANGUAGE_KOREAN].text)
        error_set(&judging->why[LANGUAGE_KOREAN], TELL_IN(LANGUAGE_KOREAN, NOT_JUDGED_HERE),
                  judging->why[LANGUAGE_ENGLISH].text);
}

void judging_finish(Judging *judging)
{
    verdict_finish(&judging->verdict);
    // Most exercises of a class are not begun, and their large parts are not touched.
    memset(judging, 0, judging->is_begun ? sizeof *judging : offsetof(Judging, plain));
}

// --- reports for people and programs

// Explains the compiler's message, if it is known.
static void print_compiler_means(const char *said, FILE *out)
{
    Written means;
    Error err;
    bool is_whole = written_begin(&means, &err);
    if (is_whole) {
        compiler_words_print(said, means.out);
        is_whole = written_end(&means, &err);
    }
    if (!is_whole || means.length > 0) {
        exercise_say(out, SAY_COMPILER_MEANS);
        fputs(is_whole ? means.text : err.text, out);
    }
    written_drop(&means);
}

static void print_compiler(const char *said, FILE *out)
{
    if (!*said)
        return;
    exercise_say(out, SAY_COMPILER_SAYS);
    for (const char *line = said; *line; line += *line == '\n') {
        size_t bytes = strcspn(line, "\n");
        fprintf(out, "  %.*s\n", (int)bytes, line);
        line += bytes;
    }
    print_compiler_means(said, out);
    fputc('\n', out);
}

static void print_untouched(const Judging *judging, const Workspace *workspace, int number,
                            FILE *out)
{
    Arena arena = {0};
    Error err = {.text = ""};
    const char *path = workspace_path(workspace, number, &arena, &err);
    exercise_say(out, judging->file.state == WORKSPACE_MISSING ? SAY_CHECK_MISSING : SAY_CHECK_NEW,
                 path ? path : err.text, workspace->exercises.exercises[number].name);
    arena_finish(&arena);
}

static void print_not_judged(const Judging *judging, const Workspace *workspace, int number,
                             FILE *out)
{
    if (judging->verdict.count > 0) {
        verdict_print(&judging->verdict, out);
        return;
    }
    exercise_say(out, SAY_NOT_JUDGED, workspace->exercises.exercises[number].name,
                 judging_why(judging));
}

static void print_edit(const VerdictTest *test, int level, FILE *out)
{
    const char *kind = test->edit_kind[language_written()];
    if (level == 1)
        exercise_say(out, SAY_HINT_EDIT_STAGE, test->edited);
    else if (level == 2)
        exercise_say(out, SAY_HINT_EDIT_KIND, test->edited, kind);
    else {
        exercise_say(out, SAY_HINT_EDIT_PLACE, test->edited, kind);
        verdict_print_formulas(test, out);
        fputc('\n', out);
    }
}

void judging_print_edits(const Judging *judging, int level, FILE *out)
{
    for (int i = 0; judging->end == JUDGING_DONE && i < judging->verdict.count; i++)
        if (judging->verdict.tests[i].edited)
            print_edit(&judging->verdict.tests[i], level, out);
}

void judging_print(const Judging *judging, const Workspace *workspace, int number, FILE *out)
{
    const char *name = workspace->exercises.exercises[number].name;
    const char *folder = *workspace->folder ? workspace->folder : ".";
    char word[SHELL_PATH_ROOM];
    switch (judging->end) {
    case JUDGING_UNTOUCHED:
        print_untouched(judging, workspace, number, out);
        return;
    case JUDGING_NOT_COMPILED:
        print_compiler(judging->plain.said, out);
        fprintf(out, "%s\n", judging_why(judging));
        if (*judging->plain.said)
            exercise_say(out, SAY_NOT_COMPILED);
        break;
    case JUDGING_NOT_JUDGED:
        print_not_judged(judging, workspace, number, out);
        return;
    case JUDGING_DONE:
        print_compiler(judging->plain.said, out);
        verdict_print(&judging->verdict, out);
        break;
    }
    if (!judging_passed(judging))
        exercise_say(out, SAY_HINTS_HELP, name);
    if (!judging_passed(judging) && workspace_header_differs(workspace))
        exercise_say(out, SAY_OTHER_HEADER, shell_path(folder, word));
    if (*judging->not_chained.text)
        exercise_say(out, SAY_NOT_CHAINED, judging->not_chained.text);
    if (*judging->not_noted.text)
        exercise_say(out, SAY_NOT_NOTED, judging->not_noted.text);
}

bool judging_passed(const Judging *judging)
{
    return judging->end == JUDGING_DONE && verdict_passed(&judging->verdict);
}

const char *judging_why(const Judging *judging)
{
    const char *text = judging->why[language_written()].text;
    return *text ? text : judging->why[LANGUAGE_ENGLISH].text;
}

// --- a check as JSON

static const char *const end_words[] = {
    [JUDGING_UNTOUCHED] = "untouched",
    [JUDGING_NOT_COMPILED] = "not-compiled",
    [JUDGING_NOT_JUDGED] = "not-judged",
    [JUDGING_DONE] = "judged",
};

// NULL for "", which records leave out.
static const char *unless_empty(const char *text)
{
    return *text ? text : NULL;
}

json_t *judging_json(const Judging *judging, const Exercise *exercise)
{
    const char *why = judging->end == JUDGING_DONE ? "" : judging->why[LANGUAGE_ENGLISH].text;
    return json_pack("{s:s, s:s, s:b, s:s, s:s, s:s*, s:s*, s:s*, s:O*}", "exercise",
                     exercise->name, "end", end_words[judging->end], "passed",
                     judging_passed(judging), "digest", judging->file.digest, "compiler_said",
                     judging->plain.said, "why", unless_empty(why), "not_chained",
                     unless_empty(judging->not_chained.text), "compiler_fence",
                     unless_empty(judging->plain.fence), "verdict", judging->verdict.record);
}

// --- away

static void take_out(char *text, const char *part)
{
    size_t length = strlen(part);
    for (char *at = text; length > 1 && (at = strstr(at, part)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

void judging_without(char *text, const char *folder)
{
    char shown[WORKER_PATH_MAX];
    snprintf(shown, sizeof shown, "%s", folder);
    worker_words_printable(shown);
    take_out(text, folder);
    take_out(text, shown);
}

// A new JSON string.
static json_t *without(const char *text, const char *folder)
{
    char *shorter = strdup(text);
    if (shorter)
        judging_without(shorter, folder);
    json_t *json = shorter ? json_string(shorter) : NULL;
    free(shorter);
    return json;
}

json_t *judging_keep(const Judging *judging, const Exercise *exercise, const char *folder)
{
    bool is_again = judging->end == JUDGING_NOT_JUDGED || *judging->not_chained.text;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:i, s:i, s:i, s:O*, s:o*}", "exercise",
                     exercise->name, "end", end_words[judging->end], "digest", judging->file.digest,
                     "said", without(judging->plain.said, folder), "why",
                     without(judging->why[LANGUAGE_ENGLISH].text, folder), "why_korean",
                     without(judging->why[LANGUAGE_KOREAN].text, folder), "compiler_fence",
                     judging->plain.fence, "state", (int)judging->file.state, "compiling",
                     judging->plain.milliseconds, "compiling_guarded",
                     judging->guarded.milliseconds, "verdict", judging->verdict.record, "again",
                     is_again ? json_true() : NULL);
}

// --- and back

static const char *text_of(const json_t *kept, const char *key)
{
    const char *text = json_string_value(json_object_get(kept, key));
    return text ? text : "";
}

static int number_of(const json_t *kept, const char *key)
{
    return (int)json_integer_value(json_object_get(kept, key));
}

bool judging_take(Judging *judging, const json_t *kept)
{
    int end = -1;
    for (int i = 0; i < (int)(sizeof end_words / sizeof *end_words); i++)
        end = strcmp(text_of(kept, "end"), end_words[i]) == 0 ? i : end;
    if (end < 0)
        return false;
    judging->is_begun = true;
    judging->end = (JudgingEnd)end;
    error_set(&judging->why[LANGUAGE_ENGLISH], "%s", text_of(kept, "why"));
    error_set(&judging->why[LANGUAGE_KOREAN], "%s", text_of(kept, "why_korean"));
    snprintf(judging->file.digest, sizeof judging->file.digest, "%s", text_of(kept, "digest"));
    snprintf(judging->plain.said, sizeof judging->plain.said, "%s", text_of(kept, "said"));
    snprintf(judging->plain.fence, sizeof judging->plain.fence, "%s",
             text_of(kept, "compiler_fence"));
    judging->file.state = (WorkspaceState)number_of(kept, "state");
    judging->plain.milliseconds = number_of(kept, "compiling");
    judging->guarded.milliseconds = number_of(kept, "compiling_guarded");
    json_t *record = json_object_get(kept, "verdict");
    Error err;
    return record ? verdict_take(&judging->verdict, record, TELL(THE_JOURNAL), &err)
                  : judging->end != JUDGING_DONE;
}

// --- checks in a child process

enum { LETTER_FIRST = 'a' };

// --- the child

// SIGTERM cancels a check. It ends judge and compiler, since exec resets this handler for them; this process survives it
// and removes its files.
static void on_called_off(int number)
{
    (void)number;
}

static void listen_for_end(void)
{
    static const int inherited[] = {SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
    sigset_t none;
    for (size_t i = 0; i < sizeof inherited / sizeof *inherited; i++)
        signal(inherited[i], SIG_DFL); // the terminal is the parent's
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_called_off}, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void check_and_report(const Workspace *workspace, int number, long long seed, int output)
{
    static Judging judging; // 50 KB
    FILE *out = fdopen(output, "w");
    if (!out)
        return;
    judging_run(&judging, workspace, number, seed, NULL);
    JudgingNews news = judging.end == JUDGING_UNTOUCHED ? JUDGING_NEWS_NOTHING_WRITTEN
                       : judging_passed(&judging)       ? JUDGING_NEWS_PASSED
                                                        : JUDGING_NEWS_SETTLED;
    fputc(LETTER_FIRST + (int)news, out);
    judging_print(&judging, workspace, number, out);
    fputc('\0', out);
    for (int level = 1; level <= EXERCISE_HINTS; level++) {
        judging_print_edits(&judging, level, out);
        fputc('\0', out);
    }
    fflush(out);
}

// --- the parent

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
        check_and_report(workspace, number, seed, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    beside->output = ends[0];
    if (beside->process > 0) {
        setpgid(beside->process, beside->process); // whichever process is first
        return true;
    }
    beside->process = 0;
    close(ends[0]);
    return error_set(err, TELL(CHECK_NOT_STARTED), error_reason(errno));
}

bool judging_beside_receive(JudgingBeside *beside, JudgingNews *news, const char **text)
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
    bool whole = written_end(&beside->said, &beside->unheard), has_text = beside->said.length > 1;
    *news = has_text ? (JudgingNews)(beside->said.text[0] - LETTER_FIRST) : JUDGING_NEWS_SETTLED;
    *text = has_text ? beside->said.text + 1 : whole ? NULL : beside->unheard.text;
    close(beside->output);
    while (waitpid(beside->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    beside->process = 0;
    return true;
}

const char *judging_beside_edits(const JudgingBeside *beside, int level)
{
    const char *text = beside->said.text;
    if (beside->process > 0 || !text)
        return "";
    const char *end = text + beside->said.length;
    for (int before = level < EXERCISE_HINTS ? level : EXERCISE_HINTS; text < end && before > 0;
         before--)
        text += strlen(text) + 1;
    return text < end ? text : "";
}

void judging_beside_end(JudgingBeside *beside)
{
    const struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
    if (beside->process > 0) {
        close(beside->output);
        // Repeatedly: it may be starting its next program.
        do {
            kill(-beside->process, SIGTERM);
            nanosleep(&moment, NULL);
        } while (waitpid(beside->process, NULL, WNOHANG) == 0);
    }
    written_drop(&beside->said);
    *beside = (JudgingBeside){.process = 0};
}

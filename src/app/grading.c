// grading: see grading.h.
#include "grading.h"

#include <string.h>
#include "compiler_words.h"
#include "exercise_words.h"
#include "fence.h"
#include "grading_files.h"
#include "utf8.h"

#define GRADING_FORMAT(x) extern const GradingFormat grading_##x;
#include "grading_formats.def"
#undef GRADING_FORMAT

static const GradingFormat *const formats[] = {
#define GRADING_FORMAT(x) &grading_##x,
#include "grading_formats.def"
#undef GRADING_FORMAT
};

const GradingFormat *grading_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!name || strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

// --- in one line

static const char *mistakes_text(const VerdictTest *test, Arena *arena, Error *err)
{
    const char *text = test->mistakes[0];
    for (int i = 1; text && i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++)
        text = arena_format(arena, err, "%s, %s", text, test->mistakes[i]);
    return text;
}

static const char *failure_text(const Grading *grading, const VerdictTest *test, Arena *arena,
                                Error *err)
{
    MistakeLanguage language = grading->language == LECTURE_KOREAN ? MISTAKE_KO : MISTAKE_EN;
    const char *why = language == MISTAKE_KO ? test->why_korean : test->why;
    const char *mistakes = mistakes_text(test, arena, err);
    const char *text = mistakes ? mistakes : why ? why : test->title[language];
    if (!test->hidden || mistakes || why)
        return text;
    return arena_format(arena, err,
                        exercise_word(grading->language, EXERCISE_SAYS_GRADE_OTHER_NUMBERS), text);
}

static const char *compiler_text(const Grading *grading, const Judging *judging, Arena *arena,
                                 Error *err)
{
    size_t length;
    const char *first = compiler_words_first(judging->plain.said, &length);
    const char *line = arena_format(arena, err, "%.*s", (int)length, first);
    const char *folder = grading->workspace.folder;
    if (line && strncmp(line, folder, strlen(folder)) == 0)
        line += strlen(folder);
    return line && *line
               ? arena_format(arena, err,
                              exercise_word(grading->language, EXERCISE_SAYS_GRADE_NOT_COMPILED),
                              line)
               : judging_why(judging, grading->language);
}

const char *grading_why(const Grading *grading, const Judging *judging, Arena *arena)
{
    Error err;
    const char *text = "";
    const VerdictTest *failure = verdict_first_failure(&judging->verdict);
    if (judging->end == JUDGING_NOT_COMPILED)
        text = compiler_text(grading, judging, arena, &err);
    else if (judging->end == JUDGING_NOT_JUDGED)
        text = arena_format(arena, &err,
                            exercise_word(grading->language, EXERCISE_SAYS_GRADE_NOT_JUDGED),
                            judging_why(judging, grading->language));
    else if (judging->end == JUDGING_DONE && failure)
        text = failure_text(grading, failure, arena, &err);
    return text ? text : "";
}

// --- a submission

enum { SLOW_MILLISECONDS = 1000, COMPILE_SECONDS = 8, PATIENCE_LEAST = 500 };

static bool is_exercise(const Grading *grading, const char *name)
{
    const ExerciseList *list = &grading->workspace.exercises;
    for (int i = 0; i < list->count; i++) {
        size_t length = strlen(list->exercises[i].name);
        if (strncmp(list->exercises[i].name, name, length) == 0 && strcmp(name + length, ".c") == 0)
            return true;
    }
    return false;
}

static void tell_stray(void *context, const char *name)
{
    Grading *grading = context;
    if (!is_exercise(grading, name))
        grading->format->stray(grading, name);
}

// Half of what was given last, or of the usual, but no less than `least`.
static int half(int last, int usual, int least)
{
    int next = (last > 0 ? last : usual) / 2;
    return next > least ? next : least;
}

// Nothing is looked at of what leads out of a submission, or cannot be read.
static void refuse(Judging *judging, ExerciseWord refusal)
{
    judging_finish(judging);
    judging->end = JUDGING_NOT_COMPILED;
    error_set(&judging->why, "%s", exercise_word(LECTURE_ENGLISH, refusal));
    error_set(&judging->why_korean, "%s", exercise_word(LECTURE_KOREAN, refusal));
}

// A submission has so much time in all, whatever it does with it: what one exercise wasted, the others
// lack. What is left would still do for any honest one, several times.
static void check_one(Grading *grading, Judging *judging, int number)
{
    Workspace *workspace = &grading->workspace;
    judging_run(judging, workspace, number, grading->seed, NULL);
    if (judging->plain.milliseconds > SLOW_MILLISECONDS ||
        judging->guarded.milliseconds > SLOW_MILLISECONDS)
        workspace->compile_seconds = half(workspace->compile_seconds, COMPILE_SECONDS, 1);
    if (judging->milliseconds > SLOW_MILLISECONDS)
        workspace->patience = half(workspace->patience, JUDGING_PATIENCE, PATIENCE_LEAST);
}

static void check_all(Grading *grading, const Submission *submission)
{
    static Judging all[EXERCISES_MAX]; // 50 KB each
    for (int again = 0; again < 2; again++)
        for (int i = grading->first; i < grading->end; i++)
            if (submission->refusal != EXERCISE_SAYS_COUNT)
                refuse(&all[i], submission->refusal);
            else if (!again || all[i].end == JUDGING_NOT_JUDGED)
                check_one(grading, &all[i], i);
    for (int i = grading->first; i < grading->end; i++) {
        bool judged = all[i].end != JUDGING_NOT_JUDGED;
        grading->points += all[i].end == JUDGING_DONE ? all[i].verdict.points : 0;
        grading->max += judged ? grading->workspace.exercises.exercises[i].points : 0;
        grading->not_judged += !judged;
        grading->all_not_judged += !judged;
        grading->format->exercise(grading, &all[i], i);
        judging_finish(&all[i]);
    }
}

static bool choose(Grading *grading, Error *err)
{
    int number =
        grading->only ? exercise_list_find(&grading->workspace.exercises, grading->only, err) : 0;
    grading->first = number;
    grading->end = grading->only ? number + 1 : grading->workspace.exercises.count;
    return number >= 0;
}

static bool check_submission(Grading *grading, const Submission *submission, Error *err)
{
    const char *folder = submission->path;
    if (!workspace_open_submission(&grading->workspace, folder, grading->language, err))
        return false;
    bool good = choose(grading, err);
    if (good) {
        Arena arena = {0};
        const char *files = arena_format(&arena, err, "%s/%s", folder, grading->workspace.files);
        grading->points = grading->max = grading->not_judged = 0;
        grading->format->submission(grading);
        check_all(grading, submission);
        if (files && submission->refusal == EXERCISE_SAYS_COUNT)
            submission_sources(files, tell_stray, grading);
        grading->format->submission_end(grading);
        arena_finish(&arena);
    }
    workspace_close(&grading->workspace);
    return good;
}

// --- all of them

// The columns and the exercises are known before the first row is.
static bool measure(Grading *grading, const Submission *all, int count, Error *err)
{
    grading->name_width = 0;
    for (int i = 0; i < count; i++) {
        int width = utf8_width(all[i].name);
        grading->name_width = width > grading->name_width ? width : grading->name_width;
    }
    bool good =
        workspace_open_submission(&grading->workspace, grading->folder, grading->language, err) &&
        choose(grading, err);
    workspace_close(&grading->workspace);
    return good;
}

static bool find_fence(Grading *grading, Error *err)
{
    bool known = worker_fence(&grading->fence, err);
    if (!grading->needs_fence || grading->fence.parts == FENCE_WHOLE)
        return true; // what cannot be tried now cannot be run either: each exercise tells
    if (!known)
        return false;
    return error_set(err,
                     "nothing is run: the fence that --require-fence asks for is not whole on this "
                     "machine, which has only: %s. It takes Linux 5.13 with Landlock, and a build "
                     "with libseccomp",
                     grading->fence.text);
}

bool grading_run(Grading *grading, Error *err)
{
    Arena arena = {0};
    int count = 0;
    if (!find_fence(grading, err))
        return false;
    const Submission *all = submissions_find(grading->folder, &count, &arena, err);
    bool good = all && measure(grading, all, count, err);
    grading->is_whole = true;
    if (good)
        grading->format->begin(grading);
    for (int i = 0; good && i < count; i++) {
        grading->name = all[i].name;
        good = check_submission(grading, &all[i], err);
        fflush(grading->out);
    }
    if (good)
        grading->format->end(grading);
    if (good && !grading->is_whole)
        good = error_set(err, "there is no memory for all of the results");
    arena_finish(&arena);
    return good;
}

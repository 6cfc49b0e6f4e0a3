// grading: see grading.h.
#include "grading.h"

#include <string.h>
#include "exercise_words.h"
#include "fence.h"
#include "grading_files.h"
#include "grading_work.h"
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

// --- a submission

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
        grading->format->note(grading, EXERCISE_SAYS_GRADE_NO_EXERCISE, name);
}

static void tell_all(Grading *grading, const Submission *submission)
{
    Judging *all = grading_judge(grading, submission);
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

static bool tell_submission(Grading *grading, const Submission *submission, Error *err)
{
    if (!workspace_open_submission(&grading->workspace, submission->path, grading->language, err))
        return false;
    Arena arena = {0};
    const char *files =
        arena_format(&arena, err, "%s/%s", submission->path, grading->workspace.files);
    grading->name = submission->name;
    grading->points = grading->max = grading->not_judged = 0;
    grading->format->submission(grading);
    tell_all(grading, submission);
    for (const SubmissionNote *note = submission->notes; note; note = note->next)
        grading->format->note(grading, note->word, note->what);
    if (files && submission->refusal == EXERCISE_SAYS_COUNT)
        submission_sources(files, tell_stray, grading);
    grading->format->submission_end(grading);
    arena_finish(&arena);
    workspace_close(&grading->workspace);
    fflush(grading->out);
    return files != NULL;
}

// --- all of them

// The columns and the exercises are known before the first row is.
static void measure(Grading *grading, const SubmissionList *list)
{
    grading->name_width = 0;
    for (int i = 0; i < list->count; i++) {
        int width = utf8_width(list->all[i].name);
        if (!list->all[i].is_older && width > grading->name_width)
            grading->name_width = width;
    }
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

// Without a journal all is judged here and nothing is kept; whoever asked for one is refused.
static bool open_journal(Grading *grading, Error *err)
{
    char path[JOURNAL_PATH_MAX] = "";
    const char *named = grading->journal_path;
    grading->journal = (Journal){.file = -1};
    if (named && strcmp(named, "none") == 0)
        return true;
    grading_work_open(grading);
    if (named)
        return journal_open(&grading->journal, named, err);
    if (!journal_place(grading->folder, path, err) || !journal_open(&grading->journal, path, err))
        fprintf(stderr, "attnscope: nothing is kept for the next time: %s\n", err->text);
    return true;
}

static bool tell(Grading *grading, const SubmissionList *list, Error *err)
{
    bool good = true;
    grading->is_whole = true;
    grading->format->begin(grading);
    for (int i = 0; good && i < list->count; i++)
        good = list->all[i].is_older || tell_submission(grading, &list->all[i], err);
    if (good)
        grading->format->end(grading);
    if (good && !grading->is_whole)
        good = error_set(err, "there is no memory for all of the results");
    return good;
}

// What belongs to no submission, for whoever put it there.
static void tell_odd(const Grading *grading, const SubmissionList *list)
{
    for (const SubmissionNote *note = list->notes; note; note = note->next) {
        fputs("attnscope: ", stderr);
        exercise_say(stderr, grading->language, note->word, note->what);
        fputc('\n', stderr);
    }
}

static bool judge_and_tell(Grading *grading, Error *err)
{
    SubmissionList list = {.count = 0};
    bool good = choose(grading, err) &&
                submissions_open(&list, grading->folder, &grading->workspace.exercises, err) &&
                open_journal(grading, err);
    if (good) {
        Workspace lessons = grading->workspace; // stays open, while the grading opens others
        tell_odd(grading, &list);
        measure(grading, &list);
        grading_work(grading, &list);
        good = tell(grading, &list, err);
        journal_close(&grading->journal);
        grading->workspace = lessons;
    }
    submissions_close(&list);
    return good;
}

bool grading_run(Grading *grading, Error *err)
{
    if (!find_fence(grading, err) ||
        !workspace_open_submission(&grading->workspace, grading->folder, grading->language, err))
        return false;
    bool good = judge_and_tell(grading, err);
    workspace_close(&grading->workspace);
    return good;
}

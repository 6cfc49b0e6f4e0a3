// doctor_trial: a function known to be right, in a workspace of its own that is gone afterwards, is
// built and judged as a learner's. It takes everything that an exercise takes: the compiler, the
// library, the keeper, the fence, the judge.
#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "input_file.h"
#include "app_words.h"

enum { SOURCE_BYTES_MAX = 1 << 16 };

static const char exercise_name[] = "scale";

static void made(void *context, WorkspaceWork work, const char *path)
{
    (void)context, (void)work, (void)path;
}

// The solution takes the place of what a learner begins with.
static bool solve(const Workspace *workspace, int number, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    const Exercise *exercise = &workspace->exercises.exercises[number];
    const char *from = arena_format(arena, err, "%s/solution.c", exercise->folder);
    const char *to = workspace_path(workspace, number, arena, err);
    if (!from || !to || !input_file_all(from, SOURCE_BYTES_MAX, arena, &bytes, &length, err))
        return false;
    FILE *out = fopen(to, "we");
    bool written = out && fwrite(bytes, 1, length, out) == length;
    if (out && fclose(out) != 0)
        written = false;
    return written || error_set(err, TELL(TRIAL_UNWRITTEN), to);
}

static bool try_in(const char *folder, Doctor *doctor, Error *err)
{
    Workspace workspace;
    if (!workspace_make(folder, doctor->language, made, NULL, err) ||
        !workspace_open(&workspace, folder, NULL, err))
        return false;
    int number = exercise_list_find(&workspace.exercises, exercise_name, err);
    bool good = number >= 0 && solve(&workspace, number, &doctor->arena, err);
    if (good)
        judging_run(&doctor->trial.judging, &workspace, number, 1, NULL);
    workspace_close(&workspace);
    return good;
}

// Where progress and built programs are kept: never among the person's own while the trial runs.
static bool go_to(const char *name, const char *folder, Arena *arena, const char **before,
                  Error *err)
{
    const char *value = getenv(name);
    *before = value ? arena_text(arena, value, err) : NULL;
    if (value && !*before)
        return false;
    return setenv(name, folder, 1) == 0 || error_number(err, errno, "%s", error_reason(errno));
}

// What the environment says of a variable comes back afterwards. False with a sentence: no memory.
static bool put_back(const char *name, const char *before, Error *err)
{
    int bad = before ? setenv(name, before, 1) : unsetenv(name);
    return bad == 0 || error_number(err, errno, "%s", error_reason(errno));
}

const DoctorTrial *doctor_trial(Doctor *doctor)
{
    static const char *const places[] = {"XDG_CACHE_HOME", "XDG_STATE_HOME"};
    const char *before[2] = {NULL, NULL};
    Temporary folder;
    DoctorTrial *trial = &doctor->trial;
    if (trial->is_done)
        return trial;
    trial->is_done = true;
    if (!judging_folder(&folder, &trial->failure))
        return trial;
    int gone = 0;
    while (gone < 2 &&
           go_to(places[gone], folder.path, &doctor->arena, &before[gone], &trial->failure))
        gone++;
    if (gone == 2 && try_in(folder.path, doctor, &trial->failure))
        trial->failure.text[0] = '\0';
    while (gone-- > 0)
        put_back(places[gone], before[gone], &trial->failure);
    temporary_drop(&folder);
    return trial;
}

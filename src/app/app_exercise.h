// Shared by the commands about exercises: opening the workspace, finding the exercise, showing tasks and
// hints. Defined in command_exercise.c.
#ifndef APP_EXERCISE_H
#define APP_EXERCISE_H

#include "app.h"
#include "comparison.h"
#include "exercise.h"
#include "shown_name.h"
#include "verdict.h"
#include "worker.h"
#include "workspace.h"

// Parses --seed; 1 if it is absent. Reports an error and returns false if it is malformed.
bool app_exercise_seed(const AppOptions *options, long long *seed);

// Opens the workspace, finds the exercise, and runs the command's `act`. Returns an exit code.
int app_exercise_run(const AppCommand *command, AppOptions *options);

// Prints the task: title, text, file, and the commands to go on with.
void app_exercise_task(const Workspace *workspace, int number, FILE *out);

// The level of the next hint: 1 to 3, or 4 for the page of the lecture.
int app_exercise_hint_level(const Workspace *workspace, int number);

// The level after one that is shown; the first follows the last.
int app_exercise_hint_after(int level);

// Prints a hint and records that it was shown.
void app_exercise_hint(const Workspace *workspace, int number, int level, FILE *out);

// Prints all exercises with state and points; outside a workspace, only their descriptions. Returns an
// exit code.
int app_exercise_list(const AppOptions *options);

// "passed", "in progress" and so on.
const char *app_exercise_state(WorkspaceState state);

// The width for text on standard output.
int app_exercise_columns(void);

// The workspace's folder as a command argument; "." if it is the current directory.
const char *app_exercise_folder(const Workspace *workspace, char word[SHELL_PATH_ROOM]);

// --- watch

// Checks an exercise at each save until the user quits; keys switch to other exercises. Returns an exit
// code.
int app_watch(Workspace *workspace, int number);

// --- a learner's functions in a trace
//
// Every function that the learner has begun to write is built, and runs in a process of its own.
//
// Life cycle: zeroed; app_learner_open, again for another folder; app_learner_close.

struct AppLearner {
    const Scenario *scenario; // the scenario that they run in
    const char *folder;       // the default for app_learner_open
    const char *language;     // "en", "ko" or NULL
    const char *only;         // use only this exercise; NULL: all

    LearnerStages mine;
    Workspace workspace;
    Worker workers[EXERCISES_MAX];
    WorkerStage stages[EXERCISES_MAX + 1];
    const char *names[EXERCISES_MAX + 1];
    int count;
    bool is_open;
};

// Whether the learner's function of an exercise with a stage computes what this scenario asks of the stage.
bool app_exercise_takes_part(const Scenario *scenario, const Exercise *exercise);

// Opens the workspace in `folder`; NULL means `mine->folder` or the current directory. Returns false and
// sets err if there is no workspace, nothing is written yet, or a function does not build (with the
// compiler's first error).
bool app_learner_open(AppLearner *mine, const char *folder, Error *err);
void app_learner_close(AppLearner *mine);

// app_learner_open as a LearnerStagesOpen; the context is an AppLearner.
bool app_learner_for_comparison(void *context, const char *folder, const LearnerStages **mine,
                                Error *err);

#endif

// What the commands about exercises share: the workspace they mean, and the exercise.
#ifndef APP_EXERCISE_H
#define APP_EXERCISE_H

#include "app.h"
#include "comparison.h"
#include "exercise.h"
#include "shown_name.h"
#include "verdict.h"
#include "worker.h"
#include "workspace.h"

// Opens the workspace that the options name. False after a sentence.
bool app_exercise_open(Workspace *workspace, const AppOptions *options);

// Says on standard error why nothing is known of what has passed, where that is so.
void app_exercise_warn(const Workspace *workspace);

// workspace_current; says on standard error what this machine could not look at.
int app_exercise_current(const Workspace *workspace);

// The exercise that the first argument names, without one the one to do now. -1 after a sentence:
// there is no such exercise, or (*code is APP_DONE) all are done.
int app_exercise_number(const Workspace *workspace, const AppOptions *options, int *code);

// What --seed says; 1 where it says nothing. False after a sentence.
bool app_exercise_seed(const AppOptions *options, long long *seed);

// What a command does with its exercise; an exit code.
typedef int ExerciseAct(Workspace *workspace, AppOptions *options, int number);

// A whole command about one exercise. `unnamed` is what it says when none is named; NULL: the one to
// do now is meant.
int app_exercise_run(AppOptions *options, const char *unnamed, ExerciseAct *act);

// Shows the task of an exercise: its head, the text, the file, and what can be done.
void app_exercise_task(const Workspace *workspace, int number, FILE *out);

// The next hint: 1 to 3, 4 the place in the lecture.
int app_exercise_hint_level(const Workspace *workspace, int number);

// Shows a hint and notes it.
void app_exercise_hint(const Workspace *workspace, int number, int level, FILE *out);

// Prints the exercises with state and points; where there is no workspace, what they are. An exit
// code.
int app_exercise_list(const AppOptions *options);

// A state in a word or two.
const char *app_exercise_state(WorkspaceState state, Language language);

// The columns that text on standard output may take.
int app_exercise_columns(void);

// The folder of a workspace for the person, to name after a command: "." where they are in it.
const char *app_exercise_folder(const Workspace *workspace, char word[SHELL_PATH_ROOM]);

// --- an exercise in the terminal, checked each time it is saved

// Until the person leaves; an exit code. Other exercises follow by a key.
int app_watch(Workspace *workspace, int number);

// --- functions of a workspace in a trace
//
// A learner's functions as stages of a trace: those of a workspace that somebody has begun to write,
// built, and each in a process of its own.
//
// Life cycle: zeroed; app_mine_open, again for another folder; app_mine_close.

struct AppMine {
    const Scenario *scenario; // that they are to run in
    const char *folder;       // the usual one, where none is named; NULL: as in app_mine_open
    const char *language;     // "en", "ko" or NULL
    const char *only;         // the only exercise that takes part; NULL: all

    LearnerStages mine;
    Workspace workspace;
    Worker workers[EXERCISES_MAX];
    WorkerStage stages[EXERCISES_MAX + 1];
    const char *names[EXERCISES_MAX + 1];
    int count;
    bool is_open;
};

// `folder` is a workspace, NULL the one that the program runs in. False with a sentence: there is no
// workspace, nothing in it is written yet, or a function does not build (with the first line that the
// compiler said).
bool app_mine_open(AppMine *mine, const char *folder, Error *err);
void app_mine_close(AppMine *mine);

// The same as a LearnerStagesOpen: the context is an AppMine.
bool app_mine_for_comparison(void *context, const char *folder, const LearnerStages **mine,
                             Error *err);

#endif

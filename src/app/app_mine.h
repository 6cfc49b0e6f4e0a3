// A learner's functions as stages of a trace: those of a workspace that somebody has begun to write,
// built, and each in a process of its own.
//
// Life cycle: zeroed; app_mine_open, again for another folder; app_mine_close.
#ifndef APP_MINE_H
#define APP_MINE_H

#include "app.h"
#include "comparison.h"
#include "worker.h"
#include "workspace.h"

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

// An exercise in the terminal, checked each time it is saved.
#ifndef APP_WATCH_H
#define APP_WATCH_H

#include "app_exercise.h"

// Until the person leaves; an exit code. Other exercises follow by a key.
int app_watch(Workspace *workspace, int number);

#endif

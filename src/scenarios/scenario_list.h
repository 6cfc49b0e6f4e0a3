// Which scenarios there are: every *.yaml in the folder `scenarios` of the lessons (place.h).
#ifndef SCENARIO_LIST_H
#define SCENARIO_LIST_H

#include "arena.h"
#include "error.h"

typedef struct ScenarioEntry {
    const char *name; // "padded-batch"
    const char *path;
    const char *document; // "001", or NULL
    const char *about;    // one line
} ScenarioEntry;

typedef struct ScenarioList {
    ScenarioEntry *entries; // in the order of their documents, then of their names
    int count;
    Arena arena;
} ScenarioList;

bool scenario_list_open(ScenarioList *list, Error *err);
void scenario_list_close(ScenarioList *list);

#endif

// The runs that references and questions of a page ask, besides the one on the screen. Only the files
// of the guide include this.
#ifndef GUIDE_RUNS_H
#define GUIDE_RUNS_H

#include "guide.h"

// A lecture names known scenarios, never files.
bool guide_open_scenario(Scenario *scenario, const char *name, Error *err);

// Runs the page's scenario with a change: an option, an element (x[0,5,0]=9), "mistake NAME".
bool guide_open_changed(Guide *guide, const char *change, Error *err);

// Opens a known scenario with a mistake in it, for trace_run.
bool guide_open_mistake(GuideRun *run, const char *scenario, const char *name, Error *err);

// Whether the change is one of an element.
bool guide_changes_element(const char *change);

// Does what a lecture's command says; only those that lectures may say.
bool guide_do(Session *session, const char *words, Error *err);

void guide_close_run(GuideRun *run);

#endif

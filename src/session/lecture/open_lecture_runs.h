// The runs that references and questions of a page ask, besides the one on the screen. Only the files
// of the open lecture include this.
#ifndef OPEN_LECTURE_RUNS_H
#define OPEN_LECTURE_RUNS_H

#include "open_lecture.h"

// A lecture names known scenarios, never files.
bool open_lecture_open_scenario(Scenario *scenario, const char *name, Error *err);

// Runs the page's scenario with a change: an option, an element (x[0,5,0]=9), "mistake NAME".
bool open_lecture_open_changed(OpenLecture *open, const char *change, Error *err);

// Opens a known scenario with a mistake in it, for trace_run.
bool open_lecture_open_mistake(OpenLectureRun *run, const char *scenario, const char *name,
                               Error *err);

// Whether the change is one of an element.
bool open_lecture_changes_element(const char *change);

// Does what a lecture's command says; only those that lectures may say.
bool open_lecture_do(Session *session, const char *words, Error *err);

void open_lecture_close_run(OpenLectureRun *run);

#endif

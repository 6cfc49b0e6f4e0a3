// The runs that references and questions of a page ask, besides the one on the screen. Only the files
// of the open lecture include this.
#ifndef OPEN_LECTURE_RUNS_H
#define OPEN_LECTURE_RUNS_H

#include "open_lecture.h"

// What a page runs: a file that lies beside the lecture's own, or a known scenario. A lecture names
// neither folders nor files elsewhere.
typedef struct LectureScene {
    const char *file; // the lecture's
    const char *name; // "causal"; "tiny" for tiny.yaml beside the lecture; "tiny.safetensors"
    const char *text; // a sentence in place of its input; NULL: none
    const char *set;  // an option that is changed; NULL: none
} LectureScene;

LectureScene open_lecture_scene(const OpenLecture *open);

bool open_lecture_open_scenario(Scenario *scenario, const LectureScene *scene, Error *err);

// Whether a scenario was opened for this.
bool open_lecture_is_scene(const Scenario *scenario, const LectureScene *scene);

// Runs the page's scenario with a change: an option, an element (x[0,5,0]=9), "mistake NAME".
bool open_lecture_open_changed(OpenLecture *open, const char *change, Error *err);

// Opens a scene with a mistake in it, for trace_run.
bool open_lecture_open_mistake(OpenLectureRun *run, const LectureScene *scene, const char *name,
                               Error *err);

// Whether the change is one of an element.
bool open_lecture_changes_element(const char *change);

// Does what a lecture's command says; only those that lectures may say.
bool open_lecture_do(Session *session, const char *words, Error *err);

void open_lecture_close_run(OpenLectureRun *run);

#endif

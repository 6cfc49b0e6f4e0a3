// Shared by the files of the open lecture. Panels use open_lecture.h.
#ifndef QUESTION_H
#define QUESTION_H

#include "open_lecture.h"

// --- runs for references and questions, besides the one on screen

// What a page runs: a file next to the lecture, or a known scenario. A lecture cannot name other folders.
typedef struct LectureScene {
    const char *file; // the lecture's
    const char *name; // "causal"; "tiny" for tiny.yaml next to the lecture; "tiny.safetensors"
    const char *text; // replaces the input; NULL: none
    const char *set;  // changes an option; NULL: none
} LectureScene;

LectureScene open_lecture_scene(const OpenLecture *open);

bool open_lecture_open_scenario(Scenario *scenario, const LectureScene *scene, Error *err);

// True if the scenario was opened for this scene.
bool open_lecture_is_scene(const Scenario *scenario, const LectureScene *scene);

// Opens a run for references to the page: its scenario with the edits of its commands. Closes it if there are none.
bool open_lecture_open_edited(OpenLecture *open, const WhatIf *edits, Error *err);

// The finished run of the page's scenario as its commands leave it.
const Trace *open_lecture_run(const OpenLecture *open);

// Runs the page's scenario with edits and one more change: an option, an element (x[0,5,0]=9), a formula, or
// "mistake NAME".
bool open_lecture_open_changed(OpenLecture *open, const WhatIf *edits, const char *change,
                               Error *err);

// Opens the page's scenario with edits and a mistake in it, for trace_run.
bool open_lecture_open_mistake(const OpenLecture *open, const WhatIf *edits, const char *name,
                               OpenLectureRun *run, Error *err);

// True if the change is of an element.
bool open_lecture_changes_element(const char *change);

// Runs a command of a lecture. Refuses commands that lectures may not use.
bool open_lecture_do(Session *session, const char *words, Error *err);

void open_lecture_close_run(OpenLectureRun *run);

// --- kinds of questions
//
// How each kind of question is answered by the trace, and how an answer is typed, read and judged. questions.c
// defines question_NAME for each row of lecture_kinds.def.

// The user's answer.
typedef struct Typed {
    int count;
    double numbers[REFERENCE_VALUES_MAX];
    int decimals; // of the last number
} Typed;

typedef enum Verdict {
    VERDICT_WRONG,
    VERDICT_RIGHT,
    VERDICT_WITHOUT_BATCH, // right, except that the axis of a single sequence is missing
} Verdict;

enum { QUESTION_HINT_MAX = 256 };

// Unused parts are NULL or false.
typedef struct Question {
    OpenLectureWord form;  // how to write an answer
    OpenLectureWord paper; // the same on paper, without a cursor; 0: as `form`
    OpenLectureWord hint;  // after the first wrong answer, unless the lecture has one
    bool single;           // the answer is one number
    bool decides;          // there are two answers: after a wrong one, the other is known

    // Computes the right answer. NULL: the value of the question's reference.
    bool (*answer)(const OpenLecture *open, ReferenceValue *answer, Error *err);

    // Reads an answer. Returns false and sets err if the text is none; that does not count as a try. NULL: the
    // number of a choice, from 1.
    bool (*read)(const Session *session, const char *text, Typed *typed, Error *err);

    // NULL: the numbers must be equal.
    Verdict (*judge)(const OpenLecture *open, const Typed *typed, const ReferenceValue *answer);

    // A hint about a wrong answer that does not give the right one away. NULL: `hint`.
    const char *(*say_hint)(const OpenLecture *open, const Typed *typed,
                            const ReferenceValue *answer, char text[QUESTION_HINT_MAX]);

    // A choice, from 0; NULL after the last. NULL: the lines of the question.
    const char *(*choice)(const OpenLecture *open, int number, char text[OPEN_LECTURE_CHOICE_MAX]);

    // A text after the question: "(1, 3, ?, 4)".
    const char *(*shows)(const OpenLecture *open, char text[OPEN_LECTURE_CHOICE_MAX]);

    // Runs once it is answered, before the page's own commands.
    bool (*over)(Session *session, Error *err);

    OpenLectureWord typed; // the initial text of the prompt; 0: none
} Question;

const Question *question_of(const OpenLecture *open);
const LectureQuestion *question_text(const OpenLecture *open);

// Compares what was typed with the answer without its first `skipped` numbers; each may be `allowed` off.
bool question_matches(const Typed *typed, const ReferenceValue *answer, int skipped,
                      double allowed);

// Compares two texts, either of which may be NULL.
bool question_same_text(const char *a, const char *b);

// Reads an answer by the rules of the page's question.
bool open_lecture_read_typed(const Session *session, const char *text, Typed *typed, Error *err);

#endif

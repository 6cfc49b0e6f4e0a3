// Shared by the files of the open lecture; panels ask open_lecture.h.
#ifndef QUESTION_H
#define QUESTION_H

#include "open_lecture.h"

// --- the runs that references and questions of a page ask, besides the one on the screen

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

// --- kinds of questions
//
// What the trace answers, how an answer is typed, read and judged. For each row of lecture_kinds.def,
// questions.c defines question_NAME.

// What a person typed.
typedef struct Typed {
    int count;
    double numbers[REFERENCE_VALUES_MAX];
    int decimals; // of the last number
} Typed;

typedef enum Verdict {
    VERDICT_WRONG,
    VERDICT_RIGHT,
    VERDICT_WITHOUT_BATCH, // right, but for an axis of one sequence that was left out
} Verdict;

enum { QUESTION_HINT_MAX = 256 };

// A kind leaves out what it does not need: NULL or false.
typedef struct Question {
    OpenLectureWord form;  // how an answer is written
    OpenLectureWord paper; // the same on paper, which has no cursor; 0: as `form`
    OpenLectureWord hint;  // after a first wrong answer, where the lecture has none
    bool single;           // the answer is one number
    bool decides;          // there are two answers: the other one is no longer a guess

    // What the trace says; NULL: what the reference of the question says.
    bool (*answer)(const OpenLecture *open, ReferenceValue *answer, Error *err);

    // False, with what is wanted, when the text is no answer; that counts as no try. NULL: one number
    // of a choice, counted from 1.
    bool (*read)(const Session *session, const char *text, Typed *typed, Error *err);

    // NULL: the same numbers.
    Verdict (*judge)(const OpenLecture *open, const Typed *typed, const ReferenceValue *answer);

    // Something about a wrong answer that does not give the right one away; NULL: `hint`.
    const char *(*say_hint)(const OpenLecture *open, const Typed *typed,
                            const ReferenceValue *answer, char text[QUESTION_HINT_MAX]);

    // One of those to choose among, from 0; NULL beyond the last. NULL: the lines of the question.
    const char *(*choice)(const OpenLecture *open, int number, char text[OPEN_LECTURE_CHOICE_MAX]);

    // What stands behind the words of the question ("(1, 3, ?, 4)").
    const char *(*shows)(const OpenLecture *open, char text[OPEN_LECTURE_CHOICE_MAX]);

    // What happens on the screen when it has been answered, before the page's own commands.
    bool (*over)(Session *session, Error *err);

    OpenLectureWord typed; // what stands in the line for the answer at first; 0: nothing
} Question;

const Question *question_of(const OpenLecture *open);
const LectureQuestion *question_text(const OpenLecture *open);

// The same for one index into what the answer's reference leaves over, or for several.

// Whether the answer, without its first `skipped` numbers, is what was typed; each number may be
// `allowed` off.
bool question_matches(const Typed *typed, const ReferenceValue *answer, int skipped,
                      double allowed);

// What the person typed, by the rules of the page's question.
bool open_lecture_read_typed(const Session *session, const char *text, Typed *typed, Error *err);

#endif

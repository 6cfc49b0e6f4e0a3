// One kind of question of a lecture: what the trace answers, how an answer is typed, read and judged.
// Each row of question_kinds.def has a file question_NAME.c that defines question_NAME.
//
// Only the files of the open lecture include this; panels ask open_lecture.h.
#ifndef QUESTION_H
#define QUESTION_H

#include "open_lecture.h"
#include "open_lecture_runs.h"
#include "open_lecture_words.h"

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
const char *question_word(const OpenLecture *open, OpenLectureWord which);

// The reference of the question, and what it says.
bool question_reference(const OpenLecture *open, ReferenceValue *answer, Error *err);

// The numbers in a text, whatever stands between them: "(1, 3, 3)", "1x3x3", "1 by 3 by 3". False,
// with what is wanted, where there is none.
bool question_numbers(const Session *session, const char *text, Typed *typed, Error *err);

// The same for one index into what the answer's reference leaves over, or for several.
bool question_index(const Session *session, const char *text, Typed *typed, Error *err);
bool question_indices(const Session *session, const char *text, Typed *typed, Error *err);

// Whether all numbers are whole, and none is below `first` or above `last`.
bool question_in_range(const Typed *typed, int first, int last);

// Whether the answer, without its first `skipped` numbers, is what was typed; each number may be
// `allowed` off.
bool question_matches(const Typed *typed, const ReferenceValue *answer, int skipped,
                      double allowed);

// What the person typed, by the rules of the page's question.
bool open_lecture_read_typed(const Session *session, const char *text, Typed *typed, Error *err);

// Whether what was typed is this word, in any language.
bool question_is_word(const char *text, OpenLectureWord word);

// Makes the answer a choice, counted from 0, told by its number from 1.
void question_choose(ReferenceValue *answer, int number);

#endif

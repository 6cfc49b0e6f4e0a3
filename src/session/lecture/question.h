// One kind of question of a lecture: what the trace answers, how an answer is typed, read and judged.
// Each row of question_kinds.def has a file question_NAME.c that defines question_NAME.
//
// Only the files of the guide include this; panels ask guide.h.
#ifndef QUESTION_H
#define QUESTION_H

#include "guide.h"
#include "guide_runs.h"
#include "guide_words.h"

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
    GuideWord form;  // how an answer is written
    GuideWord paper; // the same on paper, which has no cursor; 0: as `form`
    GuideWord hint;  // after a first wrong answer, where the lecture has none
    bool single;     // the answer is one number
    bool decides;    // there are two answers: the other one is no longer a guess

    // What the trace says; NULL: what the reference of the question says.
    bool (*answer)(const Guide *guide, ReferenceValue *answer, Error *err);

    // False, with what is wanted, when the text is no answer; that counts as no try. NULL: one number
    // of a choice, counted from 1.
    bool (*read)(const Session *session, const char *text, Typed *typed, Error *err);

    // NULL: the same numbers.
    Verdict (*judge)(const Guide *guide, const Typed *typed, const ReferenceValue *answer);

    // Something about a wrong answer that does not give the right one away; NULL: `hint`.
    const char *(*say_hint)(const Guide *guide, const Typed *typed, const ReferenceValue *answer,
                            char text[QUESTION_HINT_MAX]);

    // One of those to choose among, from 0; NULL beyond the last. NULL: the lines of the question.
    const char *(*choice)(const Guide *guide, int number, char text[GUIDE_CHOICE_MAX]);

    // What stands behind the words of the question ("(1, 3, ?, 4)").
    const char *(*shows)(const Guide *guide, char text[GUIDE_CHOICE_MAX]);

    // What happens on the screen when it has been answered, before the page's own commands.
    bool (*over)(Session *session, Error *err);

    GuideWord typed; // what stands in the line for the answer at first; 0: nothing
} Question;

const Question *question_of(const Guide *guide);
const LectureQuestion *question_text(const Guide *guide);
const char *question_word(const Guide *guide, GuideWord which);

// The reference of the question, and what it says.
bool question_reference(const Guide *guide, ReferenceValue *answer, Error *err);

// The numbers in a text, whatever stands between them: "(1, 3, 3)", "1x3x3", "1 by 3 by 3". False,
// with what is wanted, where there is none.
bool question_numbers(const Session *session, const char *text, Typed *typed, Error *err);

// The same for a single index into what the answer's reference leaves over, or for several.
bool question_indices(const Session *session, const char *text, Typed *typed, Error *err);

// Whether the answer, without its first `skipped` numbers, is what was typed; each number may be
// `allowed` off.
bool question_matches(const Typed *typed, const ReferenceValue *answer, int skipped,
                      double allowed);

// What the person typed, by the rules of the page's question.
bool guide_read_typed(const Session *session, const char *text, Typed *typed, Error *err);

// Whether what was typed is this word, in any language.
bool question_is_word(const char *text, GuideWord word);

// Makes the answer a choice, counted from 0, told by its number from 1.
void question_choose(ReferenceValue *answer, int number);

#endif

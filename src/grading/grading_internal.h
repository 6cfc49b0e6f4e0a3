// Shared by the files of grading, and by nobody else.
#ifndef GRADING_INTERNAL_H
#define GRADING_INTERNAL_H

#include "grading.h"
#include "similar.h"
#include "submission.h"
#include "words.h"

// --- words

#include "grading_words.def"

// A row as a value, for tables of sentences.
#define ROW(NAME) \
    { \
        { \
            word_##NAME##_english, word_##NAME##_korean, word_##NAME##_marked \
        } \
    }

// --- grading_work.c
//
// Each submission is judged in a process of its own that adds lines to the journal. Whatever becomes of
// such a process, the others go on, and its results so far are kept.

// Fills in what the keys of all results have in common: the programs that judge, and the fence.
void grading_work_open(Grading *grading);

// Judges what the journal lacks, grading->jobs submissions at a time, and notes in a submission when
// its process has ended without a word. Where there is no journal, or no process, nothing is done.
void grading_work(Grading *grading, SubmissionList *list);

// Fills the asked exercises of the submission whose workspace is open: from the journal; judged here
// where that has none. By their numbers; they live until the next call.
Judging *grading_judge(Grading *grading, const Submission *submission);

// --- class_pairs.c

// What somebody wrote for an exercise.
typedef struct ClassText {
    const char *name, *source;
    const char *wrong; // the wrong numbers that it makes; NULL: none, or a mistake with a name
    int exercise;
    SimilarText prints;
    int people;             // who have this very text: it stands for them all
    struct ClassText *same; // the next of them; NULL: it is the last
    bool is_again;          // another one stands for it
} ClassText;

// Of texts that stand for several people each; both the same where it is about those.
typedef struct ClassPair {
    const ClassText *one, *other;
    double share;
    bool same_numbers;
} ClassPair;

enum { CLASS_PAIRS_MAX = 40 };

typedef struct ClassPairs {
    ClassText *texts;
    int count, room;
    ClassPair pairs[CLASS_PAIRS_MAX]; // the strongest first
    int pair_count;
    bool is_known[EXERCISES_MAX];
    SimilarText stub[EXERCISES_MAX], solution[EXERCISES_MAX];
    Arena arena;
} ClassPairs;

extern const GradingFormat class_pairs_format;

#endif

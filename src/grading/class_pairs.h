// Which submissions of a class are alike, as an HTML page with both texts side by side. It accuses nobody:
// it shows. Alike are texts that share runs of tokens which neither the stub nor the solution has; equal
// wrong numbers that hardly anybody else has are the stronger sign, and come first.
//
// Gathered as a form of results (grading.h): class_pairs_format, with a ClassPairs in grading->pairs.
#ifndef CLASS_PAIRS_H
#define CLASS_PAIRS_H

#include "grading.h"
#include "similar.h"

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

// Writes the page into grading->out (class_pairs_html.c).
void class_pairs_write(const Grading *grading);

#endif

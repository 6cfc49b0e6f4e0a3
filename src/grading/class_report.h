// What a class believes, as one HTML page that needs nothing else: for each exercise how many passed, which
// mistakes they made and how often, equal wrong numbers together, and what to say in the next lecture.
// Nobody's name stands on it unless it is asked for.
//
// Gathered as a form of results (grading.h): class_report_format, with a ClassReport in grading->report.
#ifndef CLASS_REPORT_H
#define CLASS_REPORT_H

#include "grading.h"

// People whose work failed in the same way.
typedef struct ClassGroup {
    const Mistake *mistake; // the bank's; NULL: it has none for it
    const char *what;       // is shown where the bank has no words
    const char *number;     // the first that is wrong, and what it should be; NULL: not told
    const char *property;   // what such numbers always have and these have not; NULL: not known
    const char *key;        // tells this group from others
    bool is_relation;       // what maps the right numbers to theirs
    bool is_numbers;        // wrong numbers, equal ones
    bool is_kind;           // wrong numbers of one kind, not equal ones
    bool is_unexplained;    // equal ones, and nothing is known of them
    bool compiles;
    int count;
    const char *names;   // of all of them, with commas between
    const char *example; // what one of them wrote, without comments
    struct ClassGroup *next;
} ClassGroup;

// Of an exercise: in the order of JudgingEnd, and of those that were judged, who passed.
typedef struct ClassExercise {
    int ended[4], passed;
    ClassGroup *groups;
} ClassExercise;

// How many submissions a kind of note was told of; `last` is the number of the one that it was told of last.
typedef struct ClassNote {
    int count, last;
} ClassNote;

typedef struct ClassReport {
    bool has_names;
    int submissions;
    ClassExercise exercises[EXERCISES_MAX];
    ClassNote notes[EXERCISE_SAYS_COUNT];
    Arena arena;
} ClassReport;

extern const GradingFormat class_report_format;

// Writes the page into grading->out (class_report_html.c).
void class_report_write(const Grading *grading);

#endif

// An exercise: a folder with a task, hints and a stub.
//
//   exercise.yaml  points: 10            of all its tests together
//                  stage: mask           that the learner's function can run as; left out: none
//                  when: causal          only where a scenario masks so (causal, padding)
//                  output: 1             it fills only this output of the stage
//   exercise.c     what a learner begins with
//   task.md        # Title, then the task
//   hints.md       ## 1, ## 2, ## 3: each says more; ## Lecture: LECTURE#PAGE, then a sentence
//   task.ko.md, hints.ko.md   the same in Korean
//
// Its name and place in the order come from the folder: "09-scale".
//
// Life cycle: exercise_open fills an Exercise, which then never changes; exercise_close.
#ifndef EXERCISE_H
#define EXERCISE_H

#include <stdio.h>
#include "arena.h"
#include "error.h"
#include "lecture.h"

// --- what the program says about exercises

typedef enum ExerciseWord {
#define EXERCISE_WORD(NAME, english, korean) SAY_##NAME,
#include "exercise_words.def"
    SAY_COUNT
} ExerciseWord;

// A printf format in the user's language, or in another; all take the same values in the same order.
const char *exercise_word(ExerciseWord word);
const char *exercise_word_in(Language language, ExerciseWord word);

// Prints it with its values.
void exercise_say(FILE *out, ExerciseWord word, ...);

enum { EXERCISE_HINTS = 3 };

typedef enum ExerciseWhen { EXERCISE_ALWAYS, EXERCISE_CAUSAL, EXERCISE_PADDING } ExerciseWhen;

typedef struct Exercise {
    const char *name;   // "scale"
    const char *folder; // its path
    int order;          // 9
    Language language;

    int points;
    const char *stage; // NULL: none
    ExerciseWhen when;
    int output; // -1: all outputs of the stage

    const char *title, *task;          // Markdown
    const char *hints[EXERCISE_HINTS]; // Markdown
    const char *lecture, *page;        // where it is explained; page "": the first
    const char *lecture_text;          // what to look for there, or ""

    const char *arguments; // the comments above the stub: the parameters
    const char *stub;      // exercise.c without them
    Arena arena;
} Exercise;

// Reads an exercise, in English if there is no translation. Returns false and sets err, with the file and line.
bool exercise_open(Exercise *exercise, const char *folder, Language language, Error *err);
void exercise_close(Exercise *exercise);

// --- the list: every folder NN-NAME of exercises/ in the lessons (place.h) with an exercise.yaml, in order

enum { EXERCISES_MAX = 64 };

typedef struct ExerciseList {
    Exercise exercises[EXERCISES_MAX];
    int count;
    const char *folder; // with all exercises
    const char *header; // the path of attnscope.h
    Language language;
    bool is_borrowed; // another list owns the exercises
    Arena arena;
} ExerciseList;

// Reads all exercises. Returns false and sets err on failure, or if there are none.
bool exercise_list_open(ExerciseList *list, Language language, Error *err);

// Shares the exercises of a list that outlives this one: reading them costs more than judging one.
ExerciseList exercise_list_borrow(const ExerciseList *list);
void exercise_list_close(ExerciseList *list);

// Finds an exercise by name, number, or both: "scale", "9", "09", "09-scale", "scale.c", "exercises/scale.c"; an
// underscore equals a hyphen. Returns -1 and sets err, with the nearest name.
int exercise_list_find(const ExerciseList *list, const char *name, Error *err);

// --- file names: which exercise a file is for, if it is not simply "causal-mask.c"

// True if a text begins with the exercise's name or its function's ("causal_mask"), ignoring case.
bool exercise_name_begins(const char *text, const char *name);

// The exercise that a file is clearly for, because its name contains that of one exercise as separate words:
// "Scale.c", "causal_mask.c", "scale (1).c", "scale - Copy.c", "scale_final.c", "kim_scale.c", "scale.c.txt".
// Not "scale_test.c", nor a name with two exercises. -1: none. The second returns where that begins.
int exercise_name_find(const ExerciseList *list, const char *file);
int exercise_name_within(const ExerciseList *list, const char *file, size_t *before);

// True if a C source defines the exercise's function; one file may define several.
bool exercise_name_defines(const char *text, const char *name);

// A number for comparing two files of one exercise: the later version, by name, is larger.
long exercise_name_version(const char *file);

// The exercise that a misspelled name may mean: "scal.c", "scale.c.txt". -1: none.
int exercise_name_near(const ExerciseList *list, const char *file);

#endif

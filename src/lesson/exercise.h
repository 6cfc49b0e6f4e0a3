// An exercise as it is written: a folder with a task, hints, a stub and what it stands for.
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
#define EXERCISE_WORD(NAME, english, korean) EXERCISE_SAYS_##NAME,
#include "exercise_words.def"
    EXERCISE_SAYS_COUNT
} ExerciseWord;

// A printf format; both languages have the same conversions in the same order.
const char *exercise_word(Language language, ExerciseWord word);

// Prints it.
void exercise_say(FILE *out, Language language, ExerciseWord word, ...);

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
    const char *lecture, *page;        // where it is explained; the page's name, "" for the first
    const char *lecture_text;          // what to look at there; may be ""

    const char *arguments; // the comments above the stub: what the function takes
    const char *stub;      // the text of exercise.c below them
    Arena arena;
} Exercise;

// False with file:line (or the file) and what is wrong. Where it is not written in the language, in
// English.
bool exercise_open(Exercise *exercise, const char *folder, Language language, Error *err);
void exercise_close(Exercise *exercise);

// --- the list
//
// Which exercises there are, in order: every folder NN-NAME of exercises/ in the lessons (place.h)
// that holds an exercise.yaml.

enum { EXERCISES_MAX = 64 };

typedef struct ExerciseList {
    Exercise exercises[EXERCISES_MAX];
    int count;
    const char *folder; // of all of them
    const char *header; // attnscope.h: the file that their sources include
    Language language;
    bool is_borrowed; // another list owns the exercises
    Arena arena;
} ExerciseList;

// Reads all of them. False with a sentence, also when there is none.
bool exercise_list_open(ExerciseList *list, Language language, Error *err);

// The exercises of a list that stays open as long: reading them costs more than judging one.
ExerciseList exercise_list_borrow(const ExerciseList *list);
void exercise_list_close(ExerciseList *list);

// Finds by name, number, or both: "scale", "9", "09", "09-scale", "scale.c", "exercises/scale.c";
// an underscore counts as a hyphen. -1 with the nearest name.
int exercise_list_find(const ExerciseList *list, const char *name, Error *err);

// --- what a file's name tells
//
// What a file's name tells of the exercise that is in it, where it is not "causal-mask.c" itself.

// Whether a text begins with this name, or with that of its function ("causal_mask"), in any letters.
bool exercise_name_begins(const char *text, const char *name);

// The exercise that a file is clearly for: its name has that of one exercise in it, as words of their own:
// "Scale.c", "causal_mask.c", "scale (1).c", "scale - Copy.c", "scale_final.c", "kim_scale.c", "scale.c.txt".
// Not "scale_test.c", nor what names two exercises. -1: none. The second says where in the name it begins.
int exercise_name_find(const ExerciseList *list, const char *file);
int exercise_name_within(const ExerciseList *list, const char *file, size_t *before);

// Whether a text in C defines the function of an exercise: what names no exercise may hold several.
bool exercise_name_defines(const char *text, const char *name);

// Of two files for one exercise the later version, as their names say it, has the larger number.
long exercise_name_version(const char *file);

// The exercise that a file may be meant for: "scal.c", "scale.c.txt". -1: none.
int exercise_name_near(const ExerciseList *list, const char *file);

#endif

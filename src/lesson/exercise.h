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

#include "arena.h"
#include "error.h"
#include "lecture.h"

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

#endif

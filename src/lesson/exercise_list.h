// Which exercises there are, in order: every folder NN-NAME of exercises/ in the lessons (place.h)
// that holds an exercise.yaml.
#ifndef EXERCISE_LIST_H
#define EXERCISE_LIST_H

#include "exercise.h"

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

#endif

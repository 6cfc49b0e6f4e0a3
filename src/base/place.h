// Where the things lie that belong to the program: lessons, libraries for learners' functions, the
// programs that nobody starts by hand. They are found from where the running program lies, so that a
// tree may be moved as a whole; no folder of the machine that built it is compiled in, where somebody
// else might make it anew.
//
//             a build folder                        what `meson install` makes, for example
//   programs  attnscope-judge                       libexec/attnscope/attnscope-judge
//   libraries lessons/exercises/libworker-score.a   lib/attnscope/libworker-score.a
//   lessons   source/lessons                        share/attnscope/lessons
//
// `source` is a link to the folder that holds the source. In a build folder attnscope lies beside
// attnscope-judge; installed, in `bin`.
#ifndef PLACE_H
#define PLACE_H

#include "error.h"

enum { PLACE_PATH_MAX = 4096 };

typedef enum Place {
    PLACE_PROGRAMS,
    PLACE_LIBRARIES, // ATTNSCOPE_WORKERS in the environment names another folder
    PLACE_LESSONS,   // ATTNSCOPE_LESSONS likewise
} Place;

// What main calls first, with argv[0]: for systems that do not tell a program where it lies. Such a
// path may begin in the current folder, which is another one later.
void place_begin(const char *argument);

// The path of the running program, links followed; "" where nobody knows. Returns `path`.
const char *place_self(char path[PLACE_PATH_MAX]);

// The folders of a place, in the order in which they are looked into: the environment's, the tree's.
// False beyond the last.
bool place_folder(Place place, int number, char path[PLACE_PATH_MAX]);

// The path of what is called `name` in a place: "scenarios", "attnscope-judge". False with a sentence
// when it is in none of the folders.
bool place_find(Place place, const char *name, char path[PLACE_PATH_MAX], Error *err);

// The path of one of the programs that nobody starts by hand (place_programs.def): the one that the
// environment names in its place, or the tree's. False with a sentence when it cannot be run.
bool place_program(const char *name, char path[PLACE_PATH_MAX], Error *err);

// Says that there is no `what` in the folders of a place, and what to do; returns false.
bool place_missing(Place place, const char *what, Error *err);

#endif

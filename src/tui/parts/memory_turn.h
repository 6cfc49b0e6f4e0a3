// The right way to cut or join heads beside the wrong one, each as a table of the slices that it
// really reads, and in words where they first differ.
#ifndef MEMORY_TURN_H
#define MEMORY_TURN_H

#include "cells.h"
#include "memory_marks.h"
#include "wrong_turn.h"

// The tables around the chosen place, in at most `rows` rows; returns the rows used.
int memory_turn_tables(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen,
                       Area area);

// Where, in the sequence of the chosen place, the wrong way first differs: both places, tokens and
// heads; and how many slices are wrong.
enum { MEMORY_SENTENCE_MAX = 640 };
const char *memory_turn_sentence(const WrongTurn *turn, const MemoryMarks *marks, ptrdiff_t chosen,
                                 char text[MEMORY_SENTENCE_MAX]);

#endif

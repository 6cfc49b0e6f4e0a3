// What a person is told of a training that they watch: the same words in a terminal and in a window.
#ifndef TRAINING_TOLD_H
#define TRAINING_TOLD_H

#include "training_watch.h"

enum { TOLD_BYTES = 256, PARAMETER_LINES_MAX = 8 };

// Which step it is at, the loss, the learning rate, whether it runs.
void training_told_title(const TrainingWatch *watch, char text[TOLD_BYTES]);

// What needs to be known now, the most important of it, in one sentence or two.
void training_told_message(const TrainingWatch *watch, char *text, size_t room);

// What the keys do and what the table means, line by line; "" is an empty one. NULL: no more.
const char *training_told_help(int line);

// The parameter that is looked at: its name, then its last update, number by number.
typedef struct ParameterLine {
    bool is_name, is_result;
    char text[TOLD_BYTES];
} ParameterLine;

// How many lines there are.
int training_told_parameter(const TrainingWatch *watch, ParameterLine lines[PARAMETER_LINES_MAX]);

#endif

// What a person is told of a training that they watch: the same words in a terminal and in a window.
#ifndef TRAINING_TOLD_H
#define TRAINING_TOLD_H

#include "training_pair.h"

enum { TOLD_BYTES = 256, PARAMETER_LINES_MAX = 11 };

// Which step it is at, the loss, the learning rate, whether it runs.
void training_told_title(const TrainingWatch *watch, char text[TOLD_BYTES]);

// What needs to be known now, the most important of it, in one sentence or two. What pale rows are is for
// whoever does not say so beside the maps.
void training_told_message(const TrainingWatch *watch, bool tells_pale, char *text, size_t room);

// A question's name in the person's language.
const char *training_told_question(const Training *training, Question question);

// Whether heads have parted, or which questions are not learned; with it, where a weight was changed by hand.
void training_told_verdict(const Training *training, const Measure *measure, char *text,
                           size_t room);

// What the keys do and what the table means, line by line; "" is an empty one. NULL: no more. Of one of a pair
// without what its keys do not do. What is told may lie in `text`.
const char *training_told_help(const TrainingWatch *watch, int line, char text[TOLD_BYTES]);

// Of two trainings: which step they are at, the learning rate, whether they run.
void training_told_pair_title(const TrainingPair *pair, char text[TOLD_BYTES]);

// What needs to be known of both now.
void training_told_pair_message(const TrainingPair *pair, char *text, size_t room);

// Of one of them: its name and loss; how large its weights are.
void training_told_side(const TrainingPair *pair, int side, char text[TOLD_BYTES]);
void training_told_sharpness(const TrainingWatch *side, char text[TOLD_BYTES]);

// The parameter that is looked at: its name, then its last update, number by number.
typedef struct ParameterLine {
    bool is_name, is_result;
    char text[TOLD_BYTES];
} ParameterLine;

// How many lines there are.
int training_told_parameter(const TrainingWatch *watch, ParameterLine lines[PARAMETER_LINES_MAX]);

#endif

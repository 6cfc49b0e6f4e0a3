// Texts about a watched training, the same in a terminal and in a window.
#ifndef TRAINING_TOLD_H
#define TRAINING_TOLD_H

#include "training_watch.h"

enum { TOLD_BYTES = 256, PARAMETER_LINES_MAX = 11 };

// The step, the loss of one alone, the learning rate, and whether it runs.
void training_told_title(const TrainingWatch *watch, char text[TOLD_BYTES]);

// The most important news about one or both, in one or two sentences. With `tells_pale` it also explains pale rows, for
// views that show no legend beside the maps.
void training_told_message(const TrainingWatch *watch, bool tells_pale, char *text, size_t room);

// A question's name in the person's language.
const char *training_told_question(const Training *training, Question question);

// Whether heads have specialised, or which questions are not learned; also whether a weight was changed by
// hand.
void training_told_verdict(const Training *training, const Measure *measure, char *text,
                           size_t room);

// Help for the keys and the table, line by line; "" is an empty line, NULL the end. The result may point into
// `text`.
const char *training_told_help(const TrainingWatch *watch, int line, char text[TOLD_BYTES]);

// For one of two: its name and loss; the size of its weights.
void training_told_side(const TrainingWatch *side, char text[TOLD_BYTES]);
void training_told_sharpness(const TrainingWatch *side, char text[TOLD_BYTES]);

// The selected parameter: its name, then its last update, number by number.
typedef struct ParameterLine {
    bool is_name, is_result;
    char text[TOLD_BYTES];
} ParameterLine;

// The number of lines.
int training_told_parameter(const TrainingWatch *watch, ParameterLine lines[PARAMETER_LINES_MAX]);

#endif

// Texts about a watched training, the same in a terminal and in a window.
#ifndef TRAINING_TEXT_H
#define TRAINING_TEXT_H

#include "training_watch.h"

enum { TRAINING_TEXT_MAX = 256, PARAMETER_LINES_MAX = 11 };

// The step, the loss of one alone, the learning rate, and whether it runs.
void training_text_title(const TrainingWatch *watch, char text[TRAINING_TEXT_MAX]);

// The most important news about one or both, in one or two sentences. With `tells_pale` it also explains pale rows, for
// views that show no legend beside the maps.
void training_text_message(const TrainingWatch *watch, bool tells_pale, char *text, size_t room);

// A question's name in the person's language.
const char *training_text_question(const Training *training, Question question);

// Whether heads have specialised, or which questions are not learned; also whether a weight was changed by
// hand.
void training_text_verdict(const Training *training, const Measure *measure, char *text,
                           size_t room);

// Help for the keys and the table, line by line; "" is an empty line, NULL the end. The result may point into
// `text`.
const char *training_text_help(const TrainingWatch *watch, int line, char text[TRAINING_TEXT_MAX]);

// For one of two: its name and loss; the size of its weights.
void training_text_side(const TrainingWatch *side, char text[TRAINING_TEXT_MAX]);
void training_text_sharpness(const TrainingWatch *side, char text[TRAINING_TEXT_MAX]);

// The selected parameter: its name, then its last update, number by number.
typedef struct ParameterLine {
    bool is_name, is_result;
    char text[TRAINING_TEXT_MAX];
} ParameterLine;

// The number of lines.
int training_text_parameter(const TrainingWatch *watch, ParameterLine lines[PARAMETER_LINES_MAX]);

#endif

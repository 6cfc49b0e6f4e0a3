// The bank of mistakes: what people get wrong about attention, as stages that really run.
//
// A mistake takes the place of stages of the pipeline (trace.h, TraceVariant). Its numbers are then
// computed, shown and explained like the right ones. Where the shapes of a scenario make a mistake
// impossible, its stages do the right thing.
//
// From somebody's wrong numbers one can ask which mistake makes them: mistake_recognise_step and
// mistake_recognise_tensor.
#ifndef MISTAKE_H
#define MISTAKE_H

#include "stage_code.h"
#include "trace.h"
#include "words.h"

typedef struct MistakeWords {
    const char *title; // what it is, one sentence
    const char *shows; // how it shows in the numbers
    const char *mend;  // how to mend it
} MistakeWords;

// What is said of a mistake, each text in English and Korean: the columns of Mistake.words.
#define MISTAKE_WORDS(title, title_ko, shows, shows_ko, mend, mend_ko) \
    { \
        {title, shows, mend}, {title_ko, shows_ko, mend_ko}, \
        { \
            "\u27e6" title "\u27e7", "\u27e6" shows "\u27e7", "\u27e6" mend "\u27e7" \
        } \
    }

typedef struct Mistake {
    const char *name; // "scale-missing"

    // Each takes the place of the stage with its name; NULL ends the list. They are TraceVariant.stages, and run
    // with themselves as args.stage.
    const Stage *const *stages;

    // The stages are one mistake only together: a single step does not tell it from others.
    bool together;

    // People write it with an index that leaves its row: where the shapes differ it reads other numbers than here.
    bool reads_beyond;

    const char *same_as; // the name of a mistake with the same numbers in every scenario; NULL
    MistakeWords words[LANGUAGE_COLUMNS];
} Mistake;

// The mistakes in the order of the pipeline; NULL beyond the last one.
const Mistake *mistake_get(int number);
const Mistake *mistake_find(const char *name);

// Whether its stages belong to the backward pass: without gradients it cannot show, and with them
// only such mistakes run.
bool mistake_is_backward(const Mistake *mistake);

// Opens its run beside a right one, which has made what comes before. The result is the first step that differs; -1
// where there is none, or (err) it cannot be opened: then nothing is left to close.
int mistake_open_beside(const Mistake *mistake, const Trace *right, Trace *wrong, Error *err);

// Runs the scenario with it and without: why no number differs; NULL: some do, or so large a scenario is
// not tried.
const Words *mistake_cannot_show(const Mistake *mistake, const Scenario *scenario);

// The same beside a right run; of one that has not ended only its steps tell.
const Words *mistake_cannot_show_beside(const Mistake *mistake, const Trace *right);

// Whether a few numbers that the stage of a mistake makes are those of `given`, its main output: what fails there need
// not be run. True where that is not known, unless the machine fails (err).
bool mistake_begins(const Stage *stage, const StageArgs *args, const Tensor *given, Error *err);

// What computes this stage, for people to read: the formulas of a mistake. NULL for a right stage.
const StageCode *mistake_code(const Stage *stage);

enum { MISTAKE_FOUND_MAX = 8 };

// Which mistakes make, of the inputs of a step, the numbers that somebody's function made of them:
// `given` has the inputs and outputs of that step, H axis included. The result is how many; 0 where
// the numbers are right, or wrong in a way that is not in the bank; -1, with a sentence, where the
// right stage refuses the inputs, or where this machine could not compute one of the mistakes
// (err->of_machine): then it is not known which made them. Several are found where nothing tells them
// apart. Numbers agree as in tensor.h.
//
// The main output decides; where it is right, the step's other outputs do. What a mistake reads
// besides the step's own inputs comes from `right`, whose steps before this one must have run.
int mistake_recognise_step(const Trace *right, int step, const StageArgs *given,
                           const Mistake *found[MISTAKE_FOUND_MAX], Error *err);

// The same for a tensor at the end of a chain ("output"), as the person sees it (no hidden H axis).
// Runs the scenario once for each mistake, up to that tensor, which `right` must have computed.
int mistake_recognise_tensor(const Trace *right, int tensor, const Tensor *given,
                             const Mistake *found[MISTAKE_FOUND_MAX], Error *err);

#endif

// The bank of mistakes: what people get wrong about attention, as stages that run.
//
// A mistake replaces stages of the pipeline (trace.h, TraceVariant), so its numbers are computed, shown and explained
// like the right ones. If the shapes of a scenario make it impossible, its stages do the right thing.
#ifndef MISTAKE_H
#define MISTAKE_H

#include "stage_code.h"
#include "trace.h"
#include "words.h"

typedef struct MistakeWords {
    const char *title; // what it is, in one sentence
    const char *shows; // how it shows in the numbers
    const char *mend;  // how to mend it
} MistakeWords;

// Mistake.words from the texts in English and Korean.
#define MISTAKE_WORDS(title, title_ko, shows, shows_ko, mend, mend_ko) \
    { \
        {title, shows, mend}, {title_ko, shows_ko, mend_ko}, \
        { \
            "\u27e6" title "\u27e7", "\u27e6" shows "\u27e7", "\u27e6" mend "\u27e7" \
        } \
    }

typedef struct Mistake {
    const char *name; // "scale-missing"

    // TraceVariant.stages; NULL ends the list. They run with themselves as args.stage.
    const Stage *const *stages;

    bool together;     // the stages are this mistake only together: a single step does not tell it
    bool reads_beyond; // with other shapes people's own version reads foreign numbers
    const char *same_as; // the name of a mistake with the same numbers in every scenario; NULL
    MistakeWords words[LANGUAGE_COLUMNS];
} Mistake;

// The mistakes in the order of the pipeline; NULL after the last.
const Mistake *mistake_get(int number);
const Mistake *mistake_find(const char *name);

// True if its stages belong to the backward pass. It shows only with gradients, and only such mistakes run with them.
bool mistake_is_backward(const Mistake *mistake);

// Opens its run beside a right one, with what that has made before. Returns the first step that differs; -1 if there is
// none, or (err) the run cannot be opened. Then nothing is left to close.
int mistake_open_beside(const Mistake *mistake, const Trace *right, Trace *wrong, Error *err);

// Runs the scenario with and without it. Returns why no number differs; NULL if some do, or if the scenario is too
// large to try.
const Words *mistake_cannot_show(const Mistake *mistake, const Scenario *scenario);

// The same beside a right run. Before that has ended, only its steps tell.
const Words *mistake_cannot_show_beside(const Mistake *mistake, const Trace *right);

// Returns false if a few numbers of the stage of a mistake already differ from `given`, its main output, so that it
// need not run, or if the machine fails (err).
bool mistake_begins(const Stage *stage, const StageArgs *args, const Tensor *given, Error *err);

// Gives each output that is not a view new memory of the arena.
bool mistake_take_outputs(const Stage *stage, const StageCall *call, StageArgs *args, Arena *arena,
                          Error *err);

// The formulas of a mistake's stage for people to read; NULL for a right stage.
const StageCode *mistake_code(const Stage *stage);

enum { MISTAKE_FOUND_MAX = 8 };

// Finds the mistakes that make somebody's numbers of a step's inputs; several if nothing tells them apart. `given` has
// the inputs and outputs, H axis included. The main output decides; if it is right, the other outputs do. What a
// mistake reads besides comes from `right`, whose earlier steps must have run. Numbers agree as in tensor.h. Returns the
// count; 0 if the numbers are right or not in the bank; -1 and err if the right stage refuses the inputs, or the machine
// fails (err->of_machine).
int mistake_recognise_step(const Trace *right, int step, const StageArgs *given,
                           const Mistake *found[MISTAKE_FOUND_MAX], Error *err);

// The same for a tensor at the end of a chain ("output") as shown, without a hidden H axis. Runs the scenario up to
// that tensor for each mistake; `right` must have computed it.
int mistake_recognise_tensor(const Trace *right, int tensor, const Tensor *given,
                             const Mistake *found[MISTAKE_FOUND_MAX], Error *err);

#endif

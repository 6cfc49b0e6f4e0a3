// What heads do in a trace of several layers: the answer they lead to, what they put into it, how much one
// reads from another, and the path from the answer down to a token.
#ifndef TRACE_HEADS_H
#define TRACE_HEADS_H

#include "trace.h"

// A head of a layer, both from 0: written "1.0".
typedef struct Head {
    int layer;
    ptrdiff_t head;
} Head;

// --- the answer

// The last place that is asked, and its right answer; where nothing is, the last token and the most probable
// word.
typedef struct TraceAnswer {
    ptrdiff_t at[4]; // sequence, question, token, word: into the logits
    float logit, probability;
    ptrdiff_t rank; // among the words, from 1
} TraceAnswer;

// False where the trace has no logits and probabilities, or none yet.
bool trace_answer(const Trace *trace, TraceAnswer *answer);

// What another run says at the same place to the same word. False as above.
bool trace_answer_here(const Trace *trace, TraceAnswer *answer);

// --- what a head looks at

// Means over the rows of all sequences that hold a token.
typedef struct HeadScores {
    double before; // the weight on the token before, of rows that have one
    double
        after; // the weight on what came after earlier occurrences of the row's token, of rows that have
               // one (prefix matching); NaN: no token comes again
} HeadScores;

// False where the head has no attention weights, or none yet.
bool trace_head_scores(const Trace *trace, Head head, HeadScores *scores);

// --- composition
//
// How much the later head reads from what the earlier one writes (Elhage et al. 2021): the Frobenius norm of
// the product of the two heads' matrices, divided by the product of their norms. W_QK = W_Q^T W_K is what
// scores are made with, W_OV = W_O W_V what a head writes; norms, biases and positions stay out.
//   Q: |W_OV(earlier)^T W_QK|   K: |W_QK W_OV(earlier)|   V: |W_OV W_OV(earlier)|

typedef enum Composition { COMPOSE_Q, COMPOSE_K, COMPOSE_V, COMPOSE_KINDS } Composition;

// False where the trace lacks one of the weights, or when memory is short.
bool trace_composition(const Trace *trace, Head earlier, Head later, double ratio[COMPOSE_KINDS],
                       Error *err);

// The mean over pairs of heads of the same shapes whose weights torch.randn draws after
// torch.manual_seed(0): what no composition at all looks like.
bool trace_composition_random(const Trace *trace, double ratio[COMPOSE_KINDS], Error *err);

// --- the path

// From the answer to the head with the largest share of its logit, to the key it looks at most, through the
// head of an earlier layer from which that key reads most, to the token that this one looks at most. Cells of
// logits, weights, key, weights and ids: `count` of them.
enum { TRACE_PATH_MAX = 5 };
typedef struct TracePath {
    Head later, earlier;
    TraceCell cells[TRACE_PATH_MAX];
    int count;
} TracePath;

// False with a sentence: there is no answer yet, a single layer, or a stage is missing.
bool trace_path(const Trace *trace, TracePath *path, Error *err);

#endif

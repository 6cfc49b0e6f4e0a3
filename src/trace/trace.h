// A run of a scenario: one stage at a time, every tensor kept, and for every element an answer to
// "where did this come from".
//
// Life cycle: trace_open (plans the steps and allocates nothing but bookkeeping); trace_step until
// it says there is nothing left, or trace_run; trace_close. The scenario must outlive the trace.
#ifndef TRACE_H
#define TRACE_H

#include "exact.h"
#include "kernel.h"
#include "scenario.h"

enum {
    TRACE_LAYER_STEPS_MAX = 144, // of a layer with its way back; around all layers:
    TRACE_AROUND_STEPS_MAX = 48,
    TRACE_LAYER_TENSORS_MAX = 192,
    TRACE_AROUND_TENSORS_MAX = 80,
    TRACE_STEPS_MAX = TRACE_AROUND_STEPS_MAX + SCENARIO_LAYERS_MAX * TRACE_LAYER_STEPS_MAX,
    TRACE_TENSORS_MAX = TRACE_AROUND_TENSORS_MAX + SCENARIO_LAYERS_MAX * TRACE_LAYER_TENSORS_MAX,
    TRACE_AXES_TEXT_MAX = 96,
    TRACE_CUT_AXES_MAX = 3,
    TRACE_STEP_TENSORS =
        2 * STAGE_READS_MAX + STAGE_WRITES_MAX + 1, // inputs, panels, outputs, table
};

// A tensor as the person sees it (no H axis when the scenario has no heads).
typedef struct TraceTensor {
    const char *name;            // "attn_weights"
    const char *axes;            // symbols, "B H Lq Lk"; as many words as the tensor has axes
    Tensor tensor;               // storage is NULL until the step that makes it has run
    int step;                    // the step that writes it; -1: an input or weight
    int slot;                    // which of that step's outputs
    int layer;                   // of several: from 0; the names of later ones begin with theirs
    const char *from;            // inputs: where the numbers come from
    const char *remark;          // see trace_remark
    bool is_difference;          // of two runs: scores and weights are then none
    Tensor panels[FACTOR_KINDS]; // of a factor of matrix products, packed for the kernel
    unsigned packed;             // bits: the panels of an input that hold its numbers
    Tensor apart;                // the memory of a view that a formula has computed
} TraceTensor;

// Which axis of a tensor is the first, second, third one along which threads share a step (-1: it does
// not have it, or has a single element that stands for all); see trace_run.c.
typedef struct TraceCuts {
    signed char axis[TRACE_CUT_AXES_MAX];
} TraceCuts;

// What becomes of a step where threads share a batch by its sequences; see trace_run.c.
typedef enum StretchPart {
    STRETCH_NOT, // it cannot
    STRETCH_VIEW,
    STRETCH_EARLY,  // whole, before the others: it reads nothing that they make
    STRETCH_SLICED, // its sequences are computed by whichever thread has them
    STRETCH_LATE,   // after the others: it sums over sequences
} StretchPart;

// One call of a stage, wired to tensors of the trace (numbers into `tensors`; -1: absent).
typedef struct TraceStep {
    const Stage *stage;
    const StageCall *call;
    int reads[STAGE_READS_MAX];
    int writes[STAGE_WRITES_MAX];
    int layer;                      // of several: from 0
    bool in_layer;                  // every layer has such a step; in the way back too
    const ScenarioFormula *formula; // the scenario's, which computes the step; NULL: its stage does
    int group;                      // how many steps from this one on are run together
    int stretch;                    // how many from this one on are shared out by sequence; 0: none
    ptrdiff_t stretch_bytes;        // that those write of one sequence
    StretchPart part;               // of a stretch that it is in
    unsigned packs; // bits: the reads that are packed there, each time for its sequences
    bool is_bound;  // `args` are complete, and hold for the next run on the same inputs too
    StageArgs args;
    struct KeptFormula *kept; // its stage's formula, for origins; NULL: nobody has asked for one
    Tensor table;             // of `args`, kept where these are made anew
    bool knows_cuts;          // `cuts` hold for these `args`
    TraceCuts cuts[TRACE_STEP_TENSORS];
} TraceStep;

// Runs a stage in place of its own `run`: for people's own functions, in a process of their own.
// `done` is false where it does not know the stage; its own `run` does it then.
typedef bool TraceRun(void *context, const TraceStep *step, StageArgs *args, bool *done,
                      Error *err);

// Whether a TraceRun knows a stage, so that the stage's formula cannot be edited.
typedef bool TraceTakes(void *context, const Stage *stage);

// How a run differs from the right one. All zero: in nothing.
typedef struct TraceVariant {
    // Each takes the place of the stage of the pipeline with the same name; NULL ends the list. A
    // stage that is put in so keeps the name, and may read and write otherwise.
    const Stage *const *stages;
    TraceRun *run;     // NULL: every stage runs itself
    TraceTakes *takes; // NULL: every stage
    void *context;     // for both; must outlive the trace
} TraceVariant;

// For whoever measures: called by the thread that has just done a piece of a step, one of `threads` that
// work side by side; with step -1 when a thread begins.
typedef void TracePassed(void *context, int step, int threads);

typedef struct Trace {
    const Scenario *scenario;
    TraceVariant variant;
    TraceStep *steps; // step_count of them; like `tensors`, in `arena`
    int step_count;
    int steps_done;
    TraceTensor *tensors; // tensor_count of them
    int tensor_count;
    Arena arena;          // what is kept
    Arena scratch;        // panels
    Tensor slice_rooms;   // for those that slices pack for themselves
    bool inputs_stay;     // since steps were bound
    bool is_recomputed;   // after an edit, which has touched every input that changed
    bool numbers_change;  // of those inputs, so that panels are made anew
    const Kernel *kernel; // that `fast` uses; NULL: every stage runs its definition
    Team team;
    TracePassed *passed; // NULL: nobody measures
    void *passed_context;
} Trace;

// Plans which stages run, in which order, on which tensors. Nothing is left to close when it is false.
bool trace_open(Trace *trace, const Scenario *scenario, Error *err);

// The same for a run that differs; NULL: it does not. No kernel runs where `variant->run` is given. A scenario
// with formulas of its own goes without `variant->run`; one that edits a step
// of the forward pass runs only if its gradients are edited as well.
bool trace_open_variant(Trace *trace, const Scenario *scenario, const TraceVariant *variant,
                        Error *err);

// Runs the next step. False with a sentence (stage, both shapes, what to do) when it cannot; the
// steps before it stay. Asserts that a step is left.
bool trace_step(Trace *trace, Error *err);

// Runs all steps that are left; faster than one by one, for the same bits.
bool trace_run(Trace *trace, Error *err);

// Lets all steps run again on the same inputs, into the memory they have: as if none had run, except
// that a tensor still has its old numbers until its step has written it. From now on weights are not
// packed again, so whoever changes one opens another trace.
void trace_rewind(Trace *trace);

// The same for inputs and weights whose numbers somebody has changed in place: training does so.
void trace_renew(Trace *trace);

// A closed trace has no steps and no tensors, and may be looked at.
void trace_close(Trace *trace);

// Bytes that all outputs of all planned steps will take (views take none); the largest value of
// size_t when that does not fit.
size_t trace_bytes(const Trace *trace);

// The number of the tensor with this name, -1 when there is none.
int trace_find(const Trace *trace, const char *name);

// Whether a planned step reads this tensor.
bool trace_is_read(const Trace *trace, int tensor);

// What the forward pass of a scenario reads.
typedef struct TraceUses {
    const char *unread; // a tensor that is given for nothing; NULL: there is none
    OptionSet options;  // OPTION(...) that some step reads
} TraceUses;

// False with a sentence where the scenario has no plan.
bool trace_uses(const Scenario *scenario, TraceUses *uses, Error *err);

// The shape of a tensor, and its rank as the result; where it has not been computed yet, the planned
// one (a mask may turn out smaller).
int trace_shape(const Trace *trace, int tensor, ptrdiff_t shape[TENSOR_RANK_MAX]);

// The arguments of a step from the tensors of the trace. Outputs that do not exist yet get their
// planned shape and no storage. False, with both shapes, when an input does not have its axes.
bool trace_arguments(const Trace *trace, int step, StageArgs *args, Error *err);

// Which of several layers a step belongs to, from 0, and how many there are; -1: there is one, or the
// step comes before or behind them.
int trace_step_layer(const Trace *trace, int step, int *layers);

// A name as the trace has it: things of the first of several layers may be asked for as "layer0 softmax",
// "layer0.scores".
const char *trace_own_name(const Trace *trace, const char *name);

// What a head of a tensor is called: "0", or "1.0" in the second of several layers.
const char *trace_head_name(const Trace *trace, int tensor, ptrdiff_t head, char text[32]);

// "score", or "project q" where a stage has several calls; "layer1 score" in the second of several
// layers.
const char *trace_step_name(const Trace *trace, int step, char text[64]);

// The step of exactly this name; -1 if there is none.
int trace_find_step(const Trace *trace, const char *name);

// What a step computes and the PyTorch line that does the same, as this scenario has it: without the
// h of heads where there are none.
enum { TRACE_FORMULA_MAX = 1280 }; // room for one that a person wrote
const char *trace_formula(const Trace *trace, int step, char text[TRACE_FORMULA_MAX]);

// The letter that the formula sums over: 'd'; 0 where it is not a sum.
char trace_sum_letter(const Trace *trace, int step);
const char *trace_torch(const Trace *trace, int step, char text[TRACE_FORMULA_MAX]);

// The options the step uses, in words; NULL when it uses none.
const char *trace_settings(const Trace *trace, int step, char text[STAGE_SETTINGS_MAX]);

// Axis names for the screen, "(B, H, Lq, Lk)".
const char *trace_axes_text(const Trace *trace, int tensor, char text[TRACE_AXES_TEXT_MAX]);

// Splits axes ("B H Lq Lk") into the word for one axis, for labels; NULL beyond the last.
const char *trace_axis(const Trace *trace, int tensor, int axis, char text[16]);

// Splits the axes of a slot, "B H Lq Lk", into symbols; SYMBOL_COUNT stands for "1". Returns the count.
enum { TRACE_WORDS_MAX = 8 };
int trace_symbols(const char *axes, Symbol symbols[TRACE_WORDS_MAX]);

// Which of these symbols is the wanted one; -1: none.
int trace_find_symbol(const Symbol symbols[], int count, Symbol wanted);

// The symbol of one axis of a tensor; SYMBOL_COUNT for an axis of length 1 that stands for all, and
// for axes that nobody named.
Symbol trace_axis_symbol(const Trace *trace, int tensor, int axis);

// What an axis counts, in the person's language: "queries"; "" where nothing is known of it.
const char *trace_axis_words(const Trace *trace, int tensor, int axis);

// --- going on
//
// A text that goes on. A causal mask hides later tokens, so the keys and values of earlier ones stay as they
// are: they are kept (a cache), and only new tokens are computed. Their logits have the bits that a run over
// the whole text gives.

// The scenario of `count` more tokens behind those of a finished run. Its texts and weights are those of the
// trace's scenario, which must outlive it; ends with scenario_finish.
bool trace_go_on(const Trace *trace, const int64_t ids[], ptrdiff_t count, Scenario *next,
                 Error *err);

// That of a whole text, with nothing kept.
bool trace_start_over(const Trace *trace, const int64_t ids[], ptrdiff_t count, Scenario *next,
                      Error *err);

// Runs the first `attention.cached` tokens of a scenario, and lets it go on from there.
bool scenario_cache(Scenario *scenario, Error *err);

// Lets a trace that has not begun use the packed weights of another one, which must stay open until it is
// closed: both have the same weights.
void trace_borrow_panels(Trace *trace, const Trace *from);

// Calls `visit` for each packed input, the numbers as products read them, all of them in every run: the
// weights, but for those that are looked up.
typedef void TracePanelVisit(void *context, const Tensor *panels);
void trace_visit_panels(const Trace *trace, TracePanelVisit *visit, void *context);

// --- origin

// An element of the trace: a tensor and an index into it (as the person sees it, no hidden H axis).
typedef struct TraceCell {
    int tensor;
    ptrdiff_t at[TENSOR_RANK_MAX];
} TraceCell;

// A term of an element's computation, its sources named as elements of the trace.
typedef struct TraceTerm {
    TermKind kind;
    const char *what;
    int source_count;
    TraceCell sources[STAGE_SOURCES_MAX];
    float value, running;
} TraceTerm;

typedef void TraceTermVisit(void *context, const TraceTerm *term);

// Tells the terms of one element, first to last; nothing for inputs and weights. The step that
// makes the tensor must have run.
void trace_origin(const Trace *trace, TraceCell cell, TraceTermVisit *visit, void *context);

// The label of position `at` on `axis` of a tensor: a word ("perfect"), an id, a head ("head 2"),
// or the bare index. For axes that count tokens, `at_all` gives the batch index.
const char *trace_label(const Trace *trace, int tensor, int axis, const ptrdiff_t at_all[],
                        char text[64]);

// A part of the residual stream: "embedding", "head 1.0" (the first head of the second layer).
const char *trace_part_name(const Scenario *scenario, ptrdiff_t number, char text[64]);

// "q_heads[0,3,16,5]"
enum { TRACE_CELL_MAX = 128 };
const char *trace_cell_name(const Trace *trace, TraceCell cell, char text[TRACE_CELL_MAX]);

// What the indices of an element stand for: "sequence 1, head 3, query \"very\", key pad"; "" where
// they stand for nothing but themselves.
const char *trace_cell_words(const Trace *trace, TraceCell cell, char text[TRACE_CELL_MAX]);

// The same of the axes from `first` on.
const char *trace_axes_words(const Trace *trace, TraceCell cell, int first,
                             char text[TRACE_CELL_MAX]);

// The word of the token id that an element holds ("perfect"); NULL where it holds none, or where the
// scenario has no words.
const char *trace_cell_token(const Trace *trace, TraceCell cell);

// Why a tensor holds NaN, in a sentence ("attn_weights[1, 0, 2, :]: every key of this row is
// masked ..."); NULL when there is nothing to say. Worked out once, when the step runs.
const char *trace_remark(const Trace *trace, int tensor);

// --- the terms of one element, kept
//
// What a person reads, sorts and walks through.
//
// Life cycle: a zeroed Explanation explains nothing; explanation_make, again for another element;
// explanation_finish.

// A listed term in the order of size.
typedef struct RankedTerm {
    ptrdiff_t number;
    double size;  // |value|; infinity for NaN
    double up_to; // the sum of the sizes down to this one, without NaN
} RankedTerm;

typedef struct Explanation {
    TraceCell cell; // what is explained
    TraceTerm *terms;
    ptrdiff_t count; // 0: an input or a weight, which nothing computed

    // The terms that make a list: all of them, or of a softmax the exps that add up to its sum.
    ptrdiff_t first, listed;
    RankedTerm *by_size;      // `listed` of them, the largest first (NaN before all)
    double largest, together; // |value| of the largest listed term and of all, without NaN

    bool is_softmax;     // maxima, exps, their sum, a quotient
    bool adds_up;        // the listed terms are products, or the exps of a softmax
    ptrdiff_t own;       // the listed term about the element itself, 0 where all are alike
    ptrdiff_t first_nan; // the first term after which the running value is NaN; -1: none
    bool exact;          // the last running value is the stored element, bit for bit
    Arena arena;
} Explanation;

// Collects the terms of an element whose step has run. What was explained before is given up. False,
// with the size, when there is no memory; then nothing is explained.
bool explanation_make(Explanation *explanation, const Trace *trace, TraceCell cell, Error *err);

void explanation_finish(Explanation *explanation);

// The listed term number `number`, 0 ... listed - 1, in the order of the computation.
const TraceTerm *explanation_term(const Explanation *explanation, ptrdiff_t number);

// The axis of source `source` along which the list runs ("sum over d"); -1: it does not run.
int explanation_axis(const Explanation *explanation, int source);

// The number that an element of the trace holds, whatever its dtype.
float explanation_number(const Trace *trace, TraceCell cell);

// --- numbers that say nothing
//
// Which numbers of a tensor say nothing about the text: masked, dropped, or of a token that is only
// padding.

typedef enum TraceMark {
    TRACE_PLAIN,
    TRACE_MASKED,  // a score or weight of a key that the mask hides from this query
    TRACE_DROPPED, // a weight that dropout threw away
    TRACE_PADDED,  // of a query, a key or a token that fills a short sequence
    TRACE_MARKS
} TraceMark;

// Whether what the mask forbids is hidden in fact, which a wrong run may fail to do. An element is, where
// the mask has put its value into the scores; a weight also where it is 0, whatever made it so.
typedef struct TraceHidden {
    Tensor scores; // behind the mask, in the tensor's own shape; no storage: the flag alone decides
    Tensor weights; // the tensor itself, where it holds weights
    float mask_value;
} TraceHidden;

// Of a tensor, seen with this rank and shape.
TraceHidden trace_hidden(const Trace *trace, int tensor, const Tensor *seen);

// The mask of numbers that was added to the scores, repeated to the shape of a tensor of them or of what
// they became: a key is forbidden where it has -inf. No storage where it has that nowhere, or where the
// tensor is none of these.
Tensor trace_forbidding(const Trace *trace, int tensor);
bool trace_forbids(const Tensor *forbidding, const ptrdiff_t at[]);

// Whether a tensor stands before the mask of its layer: nothing in it is masked yet.
bool trace_is_before_mask(const Trace *trace, int tensor);

// Whether an element that the mask forbids is hidden.
bool trace_hides(const TraceHidden *hidden, const ptrdiff_t at[]);

// What decides about one tensor: looked up once, so that asking for an element costs nothing. Valid
// as long as the trace is.
typedef struct TraceMarks {
    Tensor masked, kept; // flags in the tensor's own shape; no storage: no such rule
    TraceHidden hidden;
    Tensor forbidding; // see trace_forbidding
    Tensor padding;    // [B, L]
    int batch_axis;    // of the tensor looked at
    int token_axes[2]; // -1: none
} TraceMarks;

// The tensor must have been computed.
TraceMarks trace_marks(const Trace *trace, int tensor);

// The first of the marks above that holds.
TraceMark trace_mark_at(const TraceMarks *marks, const ptrdiff_t at[]);

// "masked", "dropped", "padding"; "" for TRACE_PLAIN.
const char *trace_mark_word(TraceMark mark);

// --- what an edit moves
//
// What an edit moves: the elements whose origin reaches it are computed again, and no others.
//
// Life cycle: a zeroed TraceChange; trace_touch for each input element, trace_touch_step for each
// step whose options will change; change them; trace_recompute; trace_change_finish. Where the
// person's edit turns out to make no sense, trace_restore puts every number back.
//
// An element is reached when its origin, asked after the edit, names a touched element or one that
// is reached itself. A reached element often gets other bits; where it does, it is changed.

typedef struct TraceChanged {
    // Both are shaped like the tensor, and hold these places of its first axis; no storage: no element is reached.
    ptrdiff_t first, count;
    Tensor reached;                         // bool
    Tensor before;                          // its numbers before the edit
    bool is_whole;                          // `reached` is one flag for all elements
    ptrdiff_t reached_count, changed_count; // elements
    double largest; // of the differences between now and before; NaN where one is NaN

    // Of the storage that the tensor had, what `before` is a copy of: elements copied_from ... copied_end - 1.
    const void *copied;
    ptrdiff_t copied_from, copied_end;
} TraceChanged;

typedef struct TraceChange {
    TraceChanged *tensors; // one for each of the trace's, in the arena; NULL: none is reached
    bool touched[TRACE_STEPS_MAX]; // steps whose options or formula change
    bool has_formula;              // a formula does: what follows it counts as reached as a whole
    Arena arena;                   // a flag and an earlier number for each element that is kept
} TraceChange;

// What became of a tensor, by its number in the trace.
const TraceChanged *trace_changed(const TraceChange *change, int number);

// Notes that an element of an input or weight is about to change; so do the elements of other inputs
// that lie at the same place in storage. Asserts that it is not an output.
bool trace_touch(Trace *trace, TraceChange *change, TraceCell cell, Error *err);

// Notes that the options of a step are about to change: every element it computes is reached.
void trace_touch_step(TraceChange *change, int step);

// Whether a run of `scenario` would have the same steps on tensors of the same shapes; a step may have another
// formula.
bool trace_fits(const Trace *trace, const Scenario *scenario);

// Goes on with a scenario that fits: touches the input elements, and the steps whose options or formulas
// differ. The scenario before is needed no longer. False, with nothing done, when memory is short.
bool trace_rebind(Trace *trace, const Scenario *scenario, TraceChange *change, Error *err);

// For a scenario that does not fit: keeps every number there is, to be compared with those of another
// trace by the tensors' names. `was` holds numbers only; names must live until trace_compare.
typedef struct TraceKept {
    TraceChange was;
    int count;          // of the tensors kept
    TraceChanged *next; // in the arena too: room for those of whatever trace comes
    const char *names[TRACE_TENSORS_MAX];
} TraceKept;
bool trace_keep_all(const Trace *trace, TraceKept *kept, Error *err);

// What differs between a fresh run and the numbers kept, of tensors with the same name, dtype and
// shape; their every element counts as reached. Takes over what was kept.
void trace_compare(Trace *trace, TraceKept *kept, TraceChange *change);

// Computes what is reached again, in the steps that have run. False with the stage's sentence when
// one refuses (an id outside the vocabulary); every output has its old numbers then, and the caller
// puts the inputs back by trace_restore.
bool trace_recompute(Trace *trace, TraceChange *change, Error *err);

// Puts back the numbers from before the edit, of inputs and outputs.
void trace_restore(Trace *trace, const TraceChange *change);

// Whether the edit reaches the element.
bool trace_is_reached(const TraceChange *change, TraceCell cell);

// Whether the element got other bits.
bool trace_is_changed(const Trace *trace, const TraceChange *change, TraceCell cell);

// The next (or the one before, `backwards`) changed element in the order of the pipeline, elements
// of a tensor in index order. False when there is none; `cell` stays.
bool trace_next_changed(const Trace *trace, const TraceChange *change, bool backwards,
                        TraceCell *cell);

// Makes room for another edit, which takes the memory that this one had.
void trace_change_empty(TraceChange *change);

void trace_change_finish(TraceChange *change);

// --- double precision
//
// What the steps of a trace give in double precision (exact.h), and how far its float32 numbers are
// from that.
//
// Two questions, each with an answer of its own:
//   - how much does one step round: trace_exact_alone takes the float32 numbers that the step has read;
//   - how much has come together since the inputs: trace_exact_open, and trace_exact_step for each.
//
// Inputs and weights are float32 and are taken to be exact.

typedef struct TraceExact {
    const Trace *trace;
    Trace wide;           // the same plan; the float32 tensors of it hold doubles in storage
    ExactOptions options; // of the step that runs
    Arena arena;
} TraceExact;

// Inputs and weights in double precision; no step has run. False when memory is short; nothing is left
// to close then. The trace must outlive it.
bool trace_exact_open(TraceExact *exact, const Trace *trace, Error *err);

// Runs the next step. False with a sentence when memory is short, or where another stage stands in the
// pipeline's place: nobody knows what a mistake is exactly.
bool trace_exact_step(TraceExact *exact, Error *err);

// One step that the trace has run, from the float32 numbers that it has read; as trace_exact_open.
bool trace_exact_alone(TraceExact *exact, const Trace *trace, int step, Error *err);

// Whether each number of a step is copied or made by one operation that IEEE 754 rounds: PyTorch has the same
// bits then, whatever the machine. Nobody knows it of an edited formula.
bool trace_rounds_once(const Trace *trace, int step);

// A closed one may be closed again.
void trace_exact_close(TraceExact *exact);

// Whether there are exact numbers of a tensor: it has numbers, a step has made them, and that has run.
bool trace_exact_has(const TraceExact *exact, int tensor);
double trace_exact_number(const TraceExact *exact, TraceCell cell);

// How far a float32 is from the exact number, in units of the last place that a float32 of that size
// has. The float32 next to it is at most half of one away. NaN where one of the two is not finite, or
// where no float32 is so large; 0 where both are the same infinity, or both NaN.
double trace_exact_units(float number, double exact);

typedef struct ExactError {
    ptrdiff_t count;    // numbers of the tensor
    ptrdiff_t nearest;  // those that are the float32 nearest to the exact number
    ptrdiff_t overflow; // those for which there are no units: infinite or NaN here alone
    double mean, largest;
    TraceCell at; // the first with the largest error
} ExactError;

ExactError trace_exact_error(const TraceExact *exact, int tensor);

#endif

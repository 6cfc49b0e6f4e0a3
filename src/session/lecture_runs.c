// The runs that pages of a lecture need, the values of references in them, and the messages of a lecture. See
// question.h and open_lecture.h.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "trace.h"
#include "number_text.h"
#include "open_lecture.h"
#include "place.h"
#include "question.h"
#include "scenario_file.h"
#include "scenario_maps.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "trace_heads.h"
#include "utf8.h"

// --- words

static const char *const lecture_words[WORD_COUNT][LANGUAGE_COLUMNS] = {
#define OPEN_LECTURE_WORD(NAME, english, korean) \
    [WORD_##NAME] = {[LANGUAGE_ENGLISH] = english, \
                     [LANGUAGE_KOREAN] = korean, \
                     [LANGUAGE_MARKED] = "\u27e6" english "\u27e7"},
#include "open_lecture_words.def"
};

const char *open_lecture_word(Language language, OpenLectureWord word)
{
    return lecture_words[word][language_beside(language)];
}

const char *open_lecture_says(const OpenLecture *open, OpenLectureWord word)
{
    return open_lecture_word(open->lecture->language, word);
}

const char *open_lecture_session_word(const Session *session, OpenLectureWord word)
{
    return session->lecture ? open_lecture_says(session->lecture, word)
                            : open_lecture_word(language_written(), word);
}

// --- commands of a page

bool open_lecture_do(Session *session, const char *words, Error *err)
{
    Command command;
    if (!command_parse(words, &command, err))
        return false;
    if (command.kind == COMMAND_WINDOW) { // without a window, the terminal's map shows the same
        session->window = !session->lecture->no_window;
        session->look.detail = DETAIL_HEATMAP;
        return true;
    }
    return command_is(command.kind, COMMAND_TAUGHT)
               ? session->apply(session, &command, err)
               : error_set(err, TELL(NOT_FOR_LECTURES), command_info(command.kind)->word);
}

// --- the value of a reference in a trace

static int find(const Trace *trace, const char *name, Error *err)
{
    const char *known[TRACE_TENSORS_MAX + 1] = {NULL};
    int tensor = trace_find(trace, name);
    for (int i = 0; i < trace->tensor_count; i++)
        known[i] = trace->tensors[i].name;
    const char *near = tensor < 0 ? nearest_name(name, known) : NULL;
    if (tensor < 0)
        error_set(err, TELL(REFERENCE_NO_TENSOR), trace->scenario->name, name,
                  near ? TELL(DID_YOU_MEAN) : "", near ? near : "", near ? TELL(MEANT_END) : "");
    return tensor;
}

// Views the elements that the index leaves.
static bool leave_over(const Trace *trace, const Reference *reference, int number, Tensor *out,
                       Error *err)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    char shape[TENSOR_TEXT_MAX];
    bool inside = reference->index_count <= tensor->rank;
    for (int axis = 0; inside && axis < reference->index_count; axis++)
        inside = reference->index[axis] < tensor->shape[axis];
    if (!inside)
        return error_set(err, TELL(REFERENCE_INDEX), reference->tensor,
                         tensor_shape_text(tensor->rank, tensor->shape, shape));
    *out = *tensor;
    for (int axis = reference->index_count - 1; axis >= 0; axis--)
        if (reference->index[axis] != REFERENCE_WHOLE_AXIS)
            *out = tensor_select(out, axis, reference->index[axis]);
    return true;
}

static void put(ReferenceValue *value, double number)
{
    value->numbers[value->count++] = number;
}

static void put_shape(ReferenceValue *value, int rank, const ptrdiff_t numbers[])
{
    char text[TENSOR_TEXT_MAX];
    for (int axis = 0; axis < rank; axis++)
        put(value, (double)numbers[axis]);
    snprintf(value->text, sizeof value->text, "%s", tensor_shape_text(rank, numbers, text));
}

// Writes numbers as a lecture's screen does: in the format of the whole tensor, but never scientific.
static const char *element_text(const Tensor *whole, const Tensor *left, const ptrdiff_t at[],
                                char text[NUMBER_TEXT_MAX])
{
    NumberFormat format = tensor_number_format(whole);
    char decimals[NUMBER_FULL_TEXT_MAX];
    format.width = 0;
    if (!format.scientific || left->dtype != DTYPE_F32)
        return tensor_number_text(left, at, format, text);
    snprintf(text, NUMBER_TEXT_MAX, "%s",
             number_decimals_text(left->storage.f32[tensor_place(left, at)], decimals));
    return text;
}

static bool put_elements(ReferenceValue *value, const Tensor *whole, const Tensor *left, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (left->rank > 1 || tensor_count(left) > REFERENCE_VALUES_MAX)
        return error_set(err, TELL(ELEMENTS_MANY), tensor_count(left));
    do {
        char number[NUMBER_TEXT_MAX];
        const char *before = left->rank == 0 ? "" : value->count == 0 ? "[" : ", ";
        text_add(value->text, REFERENCE_TEXT_MAX, "%s%s", before,
                 element_text(whole, left, at, number));
        put(value, tensor_number(left, at));
    } while (strlen(value->text) < REFERENCE_TEXT_MAX - NUMBER_TEXT_MAX && tensor_next(left, at));
    text_add(value->text, REFERENCE_TEXT_MAX, "%s", left->rank > 0 ? "]" : "");
    return true;
}

static bool put_zeros(ReferenceValue *value, const Tensor *left, Error *err)
{
    if (left->rank != 1 || left->shape[0] > REFERENCE_VALUES_MAX)
        return error_set(err, TELL(ZEROS_AXIS));
    for (ptrdiff_t i = 0; i < left->shape[0]; i++)
        if (tensor_number(left, &i) == 0) {
            text_add(value->text, REFERENCE_TEXT_MAX, value->count ? ", %td" : "%td", i);
            put(value, (double)i);
        }
    return true;
}

static bool put_summary(ReferenceValue *value, ReferenceKind kind, const Tensor *left, Error *err)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double sum = 0, largest = -INFINITY;
    ptrdiff_t number = 0, where = 0, tied = 0;
    if (kind == REFERENCE_ARGMAX && left->rank != 1)
        return error_set(err, TELL(ARGMAX_AXIS));
    do {
        double one = tensor_number(left, at);
        sum += one;
        tied = one > largest ? 0 : one == largest && tied == 0 ? number : tied;
        where = one > largest ? number : where;
        largest = one > largest ? one : largest;
        number++;
    } while (tensor_next(left, at));
    put(value, kind == REFERENCE_SUM ? sum : kind == REFERENCE_MAX ? largest : (double)where);
    value->tied = kind == REFERENCE_ARGMAX ? (int)tied : 0;
    bool whole = kind == REFERENCE_ARGMAX || left->dtype != DTYPE_F32;
    snprintf(value->text, sizeof value->text, whole ? "%.0f" : "%.4f",
             number_unsigned_nan(value->numbers[0]));
    return true;
}

// The target of each row of `left`, or -1. Returns false if rows of `left` are not those with targets.
static bool read_targets(const Trace *trace, const Tensor *left, const int64_t **targets)
{
    const ScenarioTensor *asked = scenario_tensor(trace->scenario, "targets");
    bool fits = asked && left->rank == asked->tensor.rank + 1 && left->dtype == DTYPE_F32 &&
                left->shape[left->rank - 1] == trace->scenario->size[SYMBOL_V];
    for (int axis = 0; fits && axis < asked->tensor.rank; axis++)
        fits = left->shape[axis] == asked->tensor.shape[axis];
    *targets = fits ? asked->tensor.storage.i64 : NULL;
    return fits;
}

static bool put_right(const Trace *trace, const Tensor *left, ReferenceValue *value, Error *err)
{
    const int64_t *targets;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, asked = 0, right = 0, words;
    if (!read_targets(trace, left, &targets))
        return error_set(err, TELL(RIGHT_ASKED));
    words = left->shape[left->rank - 1];
    do {
        ptrdiff_t best = 0;
        double largest = -INFINITY;
        for (ptrdiff_t word = 0; word < words; word++) {
            at[left->rank - 1] = word;
            double one = tensor_number(left, at);
            best = one > largest ? word : best;
            largest = one > largest ? one : largest;
        }
        asked += *targets >= 0;
        right += *targets++ == best;
    } while (tensor_next(left, at));
    if (asked == 0)
        return error_set(err, TELL(RIGHT_ASKED));
    put(value, (double)right / (double)asked);
    snprintf(value->text, sizeof value->text, "%.2f", value->numbers[0]);
    return true;
}

static bool put_of_tensor(const Trace *trace, const Reference *reference, ReferenceValue *value,
                          Error *err)
{
    int number = find(trace, reference->tensor, err);
    Tensor left;
    if (number < 0 || !leave_over(trace, reference, number, &left, err))
        return false;
    const Tensor *tensor = &trace->tensors[number].tensor;
    if (tensor_count(&left) == 0)
        return error_set(err, TELL(NO_ELEMENTS), reference->tensor);
    switch (reference->kind) {
    case REFERENCE_SHAPE:
        put_shape(value, tensor->rank, tensor->shape);
        return true;
    case REFERENCE_STRIDE:
        put_shape(value, tensor->rank, tensor->stride);
        return true;
    case REFERENCE_OFFSET:
    case REFERENCE_PLACE:
        put(value, (double)(reference->kind == REFERENCE_PLACE ? left.offset : tensor->offset));
        snprintf(value->text, sizeof value->text, "%.0f", value->numbers[0]);
        return true;
    case REFERENCE_RIGHT:
        return put_right(trace, &left, value, err);
    case REFERENCE_APART:
        return error_set(err, TELL(APART_WRITTEN));
    case REFERENCE_ZEROS:
        return put_zeros(value, &left, err);
    case REFERENCE_ELEMENTS:
        return put_elements(value, tensor, &left, err);
    default:
        return put_summary(value, reference->kind, &left, err);
    }
}

// "k[0,0,1,0]": earlier layer and head, later layer and head.
static bool put_composition(const Trace *trace, const Reference *reference, ReferenceValue *value,
                            Error *err)
{
    static const char kinds[] = "qkv";
    double ratio[COMPOSE_KINDS];
    const char *kind = reference->tensor[1] ? NULL : strchr(kinds, reference->tensor[0]);
    const ptrdiff_t *index = reference->index;
    Head earlier = {(int)index[0], index[1]}, later = {(int)index[2], index[3]};
    bool is_pair = reference->index_count == 4;
    for (int i = 0; is_pair && i < 4; i++)
        is_pair = index[i] >= 0 &&
                  index[i] < (i % 2 ? trace->scenario->options.heads : trace->scenario->layers);
    if (!kind || (reference->index_count > 0 && (!is_pair || earlier.layer >= later.layer)))
        return error_set(err, TELL(COMPOSITION_WRITTEN));
    if (!(is_pair ? trace_composition(trace, earlier, later, ratio, err)
                  : trace_composition_random(trace, ratio, err)))
        return false;
    put(value, ratio[kind - kinds]);
    snprintf(value->text, sizeof value->text, "%.4f", value->numbers[0]);
    return true;
}

bool open_lecture_trace_value(const Trace *trace, const Reference *reference, ReferenceValue *value,
                              Error *err)
{
    char text[NUMBER_FULL_TEXT_MAX];
    *value = (ReferenceValue){.count = 0};
    if (reference->kind == REFERENCE_NUMBERS) {
        for (int i = 0; i < reference->number_count; i++)
            put(value, reference->numbers[i]);
        snprintf(value->text, sizeof value->text, "%g", value->numbers[0]);
        return true;
    }
    if (reference->kind == REFERENCE_COMPOSITION)
        return put_composition(trace, reference, value, err);
    if (reference->kind != REFERENCE_SCALE)
        return put_of_tensor(trace, reference, value, err);
    if (!trace->scenario->scaled)
        return error_set(err, TELL(DIVIDES_NOTHING), trace->scenario->name);
    put(value, (double)trace->scenario->options.scale);
    snprintf(value->text, sizeof value->text, "%s",
             number_full_text(trace->scenario->options.scale, text));
    return true;
}

// The largest difference between elements of two runs.
static bool put_apart(const Trace *here, const Trace *there, const Reference *reference,
                      ReferenceValue *value, Error *err)
{
    int number = find(here, reference->tensor, err);
    int other = number < 0 ? -1 : find(there, reference->tensor, err);
    Tensor a, b;
    char text[NUMBER_FULL_TEXT_MAX];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0;
    if (other < 0 || !leave_over(here, reference, number, &a, err) ||
        !leave_over(there, reference, other, &b, err))
        return false;
    if (!tensor_same_shape(&a, &b) || tensor_count(&a) == 0)
        return error_set(err, TELL(APART_WRITTEN));
    do {
        double one = tensor_number(&a, at), two = tensor_number(&b, at);
        bool same = one == two || (isnan(one) && isnan(two));
        double difference = same ? 0 : fabs(one - two);
        largest = isnan(difference) || difference > largest ? difference : largest;
    } while (tensor_next(&a, at));
    *value = (ReferenceValue){.count = 0};
    put(value, largest);
    snprintf(value->text, sizeof value->text, "%s", number_decimals_text((float)largest, text));
    return true;
}

// Compares two values, to the last bit or up to the rounding of a float32 sum: 1e-5.
static bool reference_values_equal(const ReferenceValue *a, const ReferenceValue *b,
                                   bool to_the_bit)
{
    bool equal = a->count == b->count;
    for (int i = 0; equal && i < a->count; i++)
        equal = to_the_bit ? memcmp(&a->numbers[i], &b->numbers[i], sizeof a->numbers[i]) == 0
                           : fabs(a->numbers[i] - b->numbers[i]) <= 1e-5;
    return equal;
}

// --- runs besides the one on screen

const LecturePage *open_lecture_page(const OpenLecture *open)
{
    return &open->lecture->pages[open->page];
}

// A name has no folders or control characters and does not begin with a dot.
static bool is_name(const char *text)
{
    bool good = text[0] && text[0] != '.';
    for (; good && *text; text++)
        good = *text != '/' && (unsigned char)*text >= ' ' && *text != 0x7f;
    return good;
}

// Installed scenarios have only these letters in their names.
static bool is_plain(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

LectureScene open_lecture_scene(const OpenLecture *open)
{
    const LecturePage *page = open_lecture_page(open);
    return (LectureScene){open->lecture->file, page->scenario, page->text, NULL};
}

bool question_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool open_lecture_is_scene(const Scenario *scenario, const LectureScene *scene)
{
    return scenario->name && question_same_text(scenario->name, scene->name) &&
           question_same_text(scenario->request.text, scene->text);
}

// Finds the file next to the lecture: NAME.yaml, or NAME if that is a file name. `path` is "" if there is none.
static bool look_beside(const LectureScene *scene, char path[PLACE_PATH_MAX])
{
    static const char *const endings[] = {".yaml", ""};
    int folder =
        scene->file ? (int)(path_name(scene->file) - scene->file) : 0; // 0: the current one
    for (int i = 0; scene->file && i < 2; i++) {
        int length = snprintf(path, PLACE_PATH_MAX, "%.*s%s%s", folder, scene->file, scene->name,
                              endings[i]);
        bool means_file = endings[i][0] || strchr(scene->name, '.');
        if (means_file && length < PLACE_PATH_MAX && access(path, R_OK) == 0)
            return true;
    }
    path[0] = '\0';
    return false;
}

// Opens attention maps of another model, if the file has no weights; the text has their words.
static bool open_maps(Scenario *scenario, const LectureScene *scene, const char *path)
{
    Error none; // the weights' error is reported
    MapsRequest request = {.file = path, .words = scene->text};
    return !scene->set && scenario_of_maps(scenario, &request, &none);
}

bool open_lecture_open_scenario(Scenario *scenario, const LectureScene *scene, Error *err)
{
    char path[PLACE_PATH_MAX];
    *scenario = (Scenario){.name = NULL};
    if (!is_name(scene->name))
        return error_set(err, TELL(SCENARIO_NO_NAME), scene->name);
    bool is_beside = look_beside(scene, path);
    if (!is_beside && !is_plain(scene->name))
        return error_set(err, TELL(NOT_BESIDE), scene->name);
    bool is_weights = is_beside && scenario_is_file(path);
    ScenarioRequest request = {.what = is_beside ? path : scene->name,
                               .text = scene->text,
                               .sets = &scene->set,
                               .set_count = scene->set != NULL,
                               .no_files = is_weights ? NULL : TELL(NO_FILES)};
    if (!scenario_open(scenario, &request, err) &&
        !(is_weights && open_maps(scenario, scene, path)))
        return false;
    scenario->request.set_count = 0;             // the change is only for this run
    scenario->request.no_files = TELL(NO_FILES); // commands of the page cannot open others
    if (is_beside)
        scenario->name = arena_text(&scenario->arena, scene->name, err);
    return scenario->name != NULL;
}

void open_lecture_close_run(OpenLectureRun *run)
{
    if (!run)
        return;
    trace_close(&run->whole);
    scenario_finish(&run->scenario);
    *run = (OpenLectureRun){.scenario = {.name = NULL}};
}

// Keeps the run, as a page usually names a scenario more than once.
static bool open_other(const OpenLecture *open, const char *name, Error *err)
{
    OpenLectureRun *other = open->other;
    LectureScene scene = {.file = open->lecture->file, .name = name};
    if (open_lecture_is_scene(&other->scenario, &scene))
        return true;
    open_lecture_close_run(other);
    bool good = open_lecture_open_scenario(&other->scenario, &scene, err) &&
                trace_open(&other->whole, &other->scenario, err) && trace_run(&other->whole, err);
    if (!good)
        open_lecture_close_run(other);
    return good;
}

// --- changes

static const char formula[] = "formula ";

bool open_lecture_changes_element(const char *change)
{
    const char *bracket = strchr(change, '['), *equals = strchr(change, '=');
    return bracket && equals && bracket < equals && strncmp(change, formula, strlen(formula)) != 0;
}

// Opens the page's scenario with edits of it, and perhaps one more option.
static bool open_base(const OpenLecture *open, const WhatIf *edits, const char *set,
                      Scenario *scenario, Error *err)
{
    LectureScene scene = open_lecture_scene(open);
    scene.set = set;
    return edits->done > 0 ? what_if_open(edits, &open->scenario, edits->done, set, scenario, err)
                           : open_lecture_open_scenario(scenario, &scene, err);
}

bool open_lecture_open_mistake(const OpenLecture *open, const WhatIf *edits, const char *name,
                               OpenLectureRun *run, Error *err)
{
    const Mistake *mistake = mistake_find(name);
    if (!mistake)
        return error_set(err, TELL(OPEN_LECTURE_NO_MISTAKE), name);
    TraceVariant variant = {.stages = mistake->stages};
    return open_base(open, edits, NULL, &run->scenario, err) &&
           trace_open_variant(&run->whole, &run->scenario, &variant, err);
}

static bool open_element(const OpenLecture *open, const WhatIf *edits, const char *change,
                         OpenLectureRun *run, Error *err)
{
    ScenarioEdit edit;
    if (!open_base(open, edits, NULL, &run->scenario, err) ||
        !scenario_edit_read(&run->scenario, change, &edit, err))
        return false;
    scenario_edit_put(&run->scenario, &edit);
    return trace_open(&run->whole, &run->scenario, err);
}

// An option, as --set takes it, or a formula.
static bool open_set(const OpenLecture *open, const WhatIf *edits, const char *change,
                     OpenLectureRun *run, Error *err)
{
    char of_formula[SCENARIO_FORMULA_SET_MAX];
    const char *set = change;
    if (strncmp(change, formula, strlen(formula)) == 0)
        set = scenario_formula_set(change + strlen(formula), of_formula, err);
    return set && open_base(open, edits, set, &run->scenario, err) &&
           trace_open(&run->whole, &run->scenario, err);
}

bool open_lecture_open_changed(OpenLecture *open, const WhatIf *edits, const char *change,
                               Error *err)
{
    static const char mistake[] = "mistake ";
    OpenLectureRun *run = open->changed;
    Error problem = {.text = ""};
    bool opened;
    open_lecture_close_run(run);
    if (strncmp(change, mistake, strlen(mistake)) == 0)
        opened = open_lecture_open_mistake(open, edits, change + strlen(mistake), run, &problem);
    else if (open_lecture_changes_element(change))
        opened = open_element(open, edits, change, run, &problem);
    else
        opened = open_set(open, edits, change, run, &problem);
    if (opened && trace_run(&run->whole, &problem))
        return true;
    open_lecture_close_run(run);
    return error_set(err, "%s:%d:1: %s", open->lecture->file,
                     open_lecture_page(open)->question.line, problem.text);
}

bool open_lecture_open_edited(OpenLecture *open, const WhatIf *edits, Error *err)
{
    OpenLectureRun *run = open->edited;
    open_lecture_close_run(run);
    bool good = edits->done == 0 ||
                (open_base(open, edits, NULL, &run->scenario, err) &&
                 trace_open(&run->whole, &run->scenario, err) && trace_run(&run->whole, err));
    if (!good)
        open_lecture_close_run(run);
    return good;
}

// --- values and claims

const Trace *open_lecture_run(const OpenLecture *open)
{
    return open->edited->scenario.name ? &open->edited->whole : &open->whole;
}

// The run that a reference names; NULL and err if there is none.
static const Trace *run_of(const OpenLecture *open, const char *name, Error *err)
{
    if (!name[0])
        return open_lecture_run(open);
    if (strcmp(name, OPEN_LECTURE_CHANGED) != 0)
        return open_other(open, name, err) ? &open->other->whole : NULL;
    if (open->changed->scenario.name)
        return &open->changed->whole;
    error_set(err, TELL(CHANGED_ALONE));
    return NULL;
}

bool open_lecture_value(const OpenLecture *open, const Reference *reference, ReferenceValue *value,
                        Error *err)
{
    const Trace *run = run_of(open, reference->scenario, err);
    const Trace *here = open_lecture_run(open);
    return run && (reference->kind == REFERENCE_APART && run != here
                       ? put_apart(here, run, reference, value, err)
                       : open_lecture_trace_value(run, reference, value, err));
}

bool open_lecture_claim(const OpenLecture *open, const Claim *claim, bool *holds, Error *err)
{
    ReferenceValue left, right;
    if (!open_lecture_value(open, &claim->left, &left, err) ||
        !open_lecture_value(open, &claim->right, &right, err))
        return false;
    bool single = left.count == 1 && right.count == 1;
    if (claim->relation == '=')
        *holds = reference_values_equal(&left, &right, claim->to_the_bit);
    else if (claim->relation == '<')
        *holds = single && left.numbers[0] < right.numbers[0];
    else
        *holds = single && left.numbers[0] > right.numbers[0];
    return claim->relation == '=' || single || error_set(err, TELL(ANSWER_SINGLE));
}

LectureSpan *open_lecture_fill(OpenLecture *open, const LectureSpan *spans, Error *err)
{
    LectureSpan *first = NULL, **end = &first;
    for (; spans; spans = spans->next) {
        LectureSpan *filled = arena_take(&open->arena, 1, sizeof *filled, err);
        Reference reference;
        ReferenceValue value;
        if (!filled)
            return NULL;
        *filled = (LectureSpan){.kind = spans->kind, .text = spans->text, .line = spans->line};
        if (spans->kind == SPAN_REFERENCE) {
            Error problem = {.text = ""};
            bool known = reference_parse(spans->text, &reference, &problem) &&
                         open_lecture_value(open, &reference, &value, &problem);
            filled->text = arena_text(&open->arena, known ? value.text : "?", err);
            if (!known)
                error_set(err, "%s:%d:%d: %s", open->lecture->file, spans->line,
                          lecture_column(open->lecture, spans->line, spans->text), problem.text);
        }
        if (!filled->text)
            return NULL;
        *end = filled;
        end = &filled->next;
    }
    return first;
}

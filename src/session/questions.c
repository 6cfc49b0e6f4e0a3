// The kinds of questions, a section each; see question.h. lecture_kinds.def lists them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "open_lecture.h"
#include "question.h"
#include "session_actions.h"
#include "session_words.def"
#include "trace.h"
#include "utf8.h"

// --- shared by kinds

const LectureQuestion *question_text(const OpenLecture *open)
{
    return &open_lecture_page(open)->question;
}

// The reference of the question, and its value.
static bool read_reference(const OpenLecture *open, Reference *reference, ReferenceValue *value,
                           Error *err)
{
    return reference_parse(question_text(open)->answer, reference, err) &&
           open_lecture_value(open, reference, value, err);
}

static bool question_reference(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference reference;
    return read_reference(open, &reference, answer, err);
}

// What is behind a line of the question; NULL after the last.
static const char *behind_line(const OpenLecture *open, int number)
{
    const LectureQuestion *question = question_text(open);
    return number < question->choice_count ? question->behind[number] : NULL;
}

// Makes the answer a choice, from 0; people count from 1.
static void question_choose(ReferenceValue *answer, int number)
{
    answer->numbers[0] = number + 1;
    answer->count = 1;
    snprintf(answer->text, sizeof answer->text, "%d", number + 1);
}

// --- reading

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

// A '-' between digits separates two numbers ("3-3").
static bool starts_number(const char *text, const char *at)
{
    if (*at == '-')
        return (at == text || !is_digit(at[-1])) && (is_digit(at[1]) || at[1] == '.');
    return is_digit(*at) || (*at == '.' && is_digit(at[1]));
}

// Reads the numbers of a text, with any separators: "(1, 3, 3)", "1x3x3", "1 by 3 by 3". Returns false and sets
// err if there are none.
static bool question_numbers(const Session *session, const char *text, Typed *typed, Error *err)
{
    const char *at = text;
    *typed = (Typed){.count = 0};
    while (*at && typed->count < REFERENCE_VALUES_MAX) {
        char *end = NULL;
        if (starts_number(text, at))
            typed->numbers[typed->count] = strtod(at, &end);
        if (!end || end == at) {
            at++;
            continue;
        }
        const char *point = memchr(at, '.', (size_t)(end - at));
        typed->decimals = point ? (int)(end - point - 1) : 0;
        typed->count++;
        at = end;
    }
    return typed->count > 0 ||
           error_set(err, "%s", open_lecture_says(session->lecture, WORD_ASK_NUMBER));
}

// True if all numbers are whole and within first ... last.
static bool question_in_range(const Typed *typed, int first, int last)
{
    bool good = true;
    for (int i = 0; i < typed->count; i++)
        good = good && typed->numbers[i] >= first && typed->numbers[i] <= last &&
               typed->numbers[i] == floor(typed->numbers[i]);
    return good;
}

static bool read_indices(const Session *session, const char *text, bool single, Typed *typed,
                         Error *err)
{
    const OpenLecture *open = session->lecture;
    Reference reference;
    ReferenceValue elements;
    Error unknown;
    if (!question_numbers(session, text, typed, err))
        return false;
    int last = REFERENCE_VALUES_MAX;
    if (reference_parse(question_text(open)->answer, &reference, &unknown)) {
        reference.kind = REFERENCE_ELEMENTS;
        if (open_lecture_value(open, &reference, &elements, &unknown))
            last = elements.count - 1;
    }
    return ((typed->count == 1 || !single) && question_in_range(typed, 0, last)) ||
           error_set(err, "%s0-%d", open_lecture_says(open, WORD_ASK_INDEX), last);
}

static bool question_index(const Session *session, const char *text, Typed *typed, Error *err)
{
    return read_indices(session, text, true, typed, err);
}

static bool question_indices(const Session *session, const char *text, Typed *typed, Error *err)
{
    return read_indices(session, text, false, typed, err);
}

// --- judging

bool question_matches(const Typed *typed, const ReferenceValue *answer, int skipped, double allowed)
{
    bool same = typed->count == answer->count - skipped;
    for (int i = 0; same && i < typed->count; i++)
        same = fabs(typed->numbers[i] - answer->numbers[skipped + i]) <= allowed;
    return same;
}

// True if the text is this word in any language.
static bool question_is_word(const char *text, OpenLectureWord word)
{
    bool is_word = false;
    for (Language language = 0; language < LANGUAGES; language++)
        is_word = is_word || strcasecmp(text, open_lecture_word(language, word)) == 0;
    return is_word;
}

// --- a cell
//
// The user moves the cursor there, or types the index.

// Makes the argmax of a row the element that it finds.
static void name_largest(Reference *row, ptrdiff_t largest)
{
    int axis = 0;
    while (axis < row->index_count && row->index[axis] != REFERENCE_WHOLE_AXIS)
        axis++;
    row->index_count += axis == row->index_count;
    row->index[axis] = largest;
    row->kind = REFERENCE_ELEMENTS;
}

static bool cell_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference cell;
    if (!read_reference(open, &cell, answer, err))
        return false;
    if (cell.kind == REFERENCE_ARGMAX && cell.index_count < REFERENCE_INDEX_MAX)
        name_largest(&cell, (ptrdiff_t)answer->numbers[0]);
    if (cell.kind != REFERENCE_ELEMENTS || answer->count != 1 || cell.index_count == 0)
        return error_set(err, TELL(CELL_NAMED));
    *answer = (ReferenceValue){.count = cell.index_count};
    for (int i = 0; i < cell.index_count; i++) {
        answer->numbers[i] = (double)cell.index[i];
        text_add(answer->text, sizeof answer->text, i == 0 ? "[%td" : ", %td", cell.index[i]);
    }
    text_add(answer->text, sizeof answer->text, "]");
    return true;
}

// The position of the cursor, if it is in the question's tensor.
static bool read_cursor(const Session *session, Typed *typed, Error *err)
{
    Reference cell;
    const TraceTensor *tensor = session_tensor(session);
    if (!reference_parse(question_text(session->lecture)->answer, &cell, err))
        return false;
    if (strcmp(tensor->name, cell.tensor) != 0)
        return error_set(err, "%s%s", open_lecture_says(session->lecture, WORD_ASK_CELL),
                         cell.tensor);
    const SessionView *view = session_view(session);
    for (int axis = 0; axis < tensor->tensor.rank; axis++)
        typed->numbers[typed->count++] = (double)view->at[axis];
    return true;
}

static bool read_cell(const Session *session, const char *text, Typed *typed, Error *err)
{
    if (question_is_word(text, WORD_HERE))
        return read_cursor(session, typed, err);
    return question_numbers(session, text, typed, err);
}

static Verdict cell_judge(const OpenLecture *open, const Typed *typed, const ReferenceValue *answer)
{
    (void)open;
    bool rows = typed->count == 2 && answer->count > 2;
    bool same = question_matches(typed, answer, rows ? answer->count - 2 : 0, 0);
    return same ? VERDICT_RIGHT : VERDICT_WRONG;
}

const Question question_cell = {
    .form = WORD_FORM_CELL,
    .paper = WORD_FORM_CELL_PAPER,
    .hint = WORD_HINT_CELL,
    .answer = cell_answer_of,
    .read = read_cell,
    .judge = cell_judge,
    .typed = WORD_HERE,
};

// --- the mistake behind wrong numbers
//
// The numbers are of a run whose name the page hides.

static const char *cause_choice(const OpenLecture *open, int number,
                                char text[OPEN_LECTURE_CHOICE_MAX])
{
    (void)text;
    const char *behind = behind_line(open, number);
    const Mistake *mistake = behind ? mistake_find(behind) : NULL;
    return mistake ? mistake->words[language_beside(open->lecture->language)].title : behind;
}

static bool makes_the_same(const Mistake *a, const Mistake *b)
{
    return a == b || (a->same_as && strcmp(a->same_as, b->name) == 0) ||
           (b->same_as && strcmp(b->same_as, a->name) == 0);
}

static bool cause_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = question_text(open);
    if (!open->hidden)
        return error_set(err, TELL(CAUSE_NOT_HIDDEN));
    for (int i = 0; i < question->choice_count; i++) {
        if (!mistake_find(question->behind[i]))
            return error_set(err, TELL(OPEN_LECTURE_NO_MISTAKE), question->behind[i]);
        if (makes_the_same(mistake_find(question->behind[i]), open->hidden)) {
            if (answer->count == 1)
                return error_set(err, TELL(CAUSE_TWICE), question->behind[i]);
            question_choose(answer, i);
        }
    }
    return answer->count == 1 || error_set(err, TELL(CAUSE_LACKS), open->hidden->name);
}

static bool cause_over(Session *session, Error *err)
{
    (void)err;
    comparison_reveal(session);
    return true;
}

const Question question_cause = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_CAUSE,
    .single = true,
    .answer = cause_answer_of,
    .choice = cause_choice,
    .over = cause_over,
};

// --- predict the effect of a change
//
// The answer comes from the page's run and the same with the change.

enum { GROWS, FALLS, STAYS, NO_NUMBER, OUTCOMES };

static const char *experiment_choice(const OpenLecture *open, int number,
                                     char text[OPEN_LECTURE_CHOICE_MAX])
{
    static const OpenLectureWord outcomes[OUTCOMES] = {WORD_GROWS, WORD_FALLS, WORD_STAYS,
                                                       WORD_NO_NUMBER};
    (void)text;
    return number < OUTCOMES ? open_lecture_says(open, outcomes[number]) : NULL;
}

static bool experiment_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference reference;
    ReferenceValue before, after;
    if (!read_reference(open, &reference, &before, err))
        return false;
    snprintf(reference.scenario, sizeof reference.scenario, "%s", OPEN_LECTURE_CHANGED);
    if (!open_lecture_value(open, &reference, &after, err))
        return false;
    if (before.count != 1 || after.count != 1)
        return error_set(err, TELL(EXPERIMENT_SINGLE));
    double was = before.numbers[0], is = after.numbers[0];
    int outcome = isnan(is) && !isnan(was) ? NO_NUMBER
                  : is > was               ? GROWS
                  : is < was               ? FALLS
                                           : STAYS;
    question_choose(answer, outcome);
    snprintf(answer->text, sizeof answer->text, "%d (%.40s \u2192 %.40s)", outcome + 1, before.text,
             after.text);
    return true;
}

static const char *experiment_shows(const OpenLecture *open, char text[OPEN_LECTURE_CHOICE_MAX])
{
    (void)text;
    return question_text(open)->change;
}

// Makes the change: an element in this run, anything else in the run beside.
static bool experiment_over(Session *session, Error *err)
{
    char words[OPEN_LECTURE_CHOICE_MAX + 16];
    const char *change = question_text(session->lecture)->change;
    snprintf(words, sizeof words, "%s %s", open_lecture_changes_element(change) ? "set" : "compare",
             change);
    return open_lecture_do(session, words, err);
}

const Question question_experiment = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_EXPERIMENT,
    .single = true,
    .answer = experiment_answer_of,
    .choice = experiment_choice,
    .shows = experiment_shows,
    .over = experiment_over,
};

// --- an index: a head, a row, a position

const Question question_head = {
    .form = WORD_FORM_INDEX,
    .hint = WORD_HINT_INDEX,
    .single = true,
    .read = question_index,
};

// --- the one false claim

static bool line_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = question_text(open);
    int wrong = -1, count = 0;
    for (int i = 0; i < question->choice_count; i++) {
        Claim claim;
        bool holds;
        if (!claim_parse(question->behind[i], &claim, err) ||
            !open_lecture_claim(open, &claim, &holds, err))
            return false;
        wrong = holds ? wrong : i;
        count += !holds;
    }
    if (count != 1)
        return error_set(err, TELL(LINE_ONE_WRONG), count);
    question_choose(answer, wrong);
    return true;
}

const Question question_line = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_LINE,
    .single = true,
    .answer = line_answer_of,
};

// --- a shape: "3 by 4"

// True if the question is about the shape of a tensor with a batch of one as its first axis.
static bool has_batch_of_one(const OpenLecture *open, const ReferenceValue *answer)
{
    Reference reference;
    Error err;
    char axis[16];
    const Trace *trace = open_lecture_run(open);
    if (answer->count < 2 || answer->numbers[0] != 1)
        return false;
    if (!reference_parse(question_text(open)->answer, &reference, &err) ||
        reference.kind != REFERENCE_SHAPE || reference.scenario[0])
        return false;
    int tensor = trace_find(trace, reference.tensor);
    return tensor >= 0 && trace_axis(trace, tensor, 0, axis) && strcmp(axis, "B") == 0;
}

static Verdict shape_judge(const OpenLecture *open, const Typed *typed,
                           const ReferenceValue *answer)
{
    if (question_matches(typed, answer, 0, 0))
        return VERDICT_RIGHT;
    bool without = has_batch_of_one(open, answer) && question_matches(typed, answer, 1, 0);
    return without ? VERDICT_WITHOUT_BATCH : VERDICT_WRONG;
}

static const char *shape_say_hint(const OpenLecture *open, const Typed *typed,
                                  const ReferenceValue *answer, char text[QUESTION_HINT_MAX])
{
    if (typed->count == answer->count)
        return open_lecture_says(open, WORD_HINT_SHAPE);
    snprintf(text, QUESTION_HINT_MAX, "%s%d.", open_lecture_says(open, WORD_HINT_AXES),
             answer->count);
    return text;
}

const Question question_shape = {
    .form = WORD_FORM_SHAPE,
    .read = question_numbers,
    .judge = shape_judge,
    .say_hint = shape_say_hint,
};

// --- a step

static int question_step(const Trace *trace, const char *name, Error *err)
{
    int step = trace_find_step(trace, name);
    if (step < 0)
        error_set(err, TELL(NO_STEP_CALLED), trace->scenario->name, name);
    return step;
}

// --- the line of PyTorch that makes a tensor

static const char *code_choice(const OpenLecture *open, int number,
                               char text[OPEN_LECTURE_CHOICE_MAX])
{
    const char *behind = behind_line(open, number);
    int step = behind ? trace_find_step(open_lecture_run(open), behind) : -1;
    return step < 0 ? behind : trace_torch(open_lecture_run(open), step, text);
}

static bool code_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference reference;
    const Trace *trace = open_lecture_run(open);
    const LectureQuestion *question = question_text(open);
    if (!reference_parse(question->answer, &reference, err))
        return false;
    int tensor = trace_find(trace, reference.tensor);
    for (int i = 0; i < question->choice_count; i++) {
        int step = question_step(trace, question->behind[i], err);
        if (step < 0)
            return false;
        if (tensor >= 0 && trace->tensors[tensor].step == step)
            question_choose(answer, i);
    }
    return answer->count == 1 || error_set(err, TELL(NO_STEP_MAKES), question->answer);
}

const Question question_code = {
    .form = WORD_FORM_LINE,
    .hint = WORD_HINT_CODE,
    .single = true,
    .answer = code_answer_of,
    .choice = code_choice,
};

// --- steps of the pipeline, out of order

static const char *order_choice(const OpenLecture *open, int number,
                                char text[OPEN_LECTURE_CHOICE_MAX])
{
    (void)text;
    return behind_line(open, number);
}

static bool order_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = question_text(open);
    int steps[QUESTION_CHOICES_MAX];
    for (int i = 0; i < question->choice_count; i++) {
        steps[i] = question_step(open_lecture_run(open), question->behind[i], err);
        if (steps[i] < 0)
            return false;
    }
    for (int step = 0; step < open->whole.step_count; step++)
        for (int i = 0; i < question->choice_count; i++)
            if (steps[i] == step) {
                text_add(answer->text, sizeof answer->text, answer->count ? " %d" : "%d", i + 1);
                answer->numbers[answer->count++] = i + 1;
            }
    return true;
}

static bool read_order(const Session *session, const char *text, Typed *typed, Error *err)
{
    const OpenLecture *open = session->lecture;
    int count = question_text(open)->choice_count;
    bool seen[QUESTION_CHOICES_MAX + 1] = {false};
    if (!question_numbers(session, text, typed, err))
        return false;
    bool good = typed->count == count;
    for (int i = 0; good && i < count; i++) {
        double number = typed->numbers[i];
        good = number >= 1 && number <= count && number == floor(number) && !seen[(int)number];
        if (good)
            seen[(int)number] = true;
    }
    return good || error_set(err, "%s1-%d", open_lecture_says(open, WORD_ASK_ORDER), count);
}

const Question question_order = {
    .form = WORD_FORM_ORDER,
    .hint = WORD_HINT_ORDER,
    .answer = order_answer_of,
    .read = read_order,
    .choice = order_choice,
};

// --- a claim: true or false

static bool claim_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Claim claim;
    bool holds;
    if (!claim_parse(question_text(open)->answer, &claim, err) ||
        !open_lecture_claim(open, &claim, &holds, err))
        return false;
    answer->numbers[answer->count++] = holds;
    snprintf(answer->text, sizeof answer->text, "%s",
             open_lecture_says(open, holds ? WORD_TRUE : WORD_FALSE));
    return true;
}

// 1 true, 0 false, -1 neither.
static int truth_of(const char *text)
{
    static const char *const words[2][12] = {
        {"false", "f", "no", "n", "x", "거짓", "거짓입니다", "틀리다", "틀립니다", "아니요",
         "아니오"},
        {"true", "t", "yes", "y", "o", "참", "참입니다", "맞다", "맞습니다", "맞아요", "네", "예"},
    };
    for (int truth = 0; truth < 2; truth++)
        for (size_t i = 0; i < sizeof words[0] / sizeof *words[0] && words[truth][i]; i++)
            if (strcasecmp(text, words[truth][i]) == 0)
                return truth;
    return -1;
}

static bool read_truth(const Session *session, const char *text, Typed *typed, Error *err)
{
    int truth = truth_of(text);
    typed->numbers[typed->count++] = truth;
    return truth >= 0 || error_set(err, "%s", open_lecture_says(session->lecture, WORD_ASK_TRUTH));
}

const Question question_true_false = {
    .form = WORD_FORM_TRUTH,
    .hint = WORD_HINT_VALUE,
    .decides = true,
    .answer = claim_answer_of,
    .read = read_truth,
};

// --- one number of a shape: "(1, 3, ?, 4)"

static bool unknown_answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    ReferenceValue whole;
    int unknown = question_text(open)->unknown;
    if (!question_reference(open, &whole, err))
        return false;
    if (unknown >= whole.count)
        return error_set(err, TELL(NO_AXIS), unknown, whole.text);
    answer->numbers[0] = whole.numbers[unknown];
    answer->count = 1;
    snprintf(answer->text, sizeof answer->text, "%.0f", answer->numbers[0]);
    return true;
}

static const char *unknown_shows(const OpenLecture *open, char text[OPEN_LECTURE_CHOICE_MAX])
{
    ReferenceValue whole;
    Error err;
    if (!question_reference(open, &whole, &err))
        return NULL;
    text[0] = '\0';
    for (int i = 0; i < whole.count; i++) {
        text_add(text, OPEN_LECTURE_CHOICE_MAX, i == 0 ? "(" : ", ");
        if (i == question_text(open)->unknown)
            text_add(text, OPEN_LECTURE_CHOICE_MAX, "?");
        else
            text_add(text, OPEN_LECTURE_CHOICE_MAX, "%.0f", whole.numbers[i]);
    }
    return text_add(text, OPEN_LECTURE_CHOICE_MAX, ")");
}

static bool read_one(const Session *session, const char *text, Typed *typed, Error *err)
{
    return question_numbers(session, text, typed, err) &&
           (typed->count == 1 ||
            error_set(err, "%s", open_lecture_says(session->lecture, WORD_ASK_ONE)));
}

const Question question_unknown = {
    .form = WORD_FORM_UNKNOWN,
    .hint = WORD_HINT_UNKNOWN,
    .single = true,
    .answer = unknown_answer_of,
    .read = read_one,
    .shows = unknown_shows,
};

// --- a number
//
// Right if it rounds to the decimals typed.

static double allowed_error(const Typed *typed)
{
    int decimals = typed->decimals < 4 ? typed->decimals : 4;
    return decimals == 0 ? 0.0005 : 0.5 * pow(10, -decimals) + 1e-6;
}

static Verdict value_judge(const OpenLecture *open, const Typed *typed,
                           const ReferenceValue *answer)
{
    (void)open;
    return question_matches(typed, answer, 0, allowed_error(typed)) ? VERDICT_RIGHT : VERDICT_WRONG;
}

static const char *value_say_hint(const OpenLecture *open, const Typed *typed,
                                  const ReferenceValue *answer, char text[QUESTION_HINT_MAX])
{
    (void)text;
    bool mirrored = typed->count == 1 && answer->count == 1 &&
                    fabs(typed->numbers[0] + answer->numbers[0]) <= allowed_error(typed);
    return open_lecture_says(open, mirrored ? WORD_HINT_SIGN : WORD_HINT_VALUE);
}

const Question question_value = {
    .form = WORD_FORM_VALUE,
    .single = true,
    .read = read_one,
    .judge = value_judge,
    .say_hint = value_say_hint,
};

// --- the zeros of a row

static bool read_places(const Session *session, const char *text, Typed *typed, Error *err)
{
    if (question_is_word(text, WORD_NO_PLACE))
        return true;
    return question_indices(session, text, typed, err);
}

const Question question_zeros = {
    .form = WORD_FORM_ZEROS,
    .hint = WORD_HINT_ZEROS,
    .read = read_places,
};

// --- the kinds, each by its row

#define QUESTION_KIND(NAME, name, ...) extern const Question question_##name;
#include "lecture_kinds.def"

static const Question *const kinds[QUESTION_KINDS] = {
#define QUESTION_KIND(NAME, name, ...) [QUESTION_##NAME] = &question_##name,
#include "lecture_kinds.def"
};

const Question *question_of(const OpenLecture *open)
{
    return kinds[question_text(open)->kind];
}

// --- reading

static bool read_choice(const Session *session, const char *text, Typed *typed, Error *err)
{
    const OpenLecture *open = session->lecture;
    int last = open_lecture_choice_count(open);
    if (!question_numbers(session, text, typed, err))
        return false;
    return (typed->count == 1 && question_in_range(typed, 1, last)) ||
           error_set(err, "%s1-%d", open_lecture_says(open, WORD_ASK_LINE), last);
}

bool open_lecture_read_typed(const Session *session, const char *text, Typed *typed, Error *err)
{
    const Question *question = question_of(session->lecture);
    *typed = (Typed){.count = 0};
    return question->read ? question->read(session, text, typed, err)
                          : read_choice(session, text, typed, err);
}

// --- for panels

const char *open_lecture_answer_form(const OpenLecture *open)
{
    const Question *question = question_of(open);
    return open_lecture_says(open, question ? question->form : WORD_ASKS_NOTHING);
}

const char *open_lecture_answer_form_on_paper(const OpenLecture *open)
{
    const Question *question = question_of(open);
    return question && question->paper ? open_lecture_says(open, question->paper)
                                       : open_lecture_answer_form(open);
}

const char *open_lecture_answer_typed(const OpenLecture *open)
{
    const Question *question = question_of(open);
    return question && question->typed ? open_lecture_says(open, question->typed) : "";
}

const char *open_lecture_choice(const OpenLecture *open, int number,
                                char text[OPEN_LECTURE_CHOICE_MAX])
{
    const Question *question = question_of(open);
    const LectureQuestion *asked = question_text(open);
    if (!question || number < 0)
        return NULL;
    if (question->choice)
        return question->choice(open, number, text);
    return number < asked->choice_count ? asked->lines[number] : NULL;
}

// A place on the axis of an argmax, if it has at most as many as there are digits: "head 1", "singer", "4".
static const char *place_choice(const OpenLecture *open, int number,
                                char text[OPEN_LECTURE_CHOICE_MAX])
{
    Reference reference;
    Error err;
    if (!reference_parse(question_text(open)->answer, &reference, &err) || reference.scenario[0] ||
        reference.kind != REFERENCE_ARGMAX)
        return NULL;
    int tensor = trace_find(&open->whole, reference.tensor), axis = -1;
    const Tensor *whole = tensor < 0 ? NULL : &open->whole.tensors[tensor].tensor;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (int i = 0; whole && i < whole->rank; i++) {
        at[i] = i < reference.index_count ? reference.index[i] : REFERENCE_WHOLE_AXIS;
        axis = at[i] == REFERENCE_WHOLE_AXIS ? i : axis;
    }
    if (axis < 0 || whole->shape[axis] < 2 || whole->shape[axis] > OPEN_LECTURE_VOTES_MAX ||
        number >= whole->shape[axis])
        return NULL;
    at[axis] = number;
    return trace_label(&open->whole, tensor, axis, at, text);
}

const char *open_lecture_poll_choice(const OpenLecture *open, int number,
                                     char text[OPEN_LECTURE_CHOICE_MAX])
{
    switch (question_text(open)->kind) {
    case QUESTION_TRUE_FALSE:
        return number == 0   ? open_lecture_says(open, WORD_TRUE)
               : number == 1 ? open_lecture_says(open, WORD_FALSE)
                             : NULL;
    case QUESTION_HEAD:
        return place_choice(open, number, text);
    default:
        return open_lecture_choice(open, number, text);
    }
}

int open_lecture_poll_first(const OpenLecture *open)
{
    return question_text(open)->kind != QUESTION_HEAD;
}

int open_lecture_choice_count(const OpenLecture *open)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    int count = 0;
    while (open_lecture_choice(open, count, text))
        count++;
    return count;
}

// --- the answer

bool open_lecture_asks(const OpenLecture *open, Error *err)
{
    if (!open)
        return error_set(err, TELL(ANSWER_NO_LECTURE));
    bool is_last = open->page == open->lecture->page_count - 1;
    return open_lecture_page(open)->question.kind != QUESTION_NONE ||
           error_set(
               err, "%s",
               open_lecture_says(open, is_last ? WORD_ASKS_NOTHING_AT_THE_END : WORD_ASKS_NOTHING));
}

bool open_lecture_answer(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const Question *question = question_of(open);
    *answer = (ReferenceValue){.count = 0};
    return open_lecture_asks(open, err) &&
           (question->answer ? question->answer(open, answer, err)
                             : question_reference(open, answer, err));
}

OpenLectureScore open_lecture_score(const OpenLecture *open)
{
    OpenLectureScore score = {.questions = 0};
    for (int i = 0; i < open->lecture->page_count; i++) {
        score.questions += open->lecture->pages[i].question.kind != QUESTION_NONE;
        score.right += open->marks[i] == PAGE_RIGHT;
        score.later += open->marks[i] == PAGE_LATER;
    }
    return score;
}

// --- the text about an answer

static LectureSpan *strong(OpenLecture *open, const char *text, Error *err)
{
    LectureSpan *span = arena_take(&open->arena, 1, sizeof *span, err);
    if (span)
        *span = (LectureSpan){.kind = SPAN_STRONG, .text = arena_text(&open->arena, text, err)};
    return span && span->text ? span : NULL;
}

bool open_lecture_say(OpenLecture *open, const char *first, const LectureSpan *explanation,
                      const char *last, Error *err)
{
    LectureBlock *block = arena_take(&open->arena, 1, sizeof *block, err);
    LectureSpan *span = block ? strong(open, first, err) : NULL, **end = span ? &span->next : NULL;
    if (!span)
        return false;
    *end = open_lecture_fill(open, explanation, err);
    while (*end)
        end = &(*end)->next;
    *end = strong(open, last, err);
    *block = (LectureBlock){.kind = BLOCK_PARAGRAPH, .spans = span};
    open->said = block;
    return true;
}

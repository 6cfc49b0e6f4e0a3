// relation_input_change: see relation_input_change.h.
#include "relation_input_change.h"

#include <math.h>
#include "relation_words.h"

enum {
    NEGATED,
    ABSOLUTE,
    POSITIVE,
    SQUARED,
    CUT,        // to whole numbers
    NORMALISED, // each row by its length
    ONES,
    ZEROS,
    INVERTED,   // of flags
    RAW,        // in the order of memory
    RAW_FROM_0, // of the storage, whatever the offset
    FIRST,      // from here on along an axis
    NEXT,
    BEFORE,
    NEXT_TO_LAST, // which keeps its own
    BEFORE_TO_FIRST,
    REVERSED,
    WITHOUT_FIRST, // 0 there
    WITHOUT_LAST,
    TURNED, // two axes of one length
    FORMS,
    SYMBOLS = 64,
};

static bool applies(const Tensor *input, InputChange change)
{
    bool is_flag = input->dtype == DTYPE_BOOL, is_number = input->dtype == DTYPE_F32;
    switch (change.form) {
    case NEGATED:
    case ABSOLUTE:
    case POSITIVE:
    case SQUARED:
    case CUT:
        return is_number;
    case NORMALISED:
        return is_number && input->rank > 1;
    case ONES:
    case ZEROS:
        return is_number || is_flag;
    case INVERTED:
        return is_flag;
    case RAW:
        return !tensor_is_contiguous(input) &&
               tensor_span(input) - input->offset >= tensor_count(input);
    case RAW_FROM_0:
        return input->offset > 0 && tensor_span(input) >= tensor_count(input);
    case TURNED:
        return input->shape[change.axis] > 1 &&
               input->shape[change.axis] == input->shape[change.other];
    case WITHOUT_FIRST:
    case WITHOUT_LAST:
        return is_number && input->shape[change.axis] > 1;
    default:
        return input->shape[change.axis] > 1;
    }
}

// The change of this number, whether it applies or not: first the forms of no axis, then those of each
// axis, then the pairs of axes. False beyond the last.
static bool change_of(int rank, int number, InputChange *change)
{
    int along = TURNED - FIRST, pairs = number - FIRST - along * rank;
    if (number < FIRST)
        *change = (InputChange){number, -1, -1};
    else if (pairs < 0)
        *change = (InputChange){FIRST + (number - FIRST) % along, (number - FIRST) / along, -1};
    else if (pairs < rank * rank)
        *change = (InputChange){TURNED, pairs / rank, pairs % rank};
    else
        return false;
    return true;
}

bool input_change_get(const Tensor *input, int number, InputChange *change)
{
    InputChange one;
    for (int i = 0; change_of(input->rank, i, &one); i++)
        if ((one.form != TURNED || one.axis < one.other) && applies(input, one) && number-- == 0) {
            *change = one;
            return true;
        }
    return false;
}

static double value_of(int form, double x)
{
    switch (form) {
    case NEGATED:
        return -x;
    case ABSOLUTE:
        return fabs(x);
    case POSITIVE:
        return x > 0.0 ? x : 0.0;
    case SQUARED:
        return x * x;
    case CUT:
        return trunc(x);
    case ONES:
        return 1.0;
    case ZEROS:
        return 0.0;
    case INVERTED:
        return 1.0 - x;
    default:
        return x;
    }
}

// Where the number that stands at `at` comes from.
static void move(const Tensor *input, InputChange change, const ptrdiff_t at[], ptrdiff_t from[])
{
    for (int axis = 0; axis < input->rank; axis++)
        from[axis] = at[axis];
    if (change.axis < 0)
        return;
    ptrdiff_t length = input->shape[change.axis], index = at[change.axis];
    switch (change.form) {
    case FIRST:
        from[change.axis] = 0;
        return;
    case NEXT:
        from[change.axis] = (index + 1) % length;
        return;
    case BEFORE:
        from[change.axis] = (index + length - 1) % length;
        return;
    case NEXT_TO_LAST:
        from[change.axis] = index + 1 < length ? index + 1 : index;
        return;
    case BEFORE_TO_FIRST:
        from[change.axis] = index > 0 ? index - 1 : 0;
        return;
    case REVERSED:
        from[change.axis] = length - 1 - index;
        return;
    case WITHOUT_FIRST:
    case WITHOUT_LAST:
        return;
    default:
        from[change.axis] = at[change.other];
        from[change.other] = index;
    }
}

// Whether what stands there is left out.
static bool is_without(const Tensor *input, InputChange change, const ptrdiff_t at[])
{
    return (change.form == WITHOUT_FIRST && at[change.axis] == 0) ||
           (change.form == WITHOUT_LAST && at[change.axis] == input->shape[change.axis] - 1);
}

static double length_of_row(const Tensor *input, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = input->rank - 1;
    double squares = 0.0;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < input->shape[last]; place[last]++)
        squares += tensor_number(input, place) * tensor_number(input, place);
    return sqrt(squares);
}

static void put(Tensor *tensor, ptrdiff_t place, double number)
{
    if (tensor->dtype == DTYPE_F32)
        tensor->storage.f32[place] = (float)number;
    else if (tensor->dtype == DTYPE_I64)
        tensor->storage.i64[place] = (int64_t)number;
    else
        tensor->storage.boolean[place] = number != 0.0;
}

bool input_change_make(const Tensor *input, InputChange change, Arena *arena, Tensor *changed,
                       Error *err)
{
    Tensor from = *input;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    if (change.form == RAW || change.form == RAW_FROM_0) {
        from = tensor_over(input->storage.bytes, input->dtype, input->rank, input->shape);
        from.offset = change.form == RAW ? input->offset : 0;
    }
    if (!tensor_take(arena, input->dtype, input->rank, input->shape, changed, err))
        return false;
    do {
        ptrdiff_t source[TENSOR_RANK_MAX];
        move(&from, change, at, source);
        double number = is_without(input, change, at) ? 0.0 : tensor_number(&from, source);
        if (change.form == NORMALISED)
            number /= length_of_row(&from, at);
        put(changed, place++, value_of(change.form, number));
    } while (tensor_next(changed, at));
    return true;
}

int input_change_code(InputChange change, const char *axes)
{
    const RelationCase input = {.axes = axes ? axes : ""};
    int axis = change.axis < 0 ? 0 : (int)relation_axis_named(&input, change.axis);
    int other = change.other < 0 ? 0 : (int)relation_axis_named(&input, change.other);
    return (change.form * SYMBOLS + axis) * SYMBOLS + other;
}

bool input_change_is_doubtful(const Tensor *input, InputChange change)
{
    return change.form >= NEXT && change.form <= REVERSED && input->shape[change.axis] == 2;
}

bool input_change_leaves_out(InputChange change)
{
    return change.form == WITHOUT_FIRST || change.form == WITHOUT_LAST;
}

int input_change_opposite(int code)
{
    int form = code / SYMBOLS / SYMBOLS, axes = code % (SYMBOLS * SYMBOLS);
    form = form == NEXT ? BEFORE : form == BEFORE ? NEXT : form;
    return form * SYMBOLS * SYMBOLS + axes;
}

void input_change_say_either(int code, const char *input, const char *opposite, Language language,
                             char text[RELATION_TEXT_MAX])
{
    static const Words shifted = ROW(CHANGED_SHIFTED);
    char both[128];
    bool is_next = code / SYMBOLS / SYMBOLS == NEXT;
    if (input_change_opposite(code) == code) {
        words_format(both, sizeof both, TELL_IN(language, EITHER_INPUT), input, opposite);
        input_change_say(code, both, language, text);
        return;
    }
    words_format(text, RELATION_TEXT_MAX, shifted.in[language], is_next ? opposite : input,
                 is_next ? input : opposite,
                 relation_axis_word((Symbol)(code / SYMBOLS % SYMBOLS), language));
}

void input_change_say(int code, const char *input, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[FORMS] = {
        [NEGATED] = ROW(CHANGED_NEGATED),
        [ABSOLUTE] = ROW(CHANGED_ABSOLUTE),
        [POSITIVE] = ROW(CHANGED_POSITIVE),
        [SQUARED] = ROW(CHANGED_SQUARED),
        [CUT] = ROW(CHANGED_CUT),
        [ONES] = ROW(CHANGED_ONES),
        [ZEROS] = ROW(CHANGED_ZEROS),
        [INVERTED] = ROW(CHANGED_INVERTED),
        [RAW] = ROW(CHANGED_RAW),
        [RAW_FROM_0] = ROW(CHANGED_RAW_FROM_0),
        [FIRST] = ROW(CHANGED_FIRST),
        [NEXT] = ROW(CHANGED_NEXT),
        [BEFORE] = ROW(CHANGED_BEFORE),
        [NORMALISED] = ROW(CHANGED_NORMALISED),
        [NEXT_TO_LAST] = ROW(CHANGED_NEXT_TO_LAST),
        [BEFORE_TO_FIRST] = ROW(CHANGED_BEFORE_TO_FIRST),
        [REVERSED] = ROW(CHANGED_REVERSED),
        [WITHOUT_FIRST] = ROW(CHANGED_WITHOUT_FIRST),
        [WITHOUT_LAST] = ROW(CHANGED_WITHOUT_LAST),
        [TURNED] = ROW(CHANGED_TURNED),
    };
    Symbol axis = (Symbol)(code / SYMBOLS % SYMBOLS), other = (Symbol)(code % SYMBOLS);
    words_format(text, RELATION_TEXT_MAX, sentences[code / SYMBOLS / SYMBOLS].in[language], input,
                 relation_axis_word(axis, language), relation_axis_word(other, language));
}

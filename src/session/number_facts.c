// Facts about a tensor's numbers; see number_facts.h.
#include "number_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session_words.def"

// --- words

static const struct {
    const char *word;
    ConditionKind kind;
    bool compares; // with the number that follows
} spellings[] = {
    {">=", CONDITION_AT_LEAST, true},      {"<=", CONDITION_AT_MOST, true},
    {"!=", CONDITION_OTHER, true},         {"=", CONDITION_EQUAL, true},
    {">", CONDITION_ABOVE, true},          {"<", CONDITION_BELOW, true},
    {"nan", CONDITION_NAN, false},         {"infinity", CONDITION_INFINITE, false},
    {"inf", CONDITION_INFINITE, false},    {"masked", CONDITION_MASKED, false},
    {"largest", CONDITION_LARGEST, false}, {"smallest", CONDITION_SMALLEST, false},
};

enum { SPELLINGS = sizeof spellings / sizeof *spellings };

static bool read_number(const char *text, double *number, Error *err)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || end[strspn(end, " \t")] != '\0')
        return error_set(err, TELL(CONDITION_NUMBER), text);
    if (isnan(*number))
        return error_set(err, TELL(CONDITION_NAN));
    return true;
}

// Half of the last place typed: 0.00005 for "0.4010", 0 for "4" (exact).
static double half_of_last_place(const char *text)
{
    const char *point = strchr(text, '.');
    if (!point)
        return 0.0;
    size_t decimals = strspn(point + 1, "0123456789");
    const char *after = point + 1 + decimals;
    long exponent = *after == 'e' || *after == 'E' ? strtol(after + 1, NULL, 10) : 0;
    return 0.5 * pow(10.0, (double)exponent - (double)decimals);
}

bool condition_parse(const char *text, Condition *condition, Error *err)
{
    *condition = (Condition){.kind = CONDITION_NONE};
    text += strspn(text, " \t");
    for (size_t i = 0; i < SPELLINGS; i++) {
        size_t length = strlen(spellings[i].word);
        const char *rest = text + length;
        if (strncmp(text, spellings[i].word, length) != 0)
            continue;
        rest += spellings[i].kind == CONDITION_EQUAL && *rest == '='; // == is the same
        rest += strspn(rest, " \t");
        if (!spellings[i].compares && *rest != '\0')
            break;
        condition->kind = spellings[i].kind;
        condition->half_unit = spellings[i].compares ? half_of_last_place(rest) : 0.0;
        return !spellings[i].compares || read_number(rest, &condition->number, err);
    }
    Error no_number;
    if (read_number(text, &condition->number, &no_number)) {
        condition->kind = CONDITION_EQUAL;
        condition->half_unit = half_of_last_place(text);
        return true;
    }
    return error_set(err, TELL(CONDITION_UNKNOWN), text);
}

const char *condition_text(Condition condition, char text[CONDITION_TEXT_MAX])
{
    text[0] = '\0';
    for (size_t i = 0; i < SPELLINGS && !text[0]; i++)
        if (spellings[i].kind == condition.kind) {
            snprintf(text, CONDITION_TEXT_MAX, "%s", spellings[i].word);
            if (spellings[i].compares)
                snprintf(text, CONDITION_TEXT_MAX, "%s %.15g", spellings[i].word, condition.number);
        }
    return text;
}

// --- elements

// Allows slightly more than half a place, because 0.40105 lies between two floats.
static bool is_written_so(Condition condition, double value)
{
    return value == condition.number ||
           fabs(value - condition.number) <= condition.half_unit * (1.0 + 1e-9);
}

static bool compares(Condition condition, double value)
{
    switch (condition.kind) {
    case CONDITION_ABOVE:
        return value > condition.number;
    case CONDITION_BELOW:
        return value < condition.number;
    case CONDITION_AT_LEAST:
        return value >= condition.number;
    case CONDITION_AT_MOST:
        return value <= condition.number;
    case CONDITION_EQUAL:
        return is_written_so(condition, value);
    case CONDITION_OTHER:
        return !is_written_so(condition, value);
    case CONDITION_NAN:
        return isnan(value);
    case CONDITION_INFINITE:
        return isinf(value);
    default:
        return false;
    }
}

// The condition "= extreme"; NaN, which nothing equals, if there is no number.
static Condition equal_to_extreme(Condition condition, const Tensor *tensor)
{
    double sign = condition.kind == CONDITION_LARGEST ? 1.0 : -1.0, extreme = (double)NAN;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at)) {
        double value = tensor_number(tensor, at);
        if (!isnan(value) && (isnan(extreme) || sign * value > sign * extreme))
            extreme = value;
    }
    return (Condition){.kind = CONDITION_EQUAL, .number = extreme};
}

ConditionMatches condition_matches(Condition condition, const Trace *trace, int number,
                                   ptrdiff_t after)
{
    const Tensor *tensor = &trace->tensors[number].tensor;
    TraceMarks marks = trace_marks(trace, number);
    ConditionMatches matches = {.first = -1, .next = -1};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, element = 0;
    if (tensor->dtype == DTYPE_F32)
        condition.number = (double)(float)condition.number;
    if (condition.kind == CONDITION_LARGEST || condition.kind == CONDITION_SMALLEST)
        condition = equal_to_extreme(condition, tensor);
    for (bool more = tensor_count(tensor) > 0; more; more = tensor_next(tensor, at), element++) {
        bool match = condition.kind == CONDITION_MASKED
                         ? trace_mark_at(&marks, at) == TRACE_MASKED
                         : compares(condition, tensor_number(tensor, at));
        if (!match)
            continue;
        if (matches.count == 0)
            matches.first = element;
        if (matches.next < 0 && element > after) {
            matches.next = element;
            matches.order = matches.count;
        }
        matches.count++;
    }
    return matches;
}

// --- statistics

// Updates mean and squared distances in one pass, without the cancellation of sums of squares.
// Source: Welford 1962.
static void take_in(Summary *summary, double value, double *squares)
{
    summary->nan += isnan(value);
    summary->infinite += isinf(value) != 0;
    if (!isfinite(value))
        return;
    summary->finite++;
    bool first = summary->finite == 1;
    summary->smallest = first || value < summary->smallest ? value : summary->smallest;
    summary->largest = first || value > summary->largest ? value : summary->largest;
    double before = value - summary->mean;
    summary->mean += before / (double)summary->finite;
    *squares += before * (value - summary->mean);
}

Summary statistics_of(const Tensor *part, const ptrdiff_t base[], const TraceMarks *marks)
{
    Summary summary = {.count = tensor_count(part)};
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, whole[TENSOR_RANK_MAX] = {0};
    double squares = 0.0;
    for (bool more = summary.count > 0; more; more = tensor_next(part, at)) {
        for (int axis = 0; axis < part->rank; axis++)
            whole[axis] = base[axis] + at[axis];
        summary.masked += trace_mark_at(marks, whole) == TRACE_MASKED;
        take_in(&summary, tensor_number(part, at), &squares);
    }
    summary.deviation =
        summary.finite > 1 ? sqrt(squares / (double)(summary.finite - 1)) : (double)NAN;
    return summary;
}

double statistics_row_sum(const Tensor *weights, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = weights->rank - 1;
    double sum = 0.0;
    memcpy(place, at, sizeof place);
    for (place[last] = 0; place[last] < weights->shape[last]; place[last]++)
        sum += (double)weights->storage.f32[tensor_place(weights, place)];
    return sum;
}

RowSums statistics_row_sums(const Tensor *weights)
{
    RowSums sums = {0};
    Tensor rows = tensor_narrow(weights, weights->rank - 1, 0, 1);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(weights) > 0; more; more = tensor_next(&rows, at)) {
        double sum = statistics_row_sum(weights, at);
        sums.rows++;
        sums.nan += isnan(sum);
        bool first = sums.rows == sums.nan + 1;
        if (isnan(sum))
            continue;
        sums.smallest = first || sum < sums.smallest ? sum : sums.smallest;
        sums.largest = first || sum > sums.largest ? sum : sums.largest;
    }
    return sums;
}

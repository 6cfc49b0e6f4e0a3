// Relations of the encoding of positions.
#include <math.h>
#include "relation_tools.h"

// --- angles
//
// Of the encoding of positions: sines and cosines stand where they belong, but of other angles: those
// of another base or width, the right ones times a number, or any others.

enum {
    ANGLES_BASE,
    WIDTH,
    TO_DEGREES,
    TO_RADIANS,
    TIMES,
    OTHER
}; // reading.a; reading.number is the base, what is added to the width, or the factor

static const double pi = 3.141592653589793, right_base = 10000.0, tolerance = 1e-4;

// The encoding that was added to an embedding.
static double given(const RelationCase *what, ptrdiff_t b, ptrdiff_t l, ptrdiff_t d)
{
    const ptrdiff_t at[] = {b, l, d};
    return tensor_number(what->wrong, at) - tensor_number(&what->given->in[0], at);
}

static double right_angle(const RelationCase *what, ptrdiff_t l, ptrdiff_t d)
{
    return (double)l / pow(right_base, (double)(d - d % 2) / (double)what->known->shape[2]);
}

// What it is an angle of, at position 1, by both columns of a pair: in (-pi, pi].
static double given_angle(const RelationCase *what, ptrdiff_t d)
{
    return atan2(given(what, 0, 1, d), given(what, 0, 1, d + 1));
}

// Whether each column is the sine or cosine of such angles: of another base, or times a factor.
static bool has_angles(const RelationCase *what, double base, double factor)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool all = true;
    do {
        double exponent = (double)(at[2] - at[2] % 2) / (double)what->known->shape[2];
        double angle = factor * (double)at[1] / pow(base, exponent);
        double wave = at[2] % 2 == 0 ? sin(angle) : cos(angle);
        all = fabs(given(what, at[0], at[1], at[2]) - wave) < tolerance;
    } while (all && tensor_next(what->known, at));
    return all;
}

static void add(const RelationCase *what, RelationReadings *readings, int a, double number)
{
    const RelationReading reading = {&relation_angles, a, 0, number, NULL};
    if (relation_counts(what, &reading))
        relation_add(what, readings, reading);
}

// Of the second pair the angle tells the base, as the exponent is 2 / width.
static void read_base(const RelationCase *what, RelationReadings *readings)
{
    double angle = given_angle(what, 2), width = (double)what->known->shape[2];
    double base = pow(angle, -width / 2.0);
    double added = -2.0 * log(right_base) / log(angle) - width;
    bool is_whole = fabs(added - round(added)) < tolerance;
    if (!(angle > 0.0 && angle < 1.0) || !has_angles(what, base, 1.0))
        return;
    double digits = pow(10.0, floor(log10(base)) - 3.0); // as many as there are in x
    add(what, readings, ANGLES_BASE, round(base / digits) * digits);
    if (is_whole)
        add(what, readings, WIDTH, round(added));
}

// The angles of the last pair are so small that they are less than a turn; each pair before it is known to less than a
// turn by the one after it.
static double factor_of(const RelationCase *what)
{
    ptrdiff_t last = what->known->shape[2] / 2 * 2 - 2;
    double factor = given_angle(what, last) / right_angle(what, 1, last);
    for (ptrdiff_t d = last - 2; d >= 0; d -= 2) {
        double angle = given_angle(what, d), right = right_angle(what, 1, d);
        factor = (angle + 2.0 * pi * round((factor * right - angle) / (2.0 * pi))) / right;
    }
    return factor;
}

static void read_factor(const RelationCase *what, RelationReadings *readings)
{
    double factor = factor_of(what);
    if (factor == 0.0 || !has_angles(what, right_base, factor))
        return;
    if (fabs(factor - 180.0 / pi) < tolerance)
        add(what, readings, TO_DEGREES, 0.0);
    if (fabs(factor - pi / 180.0) < tolerance)
        add(what, readings, TO_RADIANS, 0.0);
    add(what, readings, TIMES, relation_tidy(factor));
}

// Whether every sequence is given the same encoding.
static bool is_for_all(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool all = true;
    do
        all = fabs(given(what, at[0], at[1], at[2]) - given(what, 0, at[1], at[2])) < tolerance;
    while (all && tensor_next(what->known, at));
    return all;
}

// Whether the columns of each pair are the sine and the cosine of one angle, whichever that is behind the first token.
static bool are_pairs(const RelationCase *what)
{
    bool all = true;
    for (ptrdiff_t d = 0; d < what->known->shape[2]; d++)
        all = all && fabs(given(what, 0, 0, d) - (double)(d % 2)) < tolerance;
    for (ptrdiff_t l = 0; l < what->known->shape[1]; l++)
        for (ptrdiff_t d = 0; d + 1 < what->known->shape[2]; d += 2)
            all = all &&
                  fabs(hypot(given(what, 0, l, d), given(what, 0, l, d + 1)) - 1.0) < tolerance;
    return all;
}

// Whether a column is the sine or cosine of its position times a number.
static bool is_wave(const RelationCase *what, ptrdiff_t d)
{
    double first = fmax(-1.0, fmin(given(what, 0, 1, d), 1.0));
    double steps[2] = {asin(first), pi - asin(first)};
    bool is_sine = d % 2 == 0, fits[2] = {true, true};
    for (int i = 0; i < 2; i++) {
        double step = is_sine ? steps[i] : acos(first);
        for (ptrdiff_t l = 0; l < what->known->shape[1]; l++) {
            double angle = (double)l * step, wave = is_sine ? sin(angle) : cos(angle);
            fits[i] = fits[i] && fabs(given(what, 0, l, d) - wave) < 20.0 * tolerance;
        }
    }
    return fits[0] || fits[1];
}

static bool are_waves(const RelationCase *what)
{
    bool all = true;
    for (ptrdiff_t d = 0; d < what->known->shape[2]; d++)
        all = all && is_wave(what, d);
    return all;
}

static void angles_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "position") || what->known->rank != 3 ||
        what->known->shape[1] < 4 || what->known->shape[2] < 4)
        return;
    read_base(what, readings);
    read_factor(what, readings);
    if (is_for_all(what) && (are_pairs(what) || are_waves(what)))
        add(what, readings, OTHER, 0.0);
}

static void angles_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    char number[32];
    switch (reading->a) {
    case ANGLES_BASE:
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, POSITION_BASE), reading->number);
        break;
    case WIDTH:
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, ANGLES_WIDTH),
                     reading->number < 0.0 ? '-' : '+', fabs(reading->number));
        break;
    case TIMES:
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, ANGLES_TIMES),
                     relation_number(reading->number, number));
        break;
    default:
        words_format(text, RELATION_TEXT_MAX, "%s",
                     reading->a == TO_DEGREES   ? TELL_IN(language, ANGLES_TO_DEGREES)
                     : reading->a == TO_RADIANS ? TELL_IN(language, ANGLES_TO_RADIANS)
                                                : TELL_IN(language, ANGLES_OTHER));
    }
}

const Relation relation_angles = {.name = "angles", .read = angles_read, .say = angles_say};

// Formulas: reading, refusing with a place, computing, terms, printing, edits and the search for one.
// Expected numbers are arithmetic in comments.
#include "formula.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- a small world: q (2,3), k (4,3), scores (2,4), flags, ids

static float q_numbers[] = {1, 2, 3, 4, 5, 6};
static float k_numbers[] = {1, 0, 1, 2, 1, 0, 0, 3, 1, 1, 1, 1};
static float s_numbers[] = {0, 1, 2, 3, 3, 2, 1, -INFINITY};
static int64_t id_numbers[] = {3, 0};

typedef struct World {
    ptrdiff_t q_rows, k_rows, width;
    float *q, *k, *s;
} World;

static const World small_world = {2, 4, 3, q_numbers, k_numbers, s_numbers};

static FormulaThing matrix(float numbers[], ptrdiff_t rows, ptrdiff_t columns, int id)
{
    return (FormulaThing){.kind = FORMULA_TENSOR,
                          .tensor =
                              tensor_over(numbers, DTYPE_F32, 2, (ptrdiff_t[]){rows, columns}),
                          .hidden = -1,
                          .id = id};
}

static FormulaThing read_name(void *context, const char *name)
{
    const World *world = context;
    if (strcmp(name, "q") == 0)
        return matrix(world->q, world->q_rows, world->width, 0);
    if (strcmp(name, "k") == 0)
        return matrix(world->k, world->k_rows, world->width, 1);
    if (strcmp(name, "s") == 0)
        return matrix(world->s, world->q_rows, world->k_rows, 2);
    if (strcmp(name, "ids") == 0)
        return (FormulaThing){.kind = FORMULA_TENSOR,
                              .tensor = tensor_over(id_numbers, DTYPE_I64, 1, (ptrdiff_t[]){2}),
                              .hidden = -1,
                              .id = 3};
    if (strcmp(name, "bias") == 0)
        return (FormulaThing){.kind = FORMULA_ABSENT};
    if (strcmp(name, "d_k") == 0)
        return (FormulaThing){.kind = FORMULA_VALUE, .value = (double)world->width};
    if (strcmp(name, "L") == 0)
        return (FormulaThing){.kind = FORMULA_VALUE, .value = (double)world->q_rows};
    return (FormulaThing){.kind = FORMULA_UNKNOWN};
}

static FormulaThing result_name(void *context, const char *name, bool is_first)
{
    (void)context;
    (void)name;
    (void)is_first;
    return (FormulaThing){.kind = FORMULA_UNKNOWN};
}

static FormulaScope scope_of(const World *world)
{
    return (FormulaScope){read_name, result_name, (void *)world};
}

static Arena arena;
static Formula formula;
static FormulaProgram program;

static bool open_formula(const char *text, Error *err)
{
    FormulaScope scope = scope_of(&small_world);
    return formula_parse(&arena, text, &formula, err) &&
           formula_bind(&arena, &formula, &scope, 1e6, &program, err);
}

static void close_formula(void)
{
    arena_finish(&arena);
}

static double element(const char *text, ptrdiff_t i, ptrdiff_t j)
{
    Error err = {.text = ""};
    ck_assert_msg(open_formula(text, &err) && formula_run(&program, false, &err), "%s: %s", text,
                  err.text);
    ptrdiff_t at[TENSOR_RANK_MAX] = {i, j};
    const Tensor *numbers = &program.results[0].numbers;
    double value = ((const double *)numbers->storage.bytes)[tensor_place(numbers, at)], again;
    ck_assert(formula_element(&program, 0, at, false, &again, &err));
    ck_assert(value == again || (isnan(value) && isnan(again)));
    close_formula();
    return value;
}

typedef struct Value {
    const char *text;
    ptrdiff_t i, j;
    double value;
} Value;

static const Value values[] = {
    {"x[i,j] = sum_d q[i,d] * k[j,d]", 1, 2, 21.0},      // 4*0 + 5*3 + 6*1
    {"x[i,j] = sum_d q[i,d] * k[j,d] / d_k", 1, 2, 7.0}, // every term by 3: 0 + 5 + 2
    {"x[i,j] = (sum_d q[i,d] * k[j,d]) + 1", 0, 0, 5.0}, // 1 + 0 + 3, and 1
    {"x[i,j] = sum_d q[i,d] * k[j,d] + 1", 0, 0, 5.0},   // a sum ends before +
    {"x[i] = mean_d q[i,d]", 1, 0, 5.0},                 // (4 + 5 + 6) / 3
    {"x[i] = max_j s[i,j]", 1, 0, 3.0},                  // -inf is no larger
    {"x[j] = sum_i,d q[i,d] * k[j,d]", 1, 0, 17.0},      // 2 + 2 + 0 and 8 + 5 + 0
    {"x[i,j] = j > i ? -inf : s[i,j]", 0, 1, -INFINITY},
    {"x[i,j] = j > i ? -inf : s[i,j]", 1, 1, 2.0},
    {"x[i,j] = 2 - 3 - 4 + 0*s[i,j]", 0, 0, -5.0}, // from the left
    {"x[i,j] = 2^3^2 + 0*s[i,j]", 0, 0, 512.0},    // 2^9
    {"x[i,j] = -2^2 + 0*s[i,j]", 0, 0, -4.0},
    {"x[i,j] = -7 % 4 + 0*s[i,j]", 0, 0, 1.0}, // -7 = -2*4 + 1
    {"x[i,j] = |i - j| + [i = j] + 0*s[i,0]*k[j,0]", 0, 3, 3.0},
    {"x[i] = q[i, ids[i] % 3]", 0, 0, 1.0}, // id 3: column 0
    {"x[i,d] = q[i,d]  (+ bias[d])", 1, 2, 6.0},
    {"x[i,d] = given(bias) ? bias[d] : q[i,d]", 1, 0, 4.0},
    {"x[i,j] = e[j] * 2; e[m] = s[i,m] + 1", 0, 2, 6.0}, // (2 + 1) * 2
    {"x[i*3 + d] = q[i,d]", 4, 0, 5.0},                  // element 4 is q[1,1]
    {"x[i] = sum_d q[i,d] * [not last(d)]", 0, 0, 3.0},  // 1 + 2
    {"x[i] = sum_d max(q[i,d], 2)", 0, 0, 7.0},          // 2 + 2 + 3
    {"x[i,d] = softmax_i(0*q[i,d])", 1, 2, 0.5},         // two rows
    {"x[i,j] = softmax_j(j > i ? -inf : 0*q[i,0]*k[j,0])", 1, 0, 0.5},
    {"x[i,j] = softmax_j(j > i ? -inf : 0*q[i,0]*k[j,0])", 1, 2, 0.0},
    {"x[i,d] = softmax_d(softmax_d(q[i,d])) * 0 + softmax_i(e[i]); e[n] = 0*q[n,0]", 0, 0, 0.5},
    {"# a remark\nx[i,d] = q[i,d] # another", 0, 1, 2.0},
};

TEST(values_are_those_of_arithmetic_by_hand)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double value = element(values[i].text, values[i].i, values[i].j);
        ck_assert_msg(value == values[i].value, "%s: %.17g", values[i].text, value);
    }
}

typedef struct Refusal {
    const char *text, *message;
} Refusal;

static const Refusal refusals[] = {
    {"x[i,j] = sum_d q[i,d] * k[d,j]", "1:27: axis d has size 4 in k (its axis 1) but 3 in q"},
    {"x[i,j] = s[i,j]\n  + y[i]", "2:5: unknown tensor, axis, size or option 'y'"},
    {"x[i] = q[i]", "1:8: q has shape (2, 3): one index for each axis makes 2, not 1"},
    {"x[i,d] = q[i,d] + bias[d]", "1:19: this case has no tensor 'bias'"},
    {"x[i,j] = s[i,j + 1] + k[j,0]", "1:14: index 2 becomes 4 here, but s has shape (2, 4)"},
    {"x[i,j] = s[i,j] +", "1:18: expected a value, but the formula ends"},
    {"x[i,j] = s[i,j] $ 2", "1:17: formulas have no sign '$'"},
    {"x[i,j] = (s[i,j]", "1:17: expected ')', but the formula ends"},
    {"x[i,j] = softmax_j(s[i,j]", "1:26: expected ')', but the formula ends"},
    {"x[i,j] = foo(s[i,j])", "1:10: unknown function 'foo'"},
    {"x[i,j] = softmax(s[i,j])",
     "1:10: softmax needs an axis: softmax_j, with the axis it runs over"},
    {"x[i] = max(s[i])", "1:8: max needs an axis: max_j, with the axis it runs over"},
    {"x[i,j] = s[i,j] * a; a = b; b = a", "1:33: a is defined in terms of itself"},
    {"x[n] = 1", "1:3: no tensor gives the length of axis n"},
    {"x[i,j] = s[i,j] * m[1]; m[a,b] = a", "1:19: m takes 2 value(s), but has 1"},
};

TEST(what_cannot_be_is_refused_with_its_place)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        Error err = {.text = ""};
        bool good = open_formula(refusals[i].text, &err) && formula_run(&program, false, &err);
        ck_assert_msg(!good &&
                          strncmp(err.text, refusals[i].message, strlen(refusals[i].message)) == 0,
                      "%s: %s", refusals[i].text, err.text);
        close_formula();
    }
}

// Brackets, signs, additions and helpers that double each other: each is refused, none overflows a stack.
TEST(what_is_too_deep_or_too_large_is_refused)
{
    char text[FORMULA_TEXT_MAX + 1];
    const char *const pieces[] = {"(", "-", "1+", "not ", "sum_d ", "1 ? 1 : ", "x["};
    Error err;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        strcpy(text, "x = ");
        while (strlen(text) + strlen(pieces[i]) < FORMULA_TEXT_MAX)
            strcat(text, pieces[i]);
        ck_assert(!open_formula(text, &err));
        close_formula();
    }
    ck_assert(
        !open_formula("x = a; a = b+b+b+b; b = c+c+c+c; c = d+d+d+d; d = e+e+e+e; e = f+f+f+f;"
                      "f = g+g+g+g; g = h+h+h+h; h = 1",
                      &err));
    close_formula();
}

// In float32 16777216 + 1 is 16777216; in double precision it is not. q[0,0] is 1, s[0,:] is 0 1 2 3.
static const struct {
    const char *text;
    double narrow, wide;
} roundings[] = {
    {"x = (16777216 + q[0,0]) - 16777216", 0, 1},   // an element: each operation rounds
    {"x = (16777216 + 1) - 16777216", 1, 1},        // no element: exact until
    {"x = 16777216 + 1 - 16777216 * q[0,0]", 0, 1}, // it meets one
    {"x = 16777217", 16777216, 16777217},           // or is stored
    {"x = float32(16777216 + q[0,0] - 16777216)", 1,
     1},                                              // all of it in double precision, then rounded
    {"x = float32(16777217) - 16777216", 0, 1},       //
    {"x = q[0, float32(16777217) - 16777216]", 1, 1}, // in an index float32() always rounds
};

TEST(narrow_rounds_what_stages_round)
{
    ptrdiff_t at[] = {0};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        Error err = {.text = ""};
        double narrow = NAN, wide = NAN;
        ck_assert_msg(open_formula(roundings[i].text, &err) &&
                          formula_element(&program, 0, at, true, &narrow, &err) &&
                          formula_element(&program, 0, at, false, &wide, &err),
                      "%s: %s", roundings[i].text, err.text);
        ck_assert_msg(narrow == roundings[i].narrow && wide == roundings[i].wide,
                      "%s: %.17g in float32, %.17g in double precision", roundings[i].text, narrow,
                      wide);
        close_formula();
    }
}

// --- a whole result and its elements

// What several elements need is computed once for all of them, sums of products by a kernel; an element that is
// asked for alone is computed term after term.
static const char *const whole[] = {
    "x[i,j] = sum_d q[i,d] * k[j,d]",
    "x[j,i] = sum_d q[i,d] * k[j,d] + q[i,0]",
    "x[i,j] = mean_d q[i,d] * k[j,d]",
    "x[i,j] = sum_d q[i,d] * k[j,d] / d_k",
    "x[i,j] = sum_d (q[i,d] - 1) * exp(k[j,d])",
    "x[i,j] = sum_d q[i,d] * q[i,d] * k[j,d]",
    "x[i,e] = sum_d,j q[i,d] * k[j,d] * k[j,e]",
    "x[i,e] = sum_j,d q[i,d] * k[j,e]",
    "x[i] = sum_d q[i,d]^2 / sqrt(sum_e q[i,e]^2)",
    "x[d] = sum_i q[i,d] * s[i,0]",
    "x[i,j] = q[i,0] * sum_d k[j,d]^2",
    "x[i,j] = s[i,j] - max_m s[i,m]",
    "x[i,j] = exp(s[i,j] - max_m s[m,j]) / sum_k exp(s[k,j] - max_m s[m,j])",
    "x[i,j] = e[i] / sum_k e[k]; e[k] = exp(s[k,j] - max_m s[m,j])",
    "x[i,j] = i > 0 ? sum_d q[i-1,d] * k[j,d] : s[i,j]", // q[-1,d] is never asked for
    "x[i,j] = sum_d float32(q[i,d] / 3) * k[j,d]",
    "x[i,j] = sum_d (d < 2) * k[j,d] + s[i,j]",
    "x[i,j] = max_d q[i,d] * k[j,d]",
};

static void fill(float numbers[], ptrdiff_t count, uint32_t *state)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        *state = *state * 1664525u + 1013904223u;
        numbers[i] = (float)(*state >> 8) / 4e6f - 2.0f;
    }
}

static void expect_elements(const char *text, bool narrow)
{
    Error err = {.text = ""};
    ck_assert_msg(formula_run(&program, narrow, &err), "%s: %s", text, err.text);
    const Tensor *numbers = &program.results[0].numbers;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(numbers, at)) {
        double is = ((const double *)numbers->storage.bytes)[tensor_place(numbers, at)], alone;
        ck_assert(formula_element(&program, 0, at, narrow, &alone, &err));
        ck_assert_msg(memcmp(&is, &alone, sizeof is) == 0, "%s [%td,%td]: %.17g, alone %.17g", text,
                      at[0], at[1], is, alone);
    }
}

TEST(a_whole_result_has_the_bits_of_its_elements)
{
    static const ptrdiff_t sizes[][3] = {
        {2, 4, 3}, {1, 1, 1}, {7, 33, 70}, {70, 5, 129}, {3, 130, 2}};
    static float q[70 * 129], k[130 * 129], s[70 * 130];
    uint32_t state = 7;
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        World world = {sizes[size][0], sizes[size][1], sizes[size][2], q, k, s};
        FormulaScope scope = scope_of(&world);
        fill(q, world.q_rows * world.width, &state);
        fill(k, world.k_rows * world.width, &state);
        fill(s, world.q_rows * world.k_rows, &state);
        for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
            Error err = {.text = ""};
            ck_assert_msg(formula_parse(&arena, whole[i], &formula, &err) &&
                              formula_bind(&arena, &formula, &scope, 1e9, &program, &err),
                          "%s: %s", whole[i], err.text);
            expect_elements(whole[i], true);
            expect_elements(whole[i], false);
            expect_elements(whole[i], true); // the second time tables are made anew
            close_formula();
        }
    }
}

static FormulaTerm terms[16];
static int term_count;

static void keep_term(void *context, const FormulaTerm *term)
{
    (void)context;
    if (term_count < 16)
        terms[term_count++] = *term;
}

// x[1,2] = 4*0 + 5*3 + 6*1, and then / 3.
TEST(terms_lead_to_the_element)
{
    Error err;
    static const double running[] = {0, 15, 21};
    ck_assert(open_formula("x[i,j] = (sum_d q[i,d] * k[j,d]) / d_k", &err));
    term_count = 0;
    ck_assert(formula_terms(&program, 0, (ptrdiff_t[]){1, 2}, false,
                            &(FormulaTermVisitor){keep_term, NULL}, &err));
    ck_assert_int_eq(term_count, 4);
    ck_assert(terms[3].kind == FORMULA_TERM_RULE && terms[3].running == 7.0);
    for (int d = 0; d < 3; d++) {
        ck_assert_int_eq(terms[d].kind, FORMULA_TERM_PRODUCT);
        ck_assert_int_eq(terms[d].source_count, 2);
        ck_assert_int_eq(terms[d].sources[0].id, 0);
        ck_assert_int_eq(terms[d].sources[0].at[0], 1);
        ck_assert_int_eq(terms[d].sources[1].at[1], d);
        ck_assert_double_eq(terms[d].running, running[d]);
    }
    close_formula();
}

// s[:,3] is 3 and -inf: x = 3 * -inf + -inf * -inf + 1, where the sum is NaN and its terms are not.
TEST(a_product_has_its_own_value_and_a_number_added_is_a_term)
{
    Error err;
    static const double expected[] = {-INFINITY, INFINITY, 1.0};
    ck_assert(open_formula("x = (sum_i s[i,3] * s[1,3]) + k[0,0]", &err));
    term_count = 0;
    ck_assert(formula_terms(&program, 0, (ptrdiff_t[]){0}, true,
                            &(FormulaTermVisitor){keep_term, NULL}, &err));
    ck_assert_int_eq(term_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert(terms[i].value == expected[i]);
    ck_assert_int_eq(terms[1].kind, FORMULA_TERM_PRODUCT);
    ck_assert_int_eq(terms[2].kind, FORMULA_TERM_ADDED);
    ck_assert(isnan(terms[2].running));
    close_formula();
}

static const char *const printed[] = {
    "x[i,j] = sum_d q[i,d] * k[j,d] / sqrt(d_k)",
    "x[i,j] = (sum_d q[i,d] * k[j,d]) / sqrt(d_k)",
    "x[i,j] = (a - (b - c)) * -d; a = 1; b = 2^3^2",
    "x[i*3 + d] = q[i,d]  (+ bias[d])",
    "x[i,j] = not i < j and (j = 0 or |i - j| >= 2) ? -inf : s[i, (j + 1) % 4]",
    "x[...] = `grad.x.v+k`[...] + 1",
    "x[i,j] = a / (sum_l,b q[b,l]) * 2",
};

// s[0,:] is 0 1 2 3: each e^s has a lane of its own, and together they are 31.1929. 1 / 31.1929 = 0.0320586.
TEST(lanes_are_told_before_what_is_made_of_their_sum)
{
    Error err;
    ck_assert(open_formula("x = 1 / sum_k exp(s[0,k])", &err));
    term_count = 0;
    ck_assert(formula_terms(&program, 0, (ptrdiff_t[]){0}, true,
                            &(FormulaTermVisitor){keep_term, NULL}, &err));
    ck_assert_int_eq(term_count, 6);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(terms[k].kind, FORMULA_TERM_ADDED);
        ck_assert_double_eq_tol(terms[k].value, exp(k), 1e-5);
        ck_assert_double_eq_tol(terms[k].running, exp(k), 1e-5);
    }
    ck_assert_int_eq(terms[4].kind, FORMULA_TERM_LANES);
    ck_assert_double_eq_tol(terms[4].running, 31.1929, 1e-4);
    ck_assert_int_eq(terms[5].kind, FORMULA_TERM_RULE);
    ck_assert_double_eq_tol(terms[5].running, 0.0320586, 1e-7);
    close_formula();
}

TEST(what_is_printed_reads_back_as_the_same)
{
    Error err;
    char text[FORMULA_TEXT_MAX + 1];
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        ck_assert_msg(formula_parse(&arena, printed[i], &formula, &err), "%s", err.text);
        ck_assert_str_eq(formula_print(&formula, NULL, NULL, text, sizeof text), printed[i]);
        close_formula();
    }
}

// --- edits

typedef struct Draw {
    FormulaScope scope;
    Tensor wrong;
} Draw;

typedef struct Told {
    const Draw *draws; // two
    int count;
    FormulaEditKind kind;
    char text[FORMULA_TEXT_MAX + 1];
} Told;

static bool gives(const Formula *edited, const Draw *draw)
{
    Error ignored;
    Arena room = {0};
    FormulaProgram made;
    bool good = formula_bind(&room, edited, &draw->scope, 1e6, &made, &ignored) &&
                formula_begins(&made, 0, false, &draw->wrong, 1e-5, &ignored) &&
                formula_run(&made, false, &ignored);
    const double *numbers = good ? made.results[0].numbers.storage.bytes : NULL;
    for (int i = 0; good && i < 15; i++)
        good = numbers[i] == (double)draw->wrong.storage.f32[i] ||
               fabs(numbers[i] - (double)draw->wrong.storage.f32[i]) < 1e-5;
    arena_finish(&room);
    return good;
}

static bool visit_first(void *context, const FormulaEdit *edit)
{
    Told *told = context;
    if (!gives(&edit->formula, &told->draws[0]) || !gives(&edit->formula, &told->draws[1]))
        return true;
    if (told->count++ == 0) {
        told->kind = edit->kind;
        formula_print(&edit->formula, NULL, NULL, told->text, sizeof told->text);
    }
    return true;
}

static float drawn[2][3][40];

static void draw(int number)
{
    unsigned state = 12345u + 99u * (unsigned)number;
    for (int tensor = 0; tensor < 3; tensor++)
        for (int i = 0; i < 40; i++) {
            state = state * 1664525u + 1013904223u;
            drawn[number][tensor][i] = (float)(state >> 8) / 8388608.0f - 1.0f;
        }
}

typedef struct Mistake {
    const char *right, *wrong;
    FormulaEditKind kind;
} Mistake;

static const Mistake mistakes[] = {
    {"x[i,j] = (sum_d q[i,d] * k[j,d]) / sqrt(d_k)", "x[i,j] = sum_d q[i,d] * k[j,d]",
     FORMULA_EDIT_DIVISOR_DROPPED},
    {"x[i,j] = (sum_d q[i,d] * k[j,d]) / sqrt(d_k)", "x[i,j] = (sum_d q[i,d] * k[j,d]) / d_k",
     FORMULA_EDIT_FUNCTION_DROPPED},
    {"x[i,j] = (sum_d q[i,d] * k[j,d]) / sqrt(d_k)", "x[i,j] = (sum_d q[i,d] * k[j,d]) / sqrt(L)",
     FORMULA_EDIT_SIZE_EXCHANGED},
    {"x[i,j] = j > i ? -inf : s[i,j]", "x[i,j] = j >= i ? -inf : s[i,j]",
     FORMULA_EDIT_COMPARISON_EXCHANGED},
    {"x[i,j] = j > i ? -inf : s[i,j]", "x[i,j] = s[i,j]", FORMULA_EDIT_CHOICE_DROPPED},
    {"x[i,j] = sum_d q[i,d] * k[j,d]", "x[i,j] = sum_d q[i,d] * k[j,d] * [not last(d)]",
     FORMULA_EDIT_LAST_LOST},
    {"x[i,j] = s[i,j] / sum_m s[i,m]", "x[i,j] = s[i,j] / sum_m s[m,j]",
     FORMULA_EDIT_AXIS_EXCHANGED},
};

// Sizes that all differ (3, 5, 4): two draws tell one edit, or tell equal ones apart by nothing.
TEST(one_edit_is_found_by_its_numbers)
{
    static const char *const tensors[] = {"q", "k", "s"}, *const sizes[] = {"d_k", "L"};
    static const int ranks[] = {2, 2, 2};
    static const FormulaNames names = {3, 2, tensors, ranks, sizes};
    draw(0);
    draw(1);
    World worlds[2];
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        Error err = {.text = ""};
        Draw draws[2];
        static float wrong[2][40];
        for (int i = 0; i < 2; i++) {
            worlds[i] = (World){3, 5, 4, drawn[i][0], drawn[i][1], drawn[i][2]};
            draws[i].scope = scope_of(&worlds[i]);
            ck_assert(formula_parse(&arena, mistakes[m].wrong, &formula, &err) &&
                      formula_bind(&arena, &formula, &draws[i].scope, 1e6, &program, &err) &&
                      formula_run(&program, true, &err));
            const double *numbers = program.results[0].numbers.storage.bytes;
            for (int n = 0; n < 15; n++)
                wrong[i][n] = (float)numbers[n];
            draws[i].wrong = tensor_over(wrong[i], DTYPE_F32, 2, (ptrdiff_t[]){3, 5});
        }
        Told told = {.draws = draws};
        ck_assert(formula_parse(&arena, mistakes[m].right, &formula, &err));
        Arena edits = {0};
        ck_assert(formula_edits(&edits, &formula, &names,
                                &(FormulaEditVisitor){visit_first, &told}, &err));
        arena_finish(&edits);
        ck_assert_msg(told.count == 1, "%s: %d", mistakes[m].wrong, told.count);
        ck_assert_msg(told.kind == mistakes[m].kind, "%s: %s", told.text,
                      words_tell(formula_edit_words(told.kind)));
        close_formula();
    }
}

SUITE("formula")

// Ten questions with small numbers that a seed draws, and their answers from the runs; see
// export.h.
#include "export.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "generator.h"
#include "html_text.h"
#include "open_lecture.h"
#include "scenario_file.h"

enum { TOKENS = 3, WIDTH = 4, SET_MAX = 4096, TRIES_MAX = 64, SETS_MAX = 4 };

// What the seed has drawn, and the runs that answer: one to be done by hand, the same with a causal mask,
// and one of which only shapes and places count.
typedef struct Drawn {
    Generator generator;
    Scenario by_hand, causal, shapes;
    Trace by_hand_run, causal_run, shapes_run;
    int row[3], column, key; // which are asked for: the rows in another order for each seed
    int batch, tokens, heads, d_k, at[4];
    Language language;
    FILE *out;
    int number; // of the question
} Drawn;

// --- what is drawn

static int draw(Drawn *drawn, int low, int end)
{
    int64_t number;
    generator_randint(&drawn->generator, low, end, &number, 1);
    return (int)number;
}

static size_t add(char set[SET_MAX], size_t used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static size_t add(char set[SET_MAX], size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = used < SET_MAX ? vsnprintf(set + used, SET_MAX - used, format, arguments) : 0;
    va_end(arguments);
    return used + (more > 0 ? (size_t)more : 0);
}

// "[[1, 0], [2, 1]]"
static size_t add_matrix(Drawn *drawn, char set[SET_MAX], size_t used, int rows, int columns)
{
    for (int row = 0; row < rows; row++) {
        used = add(set, used, "%s[", row > 0 ? ", " : "[");
        for (int column = 0; column < columns; column++)
            used = add(set, used, "%s%d", column > 0 ? ", " : "", draw(drawn, -1, 2));
        used = add(set, used, "]");
    }
    return add(set, used, "]");
}

static bool run(const char *what, const char *const sets[], int count, Scenario *scenario,
                Trace *trace, Error *err)
{
    ScenarioRequest request = {.what = what, .sets = sets, .set_count = count};
    return scenario_open(scenario, &request, err) && trace_open(trace, scenario, err) &&
           trace_run(trace, err);
}

static bool run_by_hand(Drawn *drawn, Error *err)
{
    static const char *const layers[] = {"q_proj", "k_proj", "v_proj"};
    char x[SET_MAX], weights[SET_MAX];
    size_t used = add(x, 0, "input.vectors=[");
    used = add_matrix(drawn, x, used, TOKENS, WIDTH);
    add(x, used, "]");
    used = add(weights, 0, "weights={values: {");
    for (int layer = 0; layer < 3; layer++) {
        used = add(weights, used, "%s%s.weight: ", layer > 0 ? ", " : "", layers[layer]);
        used = add_matrix(drawn, weights, used, WIDTH, WIDTH);
    }
    add(weights, used, "}}");
    const char *const sets[] = {x, weights, "attention.mask=causal"};
    return run("scaled-dot-product", sets, 2, &drawn->by_hand, &drawn->by_hand_run, err) &&
           run("scaled-dot-product", sets, 3, &drawn->causal, &drawn->causal_run, err);
}

static bool run_shapes(Drawn *drawn, Error *err)
{
    char x[SET_MAX], heads[64], width[64];
    drawn->batch = draw(drawn, 2, 4);
    drawn->tokens = draw(drawn, 3, 7);
    drawn->heads = draw(drawn, 2, 5);
    drawn->d_k = draw(drawn, 2, 6);
    size_t used = add(x, 0, "input.vectors=[");
    for (int batch = 0; batch < drawn->batch; batch++) {
        used = add(x, used, batch > 0 ? ", " : "");
        used = add_matrix(drawn, x, used, drawn->tokens, drawn->heads * drawn->d_k);
    }
    add(x, used, "]");
    snprintf(heads, sizeof heads, "model.heads=%d", drawn->heads);
    snprintf(width, sizeof width, "model.d_model=%d", drawn->heads * drawn->d_k);
    const char *const sets[] = {x, heads, width, "weights.draw=[q_proj, k_proj, v_proj]"};
    const int ends[] = {drawn->batch, drawn->heads, drawn->tokens, drawn->d_k};
    for (int axis = 0; axis < 4; axis++)
        drawn->at[axis] = draw(drawn, 1, ends[axis]);
    return run("four-heads", sets, 4, &drawn->shapes, &drawn->shapes_run, err);
}

// --- references

static bool value_of(const Trace *trace, ReferenceValue *value, Error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool value_of(const Trace *trace, ReferenceValue *value, Error *err, const char *format, ...)
{
    char text[128];
    Reference reference;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return reference_parse(text, &reference, err) &&
           open_lecture_trace_value(trace, &reference, value, err);
}

// Three rows and a column to ask for; false where two keys fit the second one alike.
static bool choose(Drawn *drawn, bool *chosen, Error *err)
{
    ReferenceValue best;
    int first = draw(drawn, 0, TOKENS), step = draw(drawn, 1, TOKENS);
    for (int i = 0; i < 3; i++)
        drawn->row[i] = (first + i * step) % TOKENS;
    drawn->column = draw(drawn, 0, WIDTH);
    drawn->key = draw(drawn, 0, TOKENS);
    if (!value_of(&drawn->by_hand_run, &best, err, "argmax scores[0,%d]", drawn->row[1]))
        return false;
    *chosen = best.tied == 0;
    return true;
}

static void close_by_hand(Drawn *drawn)
{
    trace_close(&drawn->by_hand_run);
    trace_close(&drawn->causal_run);
    scenario_finish(&drawn->by_hand);
    scenario_finish(&drawn->causal);
}

static bool draw_all(Drawn *drawn, Error *err)
{
    bool chosen = false;
    for (int tries = 0; tries < TRIES_MAX && !chosen; tries++) {
        if (tries > 0)
            close_by_hand(drawn);
        if (!run_by_hand(drawn, err) || !choose(drawn, &chosen, err))
            return false;
    }
    return run_shapes(drawn, err);
}

// --- tables

// A matrix of the run by hand, with a question mark where a number is asked for.
static void put_table(Drawn *drawn, const char *name, int asked_row, int asked_column)
{
    const Trace *trace = &drawn->by_hand_run;
    const Tensor *tensor = &trace->tensors[trace_find(trace, name)].tensor;
    int rank = tensor->rank, rows = (int)tensor->shape[rank - 2];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    fprintf(drawn->out, "<table class=\"given\"><caption><code>%s</code></caption>\n", name);
    for (int row = 0; row < rows; row++) {
        fprintf(drawn->out, "<tr><th>%d</th>", row);
        for (int column = 0; column < (int)tensor->shape[rank - 1]; column++) {
            at[rank - 2] = row;
            at[rank - 1] = column;
            double number = (double)tensor->storage.f32[tensor_place(tensor, at)];
            if (row == asked_row && column == asked_column)
                fputs("<td>?</td>", drawn->out);
            else
                fprintf(drawn->out, "<td>%g</td>", number);
        }
        fputs("</tr>\n", drawn->out);
    }
    fputs("</table>\n", drawn->out);
}

static void put_tables(Drawn *drawn)
{
    put_table(drawn, "x", -1, -1);
    put_table(drawn, "q_proj.weight", -1, -1);
    fputs("<br>\n", drawn->out);
    put_table(drawn, "q", drawn->row[0], drawn->column);
    put_table(drawn, "k", -1, -1);
    put_table(drawn, "v", -1, -1);
}

// --- questions

// A question on the first sheet, its answer on the second.
static void put(Drawn *drawn, bool answers, const ReferenceValue *answer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put(Drawn *drawn, bool answers, const ReferenceValue *answer, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("<li>", drawn->out);
    size_t length = strlen(answer->text);
    bool is_point = length > 1 && answer->text[length - 1] == '.'; // "6." of whole numbers
    if (answers)
        fprintf(drawn->out, "<strong>%.*s</strong> ", (int)(length - is_point), answer->text);
    html_text(drawn->out, text);
    fputs(answers ? "</li>\n" : "<div class=\"box\"></div></li>\n", drawn->out);
}

#define SAY(NAME) TELL_IN(language_beside(drawn->language), NAME)

// What the tables on the sheet are enough for.
static bool put_by_hand(Drawn *drawn, bool answers, Error *err)
{
    const Trace *run = &drawn->by_hand_run;
    int row = drawn->row[0], other = drawn->row[1], third = drawn->row[2], key = drawn->key;
    ReferenceValue value, given;
    bool good = value_of(run, &value, err, "q[0,%d,%d]", row, drawn->column);
    if (good)
        put(drawn, answers, &value, SAY(SEED_QUERY), row, drawn->column);
    good = good && value_of(run, &value, err, "scores[0,%d,%d]", other, key);
    if (good)
        put(drawn, answers, &value, SAY(SEED_SCORE), other, key);
    good = good && value_of(run, &value, err, "scores_scaled[0,%d,%d]", other, key);
    if (good)
        put(drawn, answers, &value, SAY(SEED_SCALED));
    good = good && value_of(run, &value, err, "argmax scores[0,%d]", other);
    if (good)
        put(drawn, answers, &value, SAY(SEED_BEST), other);
    good = good && value_of(run, &given, err, "scores_scaled[0,%d]", third) &&
           value_of(run, &value, err, "attn_weights[0,%d,%d]", third, key);
    if (good)
        put(drawn, answers, &value, SAY(SEED_WEIGHT), third, given.text, key);
    good = good && value_of(run, &given, err, "attn_weights[0,%d]", row) &&
           value_of(run, &value, err, "context_heads[0,%d,%d]", row, drawn->column);
    if (good)
        put(drawn, answers, &value, SAY(SEED_MIXED), row, given.text, drawn->column);
    good = good && value_of(&drawn->causal_run, &value, err, "zeros attn_weights[0,%d]", other);
    if (good)
        put(drawn, answers, &value, SAY(SEED_ZEROS), other);
    return good;
}

static bool put_shapes(Drawn *drawn, bool answers, Error *err)
{
    const Trace *run = &drawn->shapes_run;
    const int *at = drawn->at;
    ReferenceValue value;
    bool good = value_of(run, &value, err, "shape q_heads");
    if (good)
        put(drawn, answers, &value, SAY(SEED_SHAPE), drawn->batch, drawn->tokens,
            drawn->heads * drawn->d_k, drawn->heads);
    good = good && value_of(run, &value, err, "stride q_heads");
    if (good)
        put(drawn, answers, &value, SAY(SEED_STRIDE));
    good = good &&
           value_of(run, &value, err, "place q_heads[%d,%d,%d,%d]", at[0], at[1], at[2], at[3]);
    if (good)
        put(drawn, answers, &value, SAY(SEED_PLACE), at[0], at[1], at[2], at[3]);
    return good;
}

static bool put_sheet(Drawn *drawn, uint64_t seed, bool answers, Error *err)
{
    fputs("<div class=\"sheet\">\n", drawn->out);
    fprintf(drawn->out, SAY(SEED_TITLE), (unsigned long long)seed);
    if (answers)
        html_element(drawn->out, "<h2>", open_lecture_word(drawn->language, WORD_SHEET_ANSWERS),
                     "</h2>\n");
    else
        html_element(drawn->out, "<p class=\"name\">",
                     open_lecture_word(drawn->language, WORD_SHEET_NAME), "<span></span></p>\n");
    if (!answers)
        put_tables(drawn);
    fputs("<ol>\n", drawn->out);
    bool good = put_by_hand(drawn, answers, err) && put_shapes(drawn, answers, err);
    fputs("</ol>\n</div>\n", drawn->out);
    return good;
}

bool seed_sheet(uint64_t seed, Language language, FILE *out, Error *err)
{
    Arena arena = {0};
    Drawn *drawn = arena_take(&arena, 1, sizeof *drawn, err); // too large for a small stack
    if (!drawn)
        return false;
    drawn->language = language;
    drawn->out = out;
    generator_seed(&drawn->generator, seed);
    bool good = draw_all(drawn, err) && put_sheet(drawn, seed, false, err) &&
                put_sheet(drawn, seed, true, err);
    close_by_hand(drawn);
    trace_close(&drawn->shapes_run);
    scenario_finish(&drawn->shapes);
    arena_finish(&arena);
    return good;
}

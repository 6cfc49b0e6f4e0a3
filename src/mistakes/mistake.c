// mistake: the table made from mistakes.def; see mistake.h.
#include "mistake.h"

#include <math.h>
#include <string.h>
#include "mistake_code.h"
#include "mistake_reason.h"
#include "mistake_row.h"
#include "mistake_scenario.h"

#define MISTAKE(name) extern const Mistake mistake_##name;
#define FAMILY(name) extern const Mistake family_##name[];
#define ROW(id, ...)
#include "mistakes.def"
#undef MISTAKE
#undef FAMILY
#undef ROW

// --- rows

// What a row becomes when the bank is first asked for.
typedef struct Made {
    MistakeRow rows[MISTAKE_STEPS_MAX];
    const Stage *list[MISTAKE_STEPS_MAX + 1];
    StageCode codes[MISTAKE_STEPS_MAX];
    const char *lines[MISTAKE_STEPS_MAX][STAGE_CALLS_MAX + 1];
} Made;

// The words that the columns of a row are made of.
#define STEPS(...) \
    { \
        __VA_ARGS__ \
    }
#define STEP(stage_name, ...) {.stage = stage_name, __VA_ARGS__},
#define FORMULA(...) .formula = {__VA_ARGS__}
#define TORCH(...) .torch = {__VA_ARGS__}
#define PLAIN .together = false
#define TOGETHER .together = true
#define SAME_AS(name) .same_as = name
#define NEVER(...) __VA_ARGS__
#define SIZE(symbol) scenario->size[SYMBOL_##symbol]
#define IF(condition, reason) \
    if (condition) \
        return &reason_##reason;
#define WHY(words) \
    if ((words) != NULL) \
        return words;

#define Q_HEADS \
    { \
        .role = "q", .axes = "B H Lq d_k" \
    }
#define K_HEADS \
    { \
        .role = "k", .axes = "B H Lk d_k" \
    }
#define V_HEADS \
    { \
        .role = "v", .axes = "B H Lk d_v" \
    }
#define ATTN_MASK \
    { \
        .role = "attn_mask", .dtype = DTYPE_BOOL, .optional = true \
    }

// Parts of the formula of the right mask (stages/mask.c).
#define MASKED "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? mask_value : scores[b,h,i,j]"
#define FUTURE \
    "future = causal and (given(causal_mask_buffer) ? causal_mask_buffer[own, j + 0] : j > own)"
#define FAR \
    "far = window > 0 and |own - j| >= window; own = i + causal_shift; " \
    "text = Lk - add_bias_kv - add_zero_attn"
#define PADDING "(or mask_padding and key_padding_mask[b, j + 0])"
#define RULES "rules = future or far  " PADDING "; " FUTURE "; " FAR
#define OTHERS \
    "others = (j < text ? filled : 0)  (or mask[b,h,i,j]); filled = far  " PADDING "; " FAR

#define MISTAKE(name)
#define FAMILY(name)
#define ROW(id, label, kind, steps, never, ...) \
    static Made made_##id; \
    static bool run_##id(StageArgs *args, Error *err) \
    { \
        return mistake_row_run(&made_##id.rows[0], args, err); \
    } \
    static bool run_second_##id(StageArgs *args, Error *err) \
    { \
        return mistake_row_run(&made_##id.rows[1], args, err); \
    } \
    static void origin_##id(const StageArgs *args, int slot, const ptrdiff_t at[], \
                            TermVisit *visit, void *context) \
    { \
        mistake_row_origin(&made_##id.rows[0], args, slot, at, visit, context); \
    } \
    static void origin_second_##id(const StageArgs *args, int slot, const ptrdiff_t at[], \
                                   TermVisit *visit, void *context) \
    { \
        mistake_row_origin(&made_##id.rows[1], args, slot, at, visit, context); \
    } \
    static const Words *never_##id(const Scenario *scenario) \
    { \
        (void)scenario; \
        never return NULL; \
    } \
    static const MistakeStep steps_##id[MISTAKE_STEPS_MAX] = steps; \
    static const Mistake mistake_##id = {.name = label, \
                                         .stages = made_##id.list, \
                                         .cannot_show = never_##id, \
                                         kind, \
                                         .words = MISTAKE_WORDS(__VA_ARGS__)};
#include "mistakes.def"
#undef MISTAKE
#undef FAMILY
#undef ROW

typedef struct Row {
    const MistakeStep *steps;
    Made *made;
    MistakeRun *run[MISTAKE_STEPS_MAX];
    MistakeOrigin *origin[MISTAKE_STEPS_MAX];
} Row;

static const Row rows[] = {
#define MISTAKE(name)
#define FAMILY(name)
#define ROW(id, ...) \
    {steps_##id, &made_##id, {run_##id, run_second_##id}, {origin_##id, origin_second_##id}},
#include "mistakes.def"
#undef MISTAKE
#undef FAMILY
#undef ROW
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

// The code of such a stage is its formulas.
static void make_code(const MistakeStep *step, const char *lines[], StageCode *code)
{
    int count = 0;
    for (int i = 0; i < STAGE_CALLS_MAX && step->formula[i]; i++)
        lines[count++] = step->formula[i];
    if (step->where)
        lines[count++] = step->where;
    *code = (StageCode){.stage = "mistakes.def",
                        .file = "mistakes.def",
                        .first_line = 1,
                        .lines = lines,
                        .count = count};
}

static void make_rows(void)
{
    for (int i = 0; i < ROW_COUNT && !rows[0].made->list[0]; i++)
        for (int j = 0; j < MISTAKE_STEPS_MAX && rows[i].steps[j].stage; j++) {
            Made *made = rows[i].made;
            mistake_row_make(&rows[i].steps[j], rows[i].run[j], rows[i].origin[j], &made->rows[j]);
            make_code(&rows[i].steps[j], made->lines[j], &made->codes[j]);
        }
    for (int i = 0; i < ROW_COUNT && !rows[i].made->list[0]; i++)
        for (int j = 0; j < MISTAKE_STEPS_MAX && rows[i].steps[j].stage; j++)
            rows[i].made->list[j] = &rows[i].made->rows[j].stage;
}

// --- the list

// The mistakes of one file.
typedef struct File {
    const Mistake *first;
    bool is_family; // it has several, and one without a name behind the last
} File;

static const File files[] = {
#define MISTAKE(name) {&mistake_##name, false},
#define FAMILY(name) {family_##name, true},
#define ROW(id, ...) {&mistake_##id, false},
#include "mistakes.def"
#undef MISTAKE
#undef FAMILY
#undef ROW
};

enum { FILE_COUNT = sizeof files / sizeof *files };

static int count_of(const File *file)
{
    int count = 1;
    while (file->is_family && file->first[count].name)
        count++;
    return count;
}

// The file of mistake `number`, which becomes its number in that file; FILE_COUNT: there is none.
static int file_of(int *number)
{
    int file = *number < 0 ? FILE_COUNT : 0;
    for (; file < FILE_COUNT && *number >= count_of(&files[file]); file++)
        *number -= count_of(&files[file]);
    return file;
}

// Which of the files that mistakes.def names has mistake `number`, counted from 0; -1: none, it is a row.
static int file_number(int number)
{
    int file = file_of(&number), rows_before = 0;
    static const bool is_row[] = {
#define MISTAKE(name) false,
#define FAMILY(name) false,
#define ROW(id, ...) true,
#include "mistakes.def"
#undef MISTAKE
#undef FAMILY
#undef ROW
    };
    for (int i = 0; i < file && i < FILE_COUNT; i++)
        rows_before += is_row[i];
    return file < FILE_COUNT && !is_row[file] ? file - rows_before : -1;
}

const Mistake *mistake_get(int number)
{
    make_rows();
    int file = file_of(&number);
    return file < FILE_COUNT ? &files[file].first[number] : NULL;
}

const Mistake *mistake_find(const char *name)
{
    const Mistake *mistake;
    for (int i = 0; (mistake = mistake_get(i)); i++)
        if (strcmp(mistake->name, name) == 0)
            return mistake;
    return NULL;
}

bool mistake_is_backward(const Mistake *mistake)
{
    return stage_is_backward(mistake->stages[0]);
}

const Words *mistake_cannot_show(const Mistake *mistake, const Scenario *scenario)
{
    if (mistake_is_backward(mistake) && !scenario->backward)
        return &reason_no_backward;
    return mistake->cannot_show ? mistake->cannot_show(scenario) : NULL;
}

// --- code

static bool has_stage(const Mistake *mistake, const Stage *stage)
{
    for (const Stage *const *other = mistake->stages; *other; other++)
        if (*other == stage)
            return true;
    return false;
}

// The table of code has an element for each line MISTAKE or FAMILY.
static const StageCode *code_of_file(const Stage *stage)
{
    for (int i = 0; mistake_get(i); i++)
        if (has_stage(mistake_get(i), stage) && file_number(i) >= 0)
            return &mistake_codes[file_number(i)];
    return NULL;
}

const StageCode *mistake_code(const Stage *stage)
{
    for (int i = 0; i < ROW_COUNT; i++)
        for (int j = 0; j < MISTAKE_STEPS_MAX; j++)
            if (stage == &rows[i].made->rows[j].stage)
                return &rows[i].made->codes[j];
    return code_of_file(stage);
}

// The family of mistakes whose padding mask marks other places than those behind the tokens.
//
//   key_padding_mask[b,l] = (l < lengths[b])  or  (l > lengths[b])  or ...   instead of (l >= lengths[b])
//
// padding_mask.def has the rule of each.
#include "mistake_family.h"

#include "mistake_reason.h"

enum { IN_TOKENS, IN_LENGTHS };
enum { OUT_IDS, OUT_MASK };

typedef struct Row {
    bool (*marks)(ptrdiff_t l, ptrdiff_t length); // the place l of a sequence
    Words marked, unmarked;                       // what an origin says of it
} Row;

static bool marks_place(const Row *row, const StageArgs *args, ptrdiff_t b, ptrdiff_t l)
{
    return row->marks(l, *tensor_id1(&args->in[IN_LENGTHS], b));
}

// The ids are padded as they should be: only the mask is wrong.
static bool run(const Row *row, StageArgs *args, Error *err)
{
    Tensor *mask = &args->out[OUT_MASK];
    if (!stage_find("pad")->run(args, err))
        return false;
    for (ptrdiff_t b = 0; b < mask->shape[0]; b++)
        for (ptrdiff_t l = 0; l < mask->shape[1]; l++)
            *tensor_flag2(mask, b, l) = marks_place(row, args, b, l);
    return true;
}

static bool shapes(StageArgs *args, Error *err)
{
    return stage_find("pad")->shapes(args, err);
}

static void origin(const Row *row, const StageArgs *args, int slot, const ptrdiff_t at[],
                   TermVisit *visit, void *context)
{
    if (slot == OUT_IDS) {
        stage_find("pad")->origin(args, slot, at, visit, context);
        return;
    }
    bool marked = marks_place(row, args, at[0], at[1]);
    visit(context, &(Term){.what = words_tell(marked ? row->marked : row->unmarked),
                           .value = marked,
                           .running = marked});
}

// Where every place of every sequence is marked as it should be.
static const Words *cannot_show(const Row *row, const Scenario *scenario)
{
    const ScenarioTensor *lengths = scenario_tensor(scenario, "lengths");
    if (!scenario_tensor(scenario, "tokens"))
        return &reason_no_tokens;
    for (ptrdiff_t b = 0; lengths && b < lengths->tensor.shape[0]; b++)
        for (ptrdiff_t l = 0; l < scenario_text_keys(scenario); l++) {
            ptrdiff_t length = *tensor_id1(&lengths->tensor, b);
            if (row->marks(l, length) != (l >= length))
                return NULL;
        }
    return &reason_same_lengths;
}

// --- a stage for each row

#define PADDING_BY(id, label, rule, formula_text, torch_text, marked, marked_ko, unmarked, \
                   unmarked_ko, ...) \
    static bool marks_##id(ptrdiff_t l, ptrdiff_t length) \
    { \
        return rule; \
    } \
    static const Row row_##id = {marks_##id, WORDS(marked, marked_ko), \
                                 WORDS(unmarked, unmarked_ko)}; \
    FAMILY_MEMBER(id) \
    static const Stage stage_##id = { \
        .name = "pad", \
        .formula = formula_text, \
        .torch = torch_text, \
        .source = "a common mistake", \
        .calls = {{ \
            .reads = {{.role = "tokens", .axes = "N", .dtype = DTYPE_I64}, \
                      {.role = "lengths", .axes = "B", .dtype = DTYPE_I64}}, \
            .writes = \
                {{.role = "input_ids", .tensor = "input_ids", .axes = "B L", .dtype = DTYPE_I64}, \
                 {.role = "key_padding_mask", \
                  .tensor = "key_padding_mask", \
                  .axes = "B L", \
                  .dtype = DTYPE_BOOL}}, \
        }}, \
        .run = run_##id, \
        .shapes = shapes, \
        .origin = origin_##id, \
    };
#include "padding_mask.def"
#undef PADDING_BY

#define PADDING_BY(id, label, rule, formula_text, torch_text, marked, marked_ko, unmarked, \
                   unmarked_ko, ...) \
    FAMILY_MISTAKE(id, label, __VA_ARGS__)
const Mistake family_padding_mask[] = {
#include "padding_mask.def"
    FAMILY_END};

// scenario_targets: input.targets, of each question the right answer at every token; see
// scenario_internal.h.
#include "scenario_internal.h"

#include <string.h>
#include "scenarios_words.h"

enum { NOT_ASKED = -1 }; // as F.cross_entropy(..., ignore_index=-1) has it

static bool is_scalar(const YamlNode *node, const char *text)
{
    return node->kind == YAML_SCALAR && !node->quoted && strcmp(node->text, text) == 0;
}

// How many tokens of sequence `b` are asked: queries that come from vectors are all of one length.
static ptrdiff_t length_of(const Reading *reading, ptrdiff_t b)
{
    const ScenarioTensor *lengths = scenario_tensor(reading->scenario, "lengths");
    bool has_queries = reading->inputs[INPUT_X_QUERY].node != NULL;
    return has_queries || !lengths ? reading->scenario->size[SYMBOL_LQ]
                                   : (ptrdiff_t)lengths->tensor.storage.i64[b];
}

static bool read_sequence(Reading *reading, const YamlNode *sequence, ptrdiff_t tokens,
                          int64_t targets[], Error *err)
{
    if (sequence->kind != YAML_LIST)
        return yaml_error(sequence, err, TELL(TARGETS_FORM));
    if ((ptrdiff_t)sequence->count != tokens)
        return yaml_error(sequence, err, TELL(TARGETS_LENGTH), tokens, sequence->count);
    for (const YamlNode *answer = sequence->first; answer; answer = answer->next, targets++)
        if (!is_scalar(answer, "~") && !scenario_known_token(reading, answer, targets, err))
            return false;
    return true;
}

// The answers to question `q`, a list for each sequence; what is behind its end is not asked.
static bool read_answers(Reading *reading, const YamlNode *node, ptrdiff_t q, Tensor *targets,
                         Error *err)
{
    ptrdiff_t batch = targets->shape[0], b = 0;
    if (node->kind != YAML_LIST)
        return yaml_error(node, err, TELL(TARGETS_FORM));
    for (const YamlNode *sequence = scenario_first_sequence(node); sequence && b < batch; b++) {
        if (!read_sequence(reading, sequence, length_of(reading, b), tensor_id3(targets, b, q, 0),
                           err))
            return false;
        sequence = scenario_next_sequence(node, sequence);
        if (b + 1 == batch && sequence)
            return yaml_error(node, err, TELL(TARGETS_SEQUENCES), batch, node->count);
    }
    return b == batch || yaml_error(node, err, TELL(TARGETS_SEQUENCES), batch, (size_t)b);
}

static bool read_questions(Reading *reading, const YamlNode *node, Tensor *targets, Error *err)
{
    const char *const *questions = reading->scenario->questions;
    bool asks = false;
    for (ptrdiff_t i = 0; i < tensor_count(targets); i++)
        targets->storage.i64[i] = NOT_ASKED;
    for (ptrdiff_t q = 0; q < targets->shape[1]; q++) {
        const YamlNode *answers = yaml_get(node, questions[q]);
        if (answers && !read_answers(reading, answers, q, targets, err))
            return false;
    }
    for (ptrdiff_t i = 0; i < tensor_count(targets); i++)
        asks = asks || targets->storage.i64[i] != NOT_ASKED;
    return asks || yaml_error(node, err, TELL(TARGETS_NOTHING));
}

static bool is_given(const YamlNode *map, const char *key)
{
    const YamlNode *node = yaml_get(map, key);
    return node && yaml_is_given(node);
}

// Answers that a file gives are to its own words and questions, and not to those that somebody put in their
// place.
static bool are_of_others(const Reading *reading, const YamlNode *input, const YamlNode *targets)
{
    return !yaml_is_given(targets) &&
           (is_given(input, "ids") || is_given(input, "words") || is_given(input, "text") ||
            is_given(scenario_section(reading, "model"), "questions"));
}

bool scenario_targets_read(Reading *reading, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *input = scenario_section(reading, "input");
    const YamlNode *node = yaml_get(input, "targets");
    const ptrdiff_t *size = scenario->size;
    const ptrdiff_t shape[] = {size[SYMBOL_B], size[SYMBOL_Q], size[SYMBOL_LQ]};
    Tensor targets;
    if (!node || is_scalar(node, "none") || are_of_others(reading, input, node))
        return true;
    if (!scenario->questions)
        return yaml_key_error(node, err, TELL(TARGETS_ALONE));
    if (node->kind != YAML_MAP)
        return yaml_error(node, err, TELL(TARGETS_FORM));
    const char *from = scenario_written_in(reading, node, err);
    if (!from || !yaml_only(node, scenario->questions, err) ||
        !scenario_tensor_take(reading, node, &(TensorPlan){"targets", DTYPE_I64, 3, shape},
                              &targets, err) ||
        !read_questions(reading, node, &targets, err))
        return false;
    scenario_add(scenario, "targets", "targets", targets, from);
    return true;
}

// Relation: the step's result is one of its inputs, as it was.
#include "relation_tools.h"

#include <stdio.h>

extern const Relation relation_input_itself;

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++) {
        const Tensor *input = &what->given->in[slot];
        if (input->storage.bytes && relation_makes(what, input))
            relation_add(what, readings,
                         (RelationReading){&relation_input_itself, slot, 0, 0.0, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    snprintf(text, RELATION_TEXT_MAX,
             language == MISTAKE_KO ? "입력 %s의 숫자가 그대로 나왔습니다."
                                    : "These are the numbers of the input %s, as they were.",
             reading->call->reads[reading->a].role);
}

const Relation relation_input_itself = {.name = "input-itself", .read = read, .say = say};

// Relation: the step's result is one of its inputs, as it was.
#include "relation_tools.h"

#include "relation_words.h"

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
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_ITSELF),
                 reading->call->reads[reading->a].role);
}

const Relation relation_input_itself = {.name = "input-itself", .read = read, .say = say};

// Relation: the step is right, of one input that was read otherwise: without signs, from the last head to
// the first, with two indices exchanged, without its strides.
#include "relation_input_change.h"

#include "relation_words.h"

extern const Relation relation_changed_input;

// Of a product either factor may have been read so: both are told.
static void add(const RelationCase *what, RelationReadings *readings, int slot, int code,
                bool is_doubtful)
{
    bool is_told = false;
    for (int i = 0; i < readings->count; i++) {
        RelationReading *before = &readings->all[i];
        if (before->relation == &relation_changed_input && before->a != slot &&
            (before->b == code || before->b == input_change_opposite(code))) {
            before->number = (double)slot;
            is_told = true;
        }
    }
    if (is_told)
        return;
    relation_add_if(what, readings,
                    (RelationReading){&relation_changed_input, slot, code, -1.0, NULL},
                    is_doubtful);
}

// reading.a: the input's slot; reading.b: the change; reading.number: the other slot that will do; -1
static void read_slot(const RelationCase *what, RelationReadings *readings, int slot)
{
    InputChange change;
    const Tensor *input = &what->given->in[slot];
    const char *axes = what->right->steps[what->step].call->reads[slot].axes;
    for (int i = 0; input_change_get(input, i, &change); i++) {
        if (input_change_leaves_out(change)) // relation_terms tells of it
            continue;
        Arena arena = {0};
        Error err = {.text = ""};
        StageArgs args = *what->given;
        if (input_change_make(input, change, &arena, &args.in[slot], &err) &&
            relation_stage_makes(what, &args))
            add(what, readings, slot, input_change_code(change, axes),
                input_change_is_doubtful(input, change));
        relation_lacks(what, &err);
        arena_finish(&arena);
    }
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    // With other lengths it would read what is not there.
    int lengths = relation_is_stage(what, "pad") ? 1 : -1;
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++)
        if (what->given->in[slot].storage.bytes && slot != lengths)
            read_slot(what, readings, slot);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    const Slot *reads = reading->call->reads;
    const char *name = reads[reading->a].role;
    if (reading->number < 0.0)
        input_change_say(reading->b, name, language, text);
    else
        input_change_say_either(reading->b, name, reads[(int)reading->number].role, language, text);
}

const Relation relation_changed_input = {.name = "changed-input", .read = read, .say = say};

// Relation: the first input is added to the right numbers, in as many columns as it has.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_residual;

// The first input, of as many rows as the result; of a whole run it is x. NULL.
static const Tensor *input_of(const RelationCase *what)
{
    int x = trace_find(what->right, "x");
    const Tensor *input = what->given ? &what->given->in[0]
                          : x >= 0    ? &what->right->tensors[x].tensor
                                      : NULL;
    bool is_like = input && input->storage.bytes && input->dtype == DTYPE_F32 &&
                   input->rank == what->known->rank && input->rank > 1;
    for (int axis = 0; is_like && axis < input->rank - 1; axis++)
        is_like = input->shape[axis] == what->known->shape[axis];
    return is_like ? input : NULL;
}

static double added(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Tensor *input = context;
    int last = input->rank - 1;
    double known = tensor_number(what->known, at);
    return at[last] < input->shape[last] ? known + tensor_number(input, at) : known;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    const Tensor *input = input_of(what);
    if (input && relation_fits(what, added, input))
        relation_add(what, readings, (RelationReading){&relation_residual, 0, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    const char *name = reading->call ? reading->call->reads[0].role : "x";
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, RESIDUAL), name);
}

const Relation relation_residual = {.name = "residual", .read = read, .say = say};

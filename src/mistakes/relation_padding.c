// Relation: of padding: what fills the rest of a row, and which tokens stand before it.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_padding;

enum { // reading.a
    FILLED_WITH_0,
    FILLED_WITH_LAST,
    FILLED_WITH_FIRST,
    FILLED_WITH_NEXT,
    ONE_TOO_MANY,
    LAST_LEFT_OUT,
    REVERSED,
    ONE_LATE,
    ALL_FROM_FIRST,
    FIRST_TWICE,
    FILLED_WITH_MINUS_1,
    FILLED_WITH_VERY_FIRST,
    ROW_REVERSED,
    ROWS_REVERSED,
    ONE_MORE,
    ONE_LESS,
    WAYS,
};

typedef struct Padding {
    const Tensor *tokens;
    int64_t pad_id;
    ptrdiff_t start, length; // of the sequence of a row
} Padding;

static int64_t token(const Padding *padding, ptrdiff_t place)
{
    bool is_there = place >= 0 && place < padding->tokens->shape[0];
    return is_there ? *tensor_id1(padding->tokens, place) : padding->pad_id;
}

static int64_t filled(const Padding *padding, int way, ptrdiff_t l)
{
    switch (way) {
    case FILLED_WITH_0:
        return 0;
    case FILLED_WITH_LAST:
        return token(padding, padding->start + padding->length - 1);
    case FILLED_WITH_FIRST:
        return token(padding, padding->start);
    case FILLED_WITH_NEXT:
        return token(padding, padding->start + l);
    case FILLED_WITH_MINUS_1:
        return -1;
    case FILLED_WITH_VERY_FIRST:
        return token(padding, 0);
    case ONE_TOO_MANY:
        return l == padding->length ? token(padding, padding->start + l) : padding->pad_id;
    default:
        return padding->pad_id;
    }
}

static int64_t id(const Padding *padding, int way, ptrdiff_t l)
{
    if (l >= padding->length)
        return filled(padding, way, l);
    switch (way) {
    case LAST_LEFT_OUT:
        return l == padding->length - 1 ? padding->pad_id : token(padding, padding->start + l);
    case REVERSED:
        return token(padding, padding->start + padding->length - 1 - l);
    case ONE_LATE:
        return token(padding, padding->start + l + 1);
    case ALL_FROM_FIRST:
        return token(padding, l);
    case FIRST_TWICE:
        return token(padding, padding->start + (l > 0 ? l - 1 : 0));
    case ONE_MORE:
        return token(padding, padding->start + l) + 1;
    case ONE_LESS:
        return token(padding, padding->start + l) - 1;
    default:
        return token(padding, padding->start + l);
    }
}

static bool fits(const RelationCase *what, int way)
{
    Padding padding = {&what->given->in[0], what->given->options->pad_id, 0, 0};
    ptrdiff_t rows = what->known->shape[0], width = what->known->shape[1];
    bool differs = false;
    for (ptrdiff_t b = 0; b < rows; b++) {
        padding.length = *tensor_id1(&what->given->in[1], b);
        ptrdiff_t row = way == ROWS_REVERSED ? rows - 1 - b : b;
        for (ptrdiff_t l = 0; l < width; l++) {
            int64_t number = id(&padding, way, way == ROW_REVERSED ? width - 1 - l : l);
            if (*tensor_id2(what->wrong, row, l) != number)
                return false;
            differs = differs || *tensor_id2(what->known, row, l) != number;
        }
        padding.start += padding.length;
    }
    return differs;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "pad") || what->known->dtype != DTYPE_I64)
        return;
    for (int way = 0; way < WAYS; way++)
        if (fits(what, way))
            relation_add(what, readings, (RelationReading){&relation_padding, way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [FILLED_WITH_0] = ROW(PADDING_WITH_0),
        [FILLED_WITH_LAST] = ROW(PADDING_WITH_LAST),
        [FILLED_WITH_FIRST] = ROW(PADDING_WITH_FIRST),
        [FILLED_WITH_NEXT] = ROW(PADDING_WITH_NEXT),
        [ONE_TOO_MANY] = ROW(PADDING_ONE_TOO_MANY),
        [LAST_LEFT_OUT] = ROW(PADDING_LAST_LEFT_OUT),
        [REVERSED] = ROW(PADDING_REVERSED),
        [ONE_LATE] = ROW(PADDING_ONE_LATE),
        [ALL_FROM_FIRST] = ROW(PADDING_ALL_FROM_FIRST),
        [FIRST_TWICE] = ROW(PADDING_FIRST_TWICE),
        [FILLED_WITH_MINUS_1] = ROW(PADDING_WITH_MINUS_1),
        [FILLED_WITH_VERY_FIRST] = ROW(PADDING_WITH_VERY_FIRST),
        [ROW_REVERSED] = ROW(PADDING_ROW_REVERSED),
        [ROWS_REVERSED] = ROW(PADDING_ROWS_REVERSED),
        [ONE_MORE] = ROW(PADDING_ONE_MORE),
        [ONE_LESS] = ROW(PADDING_ONE_LESS),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_padding = {.name = "padding", .read = read, .say = say};

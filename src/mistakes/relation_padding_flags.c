// Relation: of the mask of padding: other places are marked, by a rule of the place and of its sequence's
// length.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_padding_flags;

enum {
    ALL,
    NONE,
    ONLY_LAST,
    ONE_EARLY,
    LEFT,
    OF_FIRST, // from here on by the length of another sequence
    OF_LAST,
    OF_NEXT,
    OF_BEFORE,
    OF_OPPOSITE,
    RULES
}; // reading.a

// The sequence whose length marks row b.
static ptrdiff_t sequence_of(int rule, ptrdiff_t b, ptrdiff_t rows)
{
    switch (rule) {
    case OF_FIRST:
        return 0;
    case OF_LAST:
        return rows - 1;
    case OF_NEXT:
        return (b + 1) % rows;
    case OF_BEFORE:
        return (b + rows - 1) % rows;
    case OF_OPPOSITE:
        return rows - 1 - b;
    default:
        return b;
    }
}

static bool is_marked(int rule, ptrdiff_t l, ptrdiff_t length, ptrdiff_t width)
{
    switch (rule) {
    case ONLY_LAST:
        return l >= length && l == width - 1;
    case ONE_EARLY:
        return l >= length - 1;
    case LEFT:
        return l < width - length;
    case ALL:
    case NONE:
        return rule == ALL;
    default:
        return l >= length;
    }
}

static bool fits(const RelationCase *what, int rule)
{
    bool differs = false;
    ptrdiff_t rows = what->known->shape[0], width = what->known->shape[1];
    for (ptrdiff_t b = 0; b < rows; b++)
        for (ptrdiff_t l = 0; l < width; l++) {
            ptrdiff_t sequence = sequence_of(rule, b, rows);
            bool marked = is_marked(rule, l, *tensor_id1(&what->given->in[1], sequence), width);
            if (*tensor_flag2(what->wrong, b, l) != marked)
                return false;
            differs = differs || *tensor_flag2(what->known, b, l) != marked;
        }
    return differs;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "pad") || what->known->dtype != DTYPE_BOOL)
        return;
    for (int rule = 0; rule < RULES; rule++)
        if (fits(what, rule))
            relation_add_if(what, readings,
                            (RelationReading){&relation_padding_flags, rule, 0, 0.0, NULL},
                            rule >= OF_NEXT && what->known->shape[0] == 2);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [ALL] = ROW(FLAGS_ALL),
        [NONE] = ROW(FLAGS_NONE),
        [ONLY_LAST] = ROW(FLAGS_ONLY_LAST),
        [ONE_EARLY] = ROW(FLAGS_ONE_EARLY),
        [LEFT] = ROW(FLAGS_LEFT),
        [OF_FIRST] = ROW(FLAGS_OF_FIRST),
        [OF_LAST] = ROW(FLAGS_OF_LAST),
        [OF_NEXT] = ROW(FLAGS_OF_NEXT),
        [OF_BEFORE] = ROW(FLAGS_OF_BEFORE),
        [OF_OPPOSITE] = ROW(FLAGS_OF_OPPOSITE),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_padding_flags = {.name = "padding-flags", .read = read, .say = say};

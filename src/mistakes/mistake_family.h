// A family: mistakes of one stage that differ by a number or a choice. FAMILY.def has a row for each of
// them, FAMILY.c the loop and the origin that they share; in mistakes.def the family is one line.
//
// The file of a family defines, for a row of a type of its own,
//   run(&row, args, err), origin(&row, args, slot, at, visit, context), cannot_show(&row, scenario)
// and lets FAMILY_MEMBER make the functions of each row: those of a stage have no place to be given one.
#ifndef MISTAKE_FAMILY_H
#define MISTAKE_FAMILY_H

#include "mistake.h"

// The functions of the row `row_id`: those of its stage; and with what tells where it cannot show.
#define FAMILY_STAGE(id) \
    static bool run_##id(StageArgs *args, Error *err) \
    { \
        return run(&row_##id, args, err); \
    } \
    static void origin_##id(const StageArgs *args, int slot, const ptrdiff_t at[], \
                            TermVisit *visit, void *context) \
    { \
        origin(&row_##id, args, slot, at, visit, context); \
    }
#define FAMILY_MEMBER(id) \
    FAMILY_STAGE(id) \
    static const Words *cannot_show_##id(const Scenario *scenario) \
    { \
        return cannot_show(&row_##id, scenario); \
    }

// Its mistake, as an element of family_NAME[]; the words are the columns of MISTAKE_WORDS.
#define FAMILY_MISTAKE(id, label, ...) \
    {.name = label, \
     .stages = (const Stage *const[]){&stage_##id, NULL}, \
     .cannot_show = cannot_show_##id, \
     .words = MISTAKE_WORDS(__VA_ARGS__)},

// What ends that list.
#define FAMILY_END \
    { \
        .name = NULL \
    }

#endif

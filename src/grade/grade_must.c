// What the judge cannot do without: memory, and texts in it. It ends where there is none; see
// grade_internal.h.
#include "grade_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void grade_must(bool good, const Error *err)
{
    if (good)
        return;
    fprintf(stderr, "attnscope-judge: %s\n", err->text);
    exit(1);
}

const char *grade_must_text(const char *text, const Error *err)
{
    grade_must(text != NULL, err);
    return text;
}

const char *grade_kept(const char *sentence, Arena *arena)
{
    Error err;
    return grade_must_text(arena_text(arena, sentence, &err), &err);
}

const char *grade_number(double number, double other, Arena *arena)
{
    Error err;
    char text[64], other_text[64];
    for (int digits = 4; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, isnan(number) ? fabs(number) : number);
        snprintf(other_text, sizeof other_text, "%.*g", digits, other);
        if (strcmp(text, other_text) != 0)
            break;
    }
    return grade_must_text(arena_text(arena, text, &err), &err);
}

Tensor grade_room(GradeCase *drawn, const Tensor *like)
{
    Error err;
    Tensor room = {.rank = 0};
    grade_must(tensor_take(&drawn->arena, like->dtype, like->rank, like->shape, &room, &err), &err);
    return room;
}

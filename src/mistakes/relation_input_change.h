// An input as somebody reads it by mistake: negated, from the last head to the first, with two indices
// exchanged. The step or the run is then right, of such an input.
#ifndef RELATION_INPUT_CHANGE_H
#define RELATION_INPUT_CHANGE_H

#include "relation_tools.h"

typedef struct InputChange {
    int form;
    int axis, other; // that it is about; -1: none
} InputChange;

// The changes that make another tensor of this one, by number; false beyond the last.
bool input_change_get(const Tensor *input, int number, InputChange *change);

// What it makes, in memory of the arena. False with a sentence where there is no memory.
bool input_change_make(const Tensor *input, InputChange change, Arena *arena, Tensor *changed,
                       Error *err);

// The change as one number, the same in all cases: its form, and what its axes count. `axes` are those of
// the input's slot.
int input_change_code(InputChange change, const char *axes);

// Whether another change makes the same of this input: of two, the next one is the one before.
bool input_change_is_doubtful(const Tensor *input, InputChange change);

// Whether the change leaves a part of the input out, of what is summed up if a loop is too short.
bool input_change_leaves_out(InputChange change);

// The change that gives a sum of products the same numbers where its other factor is read so; most are their
// own.
int input_change_opposite(int code);

// One sentence about this change of an input or its opposite of another.
void input_change_say_either(int code, const char *input, const char *opposite, Language language,
                             char text[RELATION_TEXT_MAX]);

// One sentence about the change with this code of the input of this name.
void input_change_say(int code, const char *input, Language language, char text[RELATION_TEXT_MAX]);

#endif

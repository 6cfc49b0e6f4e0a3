// fuzz_mutate: see fuzz_mutate.h.
#include "fuzz_mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 64, CHANGES_MAX = 6 };

int fuzz_below(FuzzMutator *mutator, int limit)
{
    mutator->state ^= mutator->state << 13;
    mutator->state ^= mutator->state >> 7;
    mutator->state ^= mutator->state << 17;
    return (int)(mutator->state % (uint64_t)limit);
}

// --- the dictionary

static int digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0';
}

// The text between the quotes, \\, \" and \xNN made into what they stand for.
static FuzzInput word_of(const char *line)
{
    FuzzInput word = {calloc(1, strlen(line) + 1), 0};
    for (const char *at = line + 1; word.data && *at && *at != '"'; at++) {
        if (at[0] == '\\' && at[1] == 'x' && at[2] && at[3]) {
            word.data[word.size++] = (uint8_t)(digit(at[2]) * 16 + digit(at[3]));
            at += 3;
        } else {
            at += at[0] == '\\' && at[1];
            word.data[word.size++] = (uint8_t)*at;
        }
    }
    return word;
}

void fuzz_dictionary(FuzzMutator *mutator, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    while (file && mutator->word_count < FUZZ_WORDS_MAX && fgets(line, sizeof line, file))
        if (line[0] == '"')
            mutator->words[mutator->word_count++] = word_of(line);
    if (file)
        fclose(file);
}

void fuzz_mutator_finish(FuzzMutator *mutator)
{
    for (int i = 0; i < mutator->word_count; i++)
        free(mutator->words[i].data);
    mutator->word_count = 0;
}

// --- changes

static size_t place_in(FuzzMutator *mutator, size_t size)
{
    return (size_t)fuzz_below(mutator, (int)size + 1);
}

// Takes `taken` bytes at a place away and puts others there.
static void replace(FuzzMutator *mutator, FuzzInput *made, size_t place, size_t taken,
                    const FuzzInput *put)
{
    size_t rest = made->size - place - taken;
    if (place + put->size + rest > FUZZ_INPUT_MAX)
        return;
    memmove(mutator->bytes + place + put->size, mutator->bytes + place + taken, rest);
    if (put->size > 0)
        memcpy(mutator->bytes + place, put->data, put->size);
    made->size = place + put->size + rest;
}

// A piece of an input, from a place on.
static size_t piece_of(FuzzMutator *mutator, const FuzzInput *input, size_t place)
{
    size_t left = input->size - place, most = left < PIECE_MAX ? left : PIECE_MAX;
    return (size_t)fuzz_below(mutator, (int)most + 1);
}

static void change_byte(FuzzMutator *mutator, FuzzInput *made)
{
    static const uint8_t telling[] = {0, 1, 127, 128, 255, '\n', ' ', '-', '"', '9', '[', ':'};
    size_t place = place_in(mutator, made->size - 1);
    if (fuzz_below(mutator, 2))
        mutator->bytes[place] ^= (uint8_t)(1 << fuzz_below(mutator, 8));
    else
        mutator->bytes[place] = telling[fuzz_below(mutator, sizeof telling)];
}

static void change(FuzzMutator *mutator, FuzzInput *made, const FuzzInput *other)
{
    uint8_t kept[PIECE_MAX];
    size_t place = place_in(mutator, made->size), from = place_in(mutator, other->size);
    FuzzInput piece = {kept, 0};
    int way = fuzz_below(mutator, mutator->word_count > 0 ? 6 : 4);
    if (way == 0 && made->size > 0) {
        change_byte(mutator, made);
    } else if (way == 1) { // something is missing
        replace(mutator, made, place, piece_of(mutator, made, place), &piece);
    } else if (way == 2) { // twice
        piece.size = piece_of(mutator, made, place);
        memcpy(kept, mutator->bytes + place, piece.size);
        replace(mutator, made, place, 0, &piece);
    } else if (way == 3) { // of another one
        piece = (FuzzInput){other->data + from, piece_of(mutator, other, from)};
        replace(mutator, made, place, 0, &piece);
    } else if (way > 3) {
        const FuzzInput *word = &mutator->words[fuzz_below(mutator, mutator->word_count)];
        size_t taken = way == 4 || word->size > made->size - place ? 0 : word->size;
        replace(mutator, made, place, taken, word);
    }
}

FuzzInput fuzz_mutate(FuzzMutator *mutator, const FuzzInput *input, const FuzzInput *other)
{
    FuzzInput made = {mutator->bytes, input->size < FUZZ_INPUT_MAX ? input->size : FUZZ_INPUT_MAX};
    memcpy(mutator->bytes, input->data, made.size);
    for (int changes = 1 + fuzz_below(mutator, CHANGES_MAX); changes > 0; changes--)
        change(mutator, &made, other);
    return made;
}

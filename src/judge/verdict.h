// What became of an exercise: the record of one check. The judge writes it; the terminal's text and
// every other form are made of it and of nothing else.
//
// Life cycle: a zeroed Verdict is empty; verdict_add or verdict_read; verdict_finish. Its texts
// live in its own arena.
#ifndef VERDICT_H
#define VERDICT_H

#include <stdio.h>
#include "arena.h"
#include "mistake.h"

enum { VERDICT_SCHEMA = 1, VERDICT_TESTS_MAX = 48, VERDICT_MISTAKES_MAX = 4 };

// How a test ended.
typedef enum VerdictEnd {
    VERDICT_PASSED,
    VERDICT_WRONG,   // the function answered, with other numbers
    VERDICT_BROKEN,  // it did not answer as it should: a crash, a loop, a write outside; `why` says
    VERDICT_NOT_RUN, // this machine could not run it; not the learner's doing
} VerdictEnd;

// Of numbers that differ; NONE where that is not why.
typedef enum VerdictKind {
    VERDICT_KIND_NONE,
#define VERDICT_KIND(NAME, ...) VERDICT_KIND_##NAME,
#include "verdict_kinds.def"
    VERDICT_KINDS
} VerdictKind;

typedef struct VerdictTest {
    const char *name;             // "rows_sum_to_1"
    const char *title[LANGUAGES]; // what was asked: "rows sum to 1"
    bool hidden;                  // with numbers that the learner does not see
    int points, max;
    VerdictEnd end;
    const char *why[LANGUAGES]; // broken or not run: a sentence; NULL otherwise
    const char *printed;        // by the function in the call that failed; NULL: nothing

    // Where the numbers differ; NULL and 0 where that is not why.
    const char *given;    // the inputs and their shapes: "q (2, 3, 5, 4), k (2, 3, 5, 4)"
    const char *where;    // "scores[0, 1, 2, 3]"
    const char *expected; // as many digits as tell the two apart
    const char *got;      // NULL: nothing was written there
    VerdictKind kind;
    long long wrong, all, unwritten;
    double worst; // the largest distance of two numbers
    long long worst_ulp;
    const char *map; // lines of '.' (right), '+' (some wrong), '#' (wrong)

    // What holds of right numbers, whatever they are, and not of these ("the sum of row 3 is 1.27"); NULL.
    const char *property[LANGUAGES];

    // What maps the right numbers to these, in a sentence, where no mistake makes them; NULL. Of all
    // wrong tests the first one has it.
    const char *relation[LANGUAGES];

    // Where that is another formula: it, marks where it differs, the right one, marks; a line each. NULL.
    const char *formulas;
    const char *edited;               // the stage whose formula it is; NULL where `formulas` is
    const char *edit_kind[LANGUAGES]; // how it differs, in a few words

    // The smallest case found in which the same test fails, with the numbers that differ there; NULL.
    const struct VerdictTest *smallest;

    const char *mistakes[VERDICT_MISTAKES_MAX]; // names; NULL ends the list when there are fewer
} VerdictTest;

typedef struct Verdict {
    const char *exercise; // "softmax"
    const char *version;  // digest of the exercise's tests
    const char *fence;    // what held the learner's process
    long long seed;
    VerdictTest tests[VERDICT_TESTS_MAX];
    int count;
    int spent;                        // milliseconds that the function computed or was waited for
    int points, max;                  // each function given the right inputs
    int chain_points, chain_max;      // given the learner's own results; 0 of 0: not asked
    const char *chain_why[LANGUAGES]; // what stopped the chain; NULL
    Arena arena;
} Verdict;

// Adds a test and its points. NULL when there are too many.
VerdictTest *verdict_add(Verdict *verdict);

// Adds up the points of all tests.
void verdict_sum(Verdict *verdict);

// Whether there are tests, and all of them passed.
bool verdict_passed(const Verdict *verdict);

// Whether there are tests, and this machine could run all of them. Where not, the record gives no
// points and takes none.
bool verdict_judged(const Verdict *verdict);

// The first test that this machine could not run; NULL: it could run all.
const VerdictTest *verdict_first_not_run(const Verdict *verdict);

// What a record says, for whoever reads that language: in English where it has no more. NULL: nothing.
const char *verdict_in_language(const char *const texts[LANGUAGES], Language language);

// What a test asked, as it is to be read beside how that ended: of one that did not pass it is said that it
// does not hold. Returns `text`.
enum { VERDICT_TITLE_MAX = 256 };
const char *verdict_title(const VerdictTest *test, Language language, char text[VERDICT_TITLE_MAX]);

// The first test that did not pass, those with hidden numbers last; NULL when all did.
const VerdictTest *verdict_first_failure(const Verdict *verdict);

void verdict_finish(Verdict *verdict);

// --- JSON

// False with the path and what is wrong. Writing replaces nothing but a whole file.
bool verdict_write(const Verdict *verdict, const char *path, Error *err);
bool verdict_read(Verdict *verdict, const char *path, Error *err);

// What a file holds, as JSON and as it was written. NULL with the path and what is wrong.
struct json_t;
struct json_t *verdict_record(const char *path, Error *err);

// A verdict from that, which `path` names.
bool verdict_take(Verdict *verdict, const struct json_t *object, const char *path, Error *err);

// --- text

// For the terminal: every test with what it asked, failures with what differs and the mistake that
// makes such numbers, and how to run the same again.
void verdict_print(const Verdict *verdict, Language language, FILE *out);

// The formulas of a test alone.
void verdict_print_formulas(const VerdictTest *test, Language language, FILE *out);

// Where a tensor differs: a character a cell, the last two axes as rows and columns, several heads
// side by side, pooled to what fits. In the arena; NULL when memory is short.
const char *verdict_map(const Tensor *given, const Tensor *known, Arena *arena, Error *err);

#endif

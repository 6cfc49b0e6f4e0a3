// The result of one check of an exercise. The judge writes it; every other format derives from it.
//
// Life cycle: a zeroed Verdict is empty; verdict_add or verdict_take; verdict_finish. Texts live in its own
// arena, or in the JSON that it was read from.
#ifndef VERDICT_H
#define VERDICT_H

#include <stdio.h>
#include "arena.h"
#include "mistake.h"

enum { VERDICT_BYTES_MAX = 1 << 22 }; // of a record
enum { VERDICT_SCHEMA = 1, VERDICT_TESTS_MAX = 48, VERDICT_MISTAKES_MAX = 4 };

// How a test ended.
typedef enum VerdictEnd {
    VERDICT_PASSED,
    VERDICT_WRONG,   // wrong numbers
    VERDICT_BROKEN,  // a crash, a loop, a write out of bounds; see `why`
    VERDICT_NOT_RUN, // the machine could not run it; not the learner's fault
} VerdictEnd;

// The kind of wrong number.
typedef enum VerdictKind {
    VERDICT_KIND_NONE,
#define VERDICT_KIND(NAME, ...) VERDICT_KIND_##NAME,
#include "verdict_kinds.def"
    VERDICT_KINDS
} VerdictKind;

typedef struct VerdictTest {
    const char *name;             // "rows_sum_to_1"
    const char *title[LANGUAGES]; // the same for people: "rows sum to 1"
    bool hidden;                  // uses numbers that the learner does not see
    int points, max;
    VerdictEnd end;
    const char *why[LANGUAGES]; // for BROKEN and NOT_RUN: the reason
    const char *printed;        // output of the failing call, or NULL

    // Where the numbers differ; NULL and 0 if they do not.
    const char *given;    // the inputs and their shapes: "q (2, 3, 5, 4), k (2, 3, 5, 4)"
    const char *where;    // "scores[0, 1, 2, 3]"
    const char *expected; // as many digits as distinguish the two
    const char *got;      // NULL: never written
    VerdictKind kind;
    long long wrong, all, unwritten;
    double worst; // the largest difference
    long long worst_ulp;
    const char *map; // lines of '.' (right), '+' (some wrong), '#' (wrong)

    // An invariant that the result breaks ("the sum of row 3 is 1.27"), or NULL.
    const char *property[LANGUAGES];

    // How the wrong numbers follow from the right ones, if no known mistake explains them; only in the first
    // wrong test. NULL otherwise.
    const char *relation[LANGUAGES];

    // If that is another formula: it, marks below the difference, the right one, marks; a line each. Or NULL.
    const char *formulas;
    const char *edited;               // the stage of that formula
    const char *edit_kind[LANGUAGES]; // how it differs, in a few words

    // The smallest case found that fails the same test, or NULL.
    const struct VerdictTest *smallest;

    const char *mistakes[VERDICT_MISTAKES_MAX]; // names; NULL-terminated unless full
} VerdictTest;

typedef struct Verdict {
    const char *exercise; // "softmax"
    const char *version;  // digest of the exercise's tests
    const char *fence;    // the sandbox that it ran in
    long long seed;
    VerdictTest tests[VERDICT_TESTS_MAX];
    int count;
    int spent;                   // milliseconds computed or waited
    int points, max;             // with correct inputs to each function
    int chain_points, chain_max; // with the learner's own results as inputs; 0 of 0: not tested
    const char *chain_why[LANGUAGES]; // why that failed, or NULL
    Arena arena;
    struct json_t *record; // owns the texts of a verdict that was read
} Verdict;

// Adds a test. Returns NULL if there are too many.
VerdictTest *verdict_add(Verdict *verdict);

// Sums the points of all tests.
void verdict_sum(Verdict *verdict);

// True if there are tests and all passed.
bool verdict_passed(const Verdict *verdict);

// True if there are tests and the machine could run them all. If false, the record does not count.
bool verdict_judged(const Verdict *verdict);

// The first test that the machine could not run, or NULL.
const VerdictTest *verdict_first_not_run(const Verdict *verdict);

// The text in the user's language; falls back to English. NULL if there is none.
const char *verdict_in_language(const char *const texts[LANGUAGES]);

// The title of a test; for a failed one, that it does not hold. Returns `text`.
enum { VERDICT_TITLE_MAX = 256 };
const char *verdict_title(const VerdictTest *test, char text[VERDICT_TITLE_MAX]);

// The first failed test, visible ones first; NULL if all passed.
const VerdictTest *verdict_first_failure(const Verdict *verdict);

void verdict_finish(Verdict *verdict);

// Writes the record, replacing the file atomically. Returns false and sets err, with the path, on failure.
bool verdict_write(const Verdict *verdict, const char *path, Error *err);

struct json_t;

// Reads a verdict from JSON; `path` is for error messages.
bool verdict_take(Verdict *verdict, struct json_t *object, const char *path, Error *err);

// Prints a verdict for the terminal: each test, where failures differ, the mistake behind them, and how to
// repeat the check.
void verdict_print(const Verdict *verdict, FILE *out);

// Prints only the formulas of a test.
void verdict_print_formulas(const VerdictTest *test, FILE *out);

// Appends "[1, :, 0]" to a text of `room` bytes; an index below 0 is a colon. Returns `text`.
char *verdict_add_index(char *text, size_t room, int rank, const ptrdiff_t at[]);

// A map of differences: one character per cell, the last two axes as rows and columns, heads side by side,
// pooled to fit. Allocated in the arena; NULL and err without memory.
const char *verdict_map(const Tensor *given, const Tensor *known, Arena *arena, Error *err);

#endif

// What a compiler says, made fit to be shown: lines that it repeats, and its dumps.
#include <string.h>
#include "suite.h"
#include "worker_internal.h"

// Expected by hand: of equal lines that follow each other the first two stay.
static const struct {
    const char *said, *shown;
} echoes[] = {
    {"", ""},
    {"one\n", "one\n"},
    {"one\none\n", "one\none\n"},
    {"one\none\none\none\ntwo\n", "one\none\ntwo\n"},
    {"one\ntwo\none\ntwo\none\ntwo\n", "one\ntwo\none\ntwo\none\ntwo\n"},
    {"one\none\none two\n", "one\none\none two\n"},
    {"one\none\non", "one\none\non"},
    {"one\n\n\n\n\none", "one\n\n\none"},
};

LOOP_TEST(of_a_line_that_is_repeated_two_stay, sizeof echoes / sizeof *echoes)
{
    char text[64];
    strcpy(text, echoes[_i].said);
    worker_words_without_echo(text);
    ck_assert_str_eq(text, echoes[_i].shown);
}

// A compiler that ends itself says why first; what follows are the folders and addresses of a machine.
static const struct {
    const char *said, *shown;
} dumps[] = {
    {"", ""},
    {"a.c:1:1: error: no\n", "a.c:1:1: error: no\n"},
    {"LLVM ERROR: out of memory\nPLEASE submit a bug report to them\nStack dump:\n0.\t/home\n",
     "LLVM ERROR: out of memory\n"},
    {"fatal\n\nStack dump:\n0.\t/home\n", "fatal\n\n"},
    {"a.c:1:2: error: Stack dump:\nb\n", "a.c:1:2: error: Stack dump:\nb\n"},
};

LOOP_TEST(of_a_compiler_that_ends_itself_its_reason_stays, sizeof dumps / sizeof *dumps)
{
    char text[128];
    strcpy(text, dumps[_i].said);
    worker_words_without_dump(text);
    ck_assert_str_eq(text, dumps[_i].shown);
}

SUITE("worker_words")

// What a compiler says, made fit to be shown: lines that it repeats, and its dumps.
#include <string.h>
#include "suite.h"
#include "worker_internal.h"

// Expected by hand. Of equal lines that follow each other the first two stay. A compiler that ends itself says why
// first; what follows are the folders and addresses of a machine.
static const struct {
    void (*shorten)(char *said);
    const char *said, *shown;
} rows[] = {
    {worker_words_without_echo, "", ""},
    {worker_words_without_echo, "one\n", "one\n"},
    {worker_words_without_echo, "one\none\n", "one\none\n"},
    {worker_words_without_echo, "one\none\none\none\ntwo\n", "one\none\ntwo\n"},
    {worker_words_without_echo, "one\ntwo\none\ntwo\none\ntwo\n", "one\ntwo\none\ntwo\none\ntwo\n"},
    {worker_words_without_echo, "one\none\none two\n", "one\none\none two\n"},
    {worker_words_without_echo, "one\none\non", "one\none\non"},
    {worker_words_without_echo, "one\n\n\n\n\none", "one\n\n\none"},
    {worker_words_without_dump, "", ""},
    {worker_words_without_dump, "a.c:1:1: error: no\n", "a.c:1:1: error: no\n"},
    {worker_words_without_dump,
     "LLVM ERROR: out of memory\nPLEASE submit a bug report to them\nStack dump:\n0.\t/home\n",
     "LLVM ERROR: out of memory\n"},
    {worker_words_without_dump, "fatal\n\nStack dump:\n0.\t/home\n", "fatal\n\n"},
    {worker_words_without_dump, "a.c:1:2: error: Stack dump:\nb\n",
     "a.c:1:2: error: Stack dump:\nb\n"},
};

LOOP_TEST(echoes_and_dumps_are_left_out, sizeof rows / sizeof *rows)
{
    char text[128];
    strcpy(text, rows[_i].said);
    rows[_i].shorten(text);
    ck_assert_str_eq(text, rows[_i].shown);
}

SUITE("worker_words")

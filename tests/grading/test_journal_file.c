// The journal of a class, to which several processes add lines at once.
#include "class.h"

#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 6, LINES = 200, WORDS = 30000 };

static void add_lines(const Journal *journal, int process)
{
    static char words[WORDS + 1];
    Error err;
    memset(words, 'a' + process, WORDS);
    for (int line = 0; line < LINES; line++) {
        char key[32];
        snprintf(key, sizeof key, "%d.%d", process, line);
        json_t *what = json_pack("{s:s}", "words", words);
        if (!journal_add(journal, key, what, &err))
            _exit(1);
        json_decref(what);
    }
    _exit(0);
}

// Every line is a whole one, and none is empty: what one process has half written is not a torn line to
// another, though both have the journal from the same parent.
TEST(processes_that_add_lines_at_once_leave_whole_ones)
{
    static char line[WORDS + 100];
    const char *path = scratch_path("class.jsonl");
    Journal journal;
    Error err;
    ck_assert_msg(journal_open(&journal, path, &err), "%s", err.text);
    for (int process = 0; process < PROCESSES; process++)
        if (fork() == 0)
            add_lines(&journal, process);
    for (int status; wait(&status) > 0;)
        ck_assert_int_eq(status, 0);
    FILE *file = fopen(path, "r");
    int lines = 0;
    for (; fgets(line, sizeof line, file); lines++)
        ck_assert_msg(strncmp(line, "{\"key\":\"", 8) == 0, "line %d begins %.20s", lines, line);
    fclose(file);
    ck_assert_int_eq(lines, PROCESSES * LINES);
    ck_assert_msg(journal_refresh(&journal, &err), "%s", err.text);
    ck_assert_int_eq(json_object_size(journal.known), PROCESSES * LINES);
    journal_close(&journal);
}

// Somebody was killed in the middle of a line: that one is lost, and no other, for the next process too.
static const struct {
    const char *text;
    int before;
} torn[] = {
    {"{\"key\":\"first\",\"what\":{\"points\":1}}\n{\"key\":\"tor", 1},
    {"{\"key\":\"tor", 0},
    {"{\"ke", 0},
    {"{", 0},
};

static void has_both(const Journal *journal, int before)
{
    ck_assert_int_eq(json_object_size(journal->known), before + 1);
    ck_assert(before == 0 || journal_find(journal, "first"));
    ck_assert_ptr_nonnull(journal_find(journal, "second"));
}

LOOP_TEST(a_torn_line_costs_itself, sizeof torn / sizeof *torn)
{
    const char *path = scratch_write("torn.jsonl", torn[_i].text, strlen(torn[_i].text));
    Journal journal;
    Error err;
    ck_assert_msg(journal_open(&journal, path, &err), "%s", err.text);
    json_t *what = json_pack("{s:i}", "points", 2);
    ck_assert_msg(journal_add(&journal, "second", what, &err), "%s", err.text);
    json_decref(what);
    ck_assert_msg(journal_refresh(&journal, &err), "%s", err.text);
    has_both(&journal, torn[_i].before);
    journal_close(&journal);
    ck_assert_msg(journal_open(&journal, path, &err), "%s", err.text);
    has_both(&journal, torn[_i].before);
    journal_close(&journal);
}

SUITE_WITH("journal_file", scratch_open, scratch_close)

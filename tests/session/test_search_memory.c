// Where there is no memory to look for words, that is said of the machine: not that they stand nowhere. Each
// Nth look fails in turn (utf8_contains is wrapped by the linker: a library takes its memory).
#include "answering.h"
#include "screen.h"
#include "shown.h"
#include "suite.h"
#include "utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool __real_utf8_contains(const char *text, const char *word);
bool __wrap_utf8_contains(const char *text, const char *word);

static long left = -1; // looks until one fails; negative: none does

bool __wrap_utf8_contains(const char *text, const char *word)
{
    if (left < 0 || left-- > 0)
        return __real_utf8_contains(text, word);
    errno = ENOMEM;
    return false;
}

static const char text[] = "# T\n\n## First {#first}\n\nNothing of that.\n\n"
                           "```attnscope\nscenario causal\n```\n\n"
                           "## Second {#second}\n\n*Soon* broadcasting repeats a number.\n\n## "
                           "Third {#third}\n\nThe end.\n";

static void begin(void)
{
    open_text("lecture.md", text, NULL);
}

static void finish(void)
{
    left = -1;
    close_lecture();
}

// Looks for the words with each look failing in turn, until none does. Returns how many did.
static int look_without_memory(const char *words)
{
    int looks = 0;
    for (bool failed = true; failed; looks++) {
        left = looks;
        bool found = accepted(words);
        failed = left < 0;
        left = -1;
        ck_assert_msg(!failed || (!found && failure.of_machine && opened.page == 0), "look %d: %s",
                      looks, failure.text);
        ck_assert_msg(!failed || strstr(failure.text, "out of memory for this search"), "%s",
                      failure.text);
    }
    return looks - 1;
}

TEST(words_that_are_there_are_not_passed_over)
{
    // The second page's title and the paragraph that has them, the page's empty question between.
    ck_assert_int_eq(look_without_memory("find soon broadcasting"), 3);
    ck_assert_int_eq(opened.page, 1);
}

TEST(words_are_not_said_to_be_nowhere)
{
    // Three pages, each with a title, a question and a paragraph.
    ck_assert_int_ge(look_without_memory("find rhubarb"), 9);
    ck_assert_str_eq(failure.text, "no page contains these words: \"rhubarb\"");
    ck_assert(!failure.of_machine);
}

TEST(terms_are_not_silently_left_out)
{
    Cells cells = {0};
    ck_assert(cells_resize(&cells, 120, 60, &failure));
    ck_assert_msg(accepted("page second") && accepted("glossary"), "%s", failure.text);
    screen_show(&session, &cells);
    ck_assert(strstr(shown(&cells), "broadcasting ("));
    ck_assert(!strstr(shown(&cells), "ut of memory"));
    char *whole = strdup(shown(&cells)); // a page counts its lines before it draws them
    int looks = 0, said = 0;
    for (bool failed = true; failed; looks++) {
        left = looks;
        screen_show(&session, &cells);
        failed = left < 0;
        left = -1;
        bool is_said = strstr(shown(&cells), "Out of memory for the terms") != NULL;
        ck_assert_msg(is_said || strcmp(shown(&cells), whole) == 0, "look %d", looks);
        ck_assert(failed || !is_said);
        said += is_said;
    }
    ck_assert_int_gt(said, 40); // one for each term, at least
    free(whole);
    cells_finish(&cells);
}

SUITE_WITH("search_memory", begin, finish)

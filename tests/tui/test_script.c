// The stepper driven by lines of text: keys, words, sizes and screens.
#include "tui.h"

#include "suite.h"
#include "talking.h"

#include <stdio.h>
#include <string.h>

static bool play(const char *script, char *text, size_t room)
{
    FILE *in = fmemopen((void *)(uintptr_t)script, strlen(script), "r");
    FILE *out = fmemopen(text, room, "w");
    bool good = tui_script(&it.session, in, 80, 24, out, &it.err);
    fclose(in);
    fclose(out);
    return good;
}

TEST(a_script_presses_keys_says_words_and_writes_screens)
{
    static char text[20000];
    open_batch();
    ck_assert_msg(
        play("# a remark\n\nkey n\nnext\nsize 60x13\nscreen\nkey Tab\n", text, sizeof text), "%s",
        it.err.text);
    ck_assert_int_eq(it.session.cursor.step, 2);
    ck_assert_int_eq(strncmp(text, "=== 60x13\n attnscope  tiny", 26), 0);
    ck_assert_str_eq(text + strlen(text) - 5, "\n===\n");
    close_all();
}

TEST(a_script_that_cannot_go_on_names_the_line)
{
    static const char *const refused[][2] = {
        {"next\nnxet\n", "script line 2: unknown command \"nxet\"; did you mean \"next\"?"},
        {"\n\nkey F11\n", "script line 3: the key \"F11\" does nothing"},
        {"size 80\n", "script line 1: \"size\" needs columns and rows, 1x1 to 1000x1000, such as "
                      "80x24, not \"80\""},
        {"size 0x0\n", "script line 1: \"size\" needs columns and rows, 1x1 to 1000x1000, such as "
                       "80x24, not \"0x0\""},
        {"goto nowhere\n",
         "script line 1: unknown step \"nowhere\"; steps are 1 to 19 and names such as \"pad\""},
    };
    static char text[20000];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        open_batch();
        ck_assert(!play(refused[i][0], text, sizeof text));
        ck_assert_str_eq(it.err.text, refused[i][1]);
        close_all();
    }
}

TEST(a_script_ends_when_it_quits)
{
    static char text[20000];
    open_batch();
    ck_assert(play("quit\nnonsense\n", text, sizeof text));
    close_all();
}

SUITE("script")

// The line for words: typing, completing, mending, and the lines typed before. The scenario is
// document 002's: steps score, scale, softmax, weighted_sum.
#include "session.h"

#include "stepping.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

static Stepping stepping;

static bool press(const char *key)
{
    Command command;
    ck_assert_msg(session_key(&stepping.session, key, &command), "%s", key);
    return session_apply(&stepping.session, &command, &stepping.err);
}

// Every character is a key.
static void type(const char *ascii)
{
    for (; *ascii; ascii++) {
        char key[] = {*ascii, '\0'};
        ck_assert_msg(press(*ascii == ' ' ? "Space" : key), "%s", stepping.err.text);
    }
}

// The line with its cursor shown as '|'; "closed" where there is none.
static const char *line(void)
{
    static char text[LINE_EDIT_ROOM + 8];
    const SessionPrompt *prompt = &stepping.session.prompt;
    const char *words = prompt->line.text;
    int cursor = (int)prompt->line.cursor;
    if (!prompt->open)
        return "closed";
    snprintf(text, sizeof text, "%.*s|%s", cursor, words, words + cursor);
    return text;
}

static const char *hint(void)
{
    static char text[PROMPT_HINT_MAX];
    return session_prompt_hint(&stepping.session, text);
}

TEST(words_are_typed_and_run)
{
    stepping_open_printed(&stepping);
    press(":");
    ck_assert_str_eq(line(), "|");
    type("goto softmax");
    ck_assert_str_eq(line(), "goto softmax|");
    ck_assert_str_eq(stepping_step(&stepping), "score"); // not before Enter
    ck_assert(press("Enter"));
    ck_assert_str_eq(line(), "closed");
    ck_assert_str_eq(stepping_step(&stepping), "softmax");
    press(":");
    press("Enter"); // nothing was typed: nothing happens
    ck_assert_str_eq(line(), "closed");
    ck_assert_str_eq(stepping.session.message.text, "");
    stepping_close(&stepping);
}

TEST(keys_that_are_commands_elsewhere_are_text_here)
{
    stepping_open_printed(&stepping);
    press(":");
    type("nq?:");
    ck_assert_str_eq(line(), "nq?:|");
    ck_assert(!stepping.session.quit);
    press("PageDown");
    press("F1");
    ck_assert(!stepping.session.help.open);
    press("\uadf8");
    ck_assert_str_eq(line(), "nq?:\uadf8|");
    press("Left");
    press("^U");
    ck_assert_str_eq(line(), "|\uadf8");
    press("End");
    press("Backspace");
    press("Escape");
    ck_assert_str_eq(line(), "closed");
    ck_assert_str_eq(stepping_step(&stepping), "score");
    stepping_close(&stepping);
}

TEST(what_is_refused_stays_there_to_be_mended)
{
    stepping_open_printed(&stepping);
    press(":");
    type("goto sofmax");
    ck_assert(!press("Enter"));
    ck_assert_str_eq(line(), "goto sofmax|");
    ck_assert_ptr_nonnull(strstr(stepping.session.message.text, "\"softmax\""));
    for (int i = 0; i < 3; i++)
        press("Left");
    ck_assert_str_eq(stepping.session.message.text, "");
    type("t");
    ck_assert(press("Enter"));
    ck_assert_str_eq(stepping_step(&stepping), "softmax");
    press(":");
    type("nxet");
    ck_assert(!press("Enter"));
    ck_assert_ptr_nonnull(strstr(stepping.session.message.text, "did you mean \"next\""));
    stepping_close(&stepping);
}

TEST(a_line_cannot_press_its_own_enter)
{
    stepping_open_printed(&stepping);
    press(":");
    type("type Enter");
    ck_assert(!press("Enter"));
    ck_assert_str_eq(line(), "type Enter|");
    ck_assert(!stepping_try(&stepping, "goto nowhere"));
    press("Escape");
    ck_assert(!stepping_try(&stepping, "type a"));
    stepping_close(&stepping);
}

TEST(tab_completes_commands_and_their_names)
{
    stepping_open_printed(&stepping);
    press(":");
    type("got");
    press("Tab");
    ck_assert_str_eq(line(), "goto |");
    type("w");
    press("Tab");
    ck_assert_str_eq(line(), "goto weighted_sum|");
    press("^W");
    type("s");
    press("Tab"); // score, scale and softmax share no more
    ck_assert_str_eq(line(), "goto s|");
    ck_assert_str_eq(stepping.session.message.text, "score  scale  softmax");
    type("c");
    press("Tab");
    ck_assert_str_eq(line(), "goto sc|");
    ck_assert_str_eq(stepping.session.message.text, "score  scale");
    type("x");
    press("Tab"); // nothing begins so
    ck_assert_str_eq(line(), "goto scx|");
    press("^U");
    type("tensor ");
    press("Tab");
    ck_assert_str_eq(stepping.session.message.text, "q  k  scores");
    press("^U");
    type("firs");
    press("Tab"); // takes nothing, so no space
    ck_assert_str_eq(line(), "first|");
    stepping_close(&stepping);
}

TEST(completion_stops_at_the_cursor)
{
    stepping_open_printed(&stepping);
    press(":");
    type("gotscore");
    for (int i = 0; i < 5; i++)
        press("Left");
    press("Tab");
    ck_assert_str_eq(line(), "goto |score");
    stepping_close(&stepping);
}

TEST(a_hint_says_what_the_words_do)
{
    stepping_open_printed(&stepping);
    press(":");
    type("dep");
    ck_assert_str_eq(hint(), "depth-next  depth");
    type("th ");
    ck_assert_str_eq(hint(), "depth name: how far next goes: depth stage, element, term");
    press("^U");
    type("banana");
    ck_assert_str_eq(hint(), "no command begins like this");
    stepping_close(&stepping);
}

TEST(a_hint_says_what_can_be_changed_where_a_number_is_computed)
{
    stepping_open_printed(&stepping);
    stepping_say(&stepping, "goto softmax");
    press("e");
    ck_assert_str_eq(hint(), "attn_weights is computed; change its inputs, as in q[0,0,0]=0.5, or "
                             "an option, as in attention.scale=none");
    press("Escape");
    stepping_say(&stepping, "goto score");
    stepping_say(&stepping, "tensor q"); // given: a bare number is enough
    press("e");
    ck_assert_str_eq(hint(), "set name: set 0.5 here; x[0,1,2]=0.5; attention.scale=none");
    stepping_close(&stepping);
}

TEST(lines_typed_before_come_back)
{
    stepping_open_printed(&stepping);
    stepping_say(&stepping, "remember goto scale");
    press(":");
    type("down 2");
    press("Enter");
    press(":");
    type("ne");
    press("Up");
    ck_assert_str_eq(line(), "down 2|");
    press("Up");
    ck_assert_str_eq(line(), "goto scale|");
    press("Up"); // there is none before it
    ck_assert_str_eq(line(), "goto scale|");
    press("Down");
    press("Down");
    ck_assert_str_eq(line(), "ne|");
    press("Down");
    ck_assert_str_eq(line(), "ne|");
    press("Up");
    press("Up");
    ck_assert(press("Enter"));
    ck_assert_str_eq(stepping_step(&stepping), "scale");
    press(":");
    type("goto nowhere");
    ck_assert(!press("Enter")); // refused: not worth remembering
    press("Up");
    ck_assert_str_eq(line(), "goto scale|");
    stepping_close(&stepping);
}

TEST(a_formula_is_written_and_checked_while_it_is_typed)
{
    char hint[PROMPT_HINT_MAX];
    stepping_open_printed(&stepping);
    stepping_say(&stepping, "goto scale");
    press("D");
    ck_assert_str_eq(line(), "formula scores_scaled[b,h,i,j] = scores[b,h,i,j] / scale|");
    for (int i = 0; i < 5; i++)
        press("Backspace");
    type("d_x");
    session_prompt_hint(&stepping.session, hint);
    ck_assert_str_eq(hint, "1:44: unknown tensor, axis, size or option 'd_x'");
    ck_assert(!press("Enter"));
    press("Backspace");
    type("k + q");
    press("Tab");
    ck_assert_str_eq(line(), "formula scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k + q[b,i,d]|");
    session_prompt_hint(&stepping.session, hint);
    ck_assert_ptr_nonnull(strstr(hint, "'d'"));
    for (int i = 0; i < 11; i++)
        press("Backspace");
    session_prompt_hint(&stepping.session, hint);
    ck_assert_ptr_nonnull(strstr(hint, "valid: Enter computes it"));
    stepping_close(&stepping);
}

SUITE("prompt")

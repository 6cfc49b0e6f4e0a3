// Playing: what the session tells the loop that waits for keys.

#include "suite.h"
#include "talking.h"

TEST(playing_asks_for_next_as_often_as_it_was_told)
{
    stepping_open_printed(&it);
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    say("play 4");
    ck_assert_int_eq(session_next_tick(&it.session), 250);
    say("pause");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    say("play-pause"); // as fast as before
    ck_assert_int_eq(session_next_tick(&it.session), 250);
    say("play-pause");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    say("play");
    ck_assert_int_eq(session_next_tick(&it.session), 1000);
    stepping_close(&it);
}

TEST(it_ends_at_the_end)
{
    stepping_open_printed(&it); // four steps
    say("play");
    for (int step = 1; step < 4; step++) {
        say("next");
        ck_assert_int_eq(session_next_tick(&it.session), 1000);
    }
    say("next");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    ck_assert_str_eq(it.session.message.text, "this is the last step");
    say("depth element");
    say("play 2");
    say("@[0, 2, 2]");
    say("next");
    ck_assert_int_eq(session_next_tick(&it.session), 500);
    say("next");
    ck_assert_int_eq(session_next_tick(&it.session), -1);
    stepping_close(&it);
}

TEST(it_ends_where_somebody_takes_over_but_not_where_somebody_looks)
{
    static const char *const takes_over[] = {"previous", "goto softmax", "first", "last"};
    static const char *const looks[] = {"down", "tensor q", "flip", "depth element"};
    stepping_open_printed(&it);
    for (int i = 0; i < 4; i++) {
        say("first");
        say("play");
        say(looks[i]);
        ck_assert_int_eq(session_next_tick(&it.session), 1000);
        say(takes_over[i]);
        ck_assert_int_eq(session_next_tick(&it.session), -1);
    }
    stepping_close(&it);
}

TEST(a_speed_that_nobody_can_follow_is_refused)
{
    stepping_open_printed(&it);
    say("play 60");
    ck_assert(!stepping_try(&it, "play 61"));
    ck_assert_str_eq(it.err.text, "\"play\" takes a rate from 1 to 60 per second, not 61");
    ck_assert(!stepping_try(&it, "play 0"));
    ck_assert_int_eq(it.session.play.rate, 60);
    stepping_close(&it);
}

SUITE("session_play")

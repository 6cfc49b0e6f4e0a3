// A watched file: other bytes are found, by notifications and by looking; the same bytes are not.
#include "input_file.h"

#include "scratch.h"
#include "suite.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FileWatch watch;
static Arena arena;
static Error err;

static void put(const char *name, const char *text)
{
    scratch_write(name, text, strlen(text));
}

static void begin(bool may_notify)
{
    put("a.c", "one");
    ck_assert(file_watch_open(&watch, scratch_path("a.c"), may_notify, &arena, &err));
}

static void end(void)
{
    file_watch_close(&watch);
    arena_finish(&arena);
    scratch_close();
}

// Waits as the watch says, but not for long; whether it found a change by then.
static bool waits(void)
{
    struct pollfd waits = {.fd = watch.descriptor, .events = POLLIN};
    int longest = file_watch_milliseconds(&watch);
    poll(&waits, watch.descriptor >= 0, longest < 100 ? longest : 100);
    return file_watch_changed(&watch);
}

// A change is believed when the same bytes are seen twice.
static bool waits_twice(void)
{
    return waits() || waits();
}

LOOP_TEST(other_bytes_are_found_once, 2)
{
    begin(_i == 0);
    put("a.c", "two");
    ck_assert(waits_twice());
    ck_assert(!waits_twice());
    put("a.c", "two");
    ck_assert(!waits_twice());
    put("a.c", "one");
    ck_assert(waits_twice());
}

// Most editors write beside it and rename.
LOOP_TEST(a_file_that_is_replaced_is_followed, 2)
{
    begin(_i == 0);
    unlink(scratch_path("a.c"));
    ck_assert(!waits_twice());
    put("new", "two");
    ck_assert_int_eq(rename(scratch_path("new"), scratch_path("a.c")), 0);
    ck_assert(waits_twice());
}

TEST(half_a_file_is_not_taken_for_the_whole)
{
    begin(false);
    put("a.c", "");
    ck_assert(!file_watch_changed(&watch));
    put("a.c", "two");
    ck_assert(!file_watch_changed(&watch));
    ck_assert(file_watch_changed(&watch));
}

TEST(news_come_at_once_where_they_come)
{
    begin(true);
    put("a.c", "two");
    struct pollfd news = {.fd = watch.descriptor, .events = POLLIN};
    ck_assert_int_eq(poll(&news, 1, 0), 1);
}

TEST(the_probe_leaves_nothing_behind)
{
    begin(true);
    ck_assert_int_eq(watch.mode, FILE_WATCH_NOTIFIED); // of /tmp the system tells
    ck_assert_int_eq(scratch_count(), 1);
}

// As on a file system that another machine writes to: no news come, and the bytes differ.
TEST(what_is_found_without_news_is_looked_for_more_often)
{
    begin(true);
    int before = file_watch_milliseconds(&watch);
    put("a.c", "two");
    char events[4096];
    ck_assert(read(watch.descriptor, events, sizeof events) > 0); // the news are lost
    ck_assert(!file_watch_changed(&watch));
    ck_assert(file_watch_changed(&watch));
    ck_assert_int_eq(watch.mode, FILE_WATCH_POLLED);
    ck_assert_int_lt(file_watch_milliseconds(&watch), before);
}

SUITE_WITH("file_watch", scratch_open, end)

// How a window's process ends, said in words, with small programs in its place that end as they are
// told: before their first word, later, by a signal, without one; and the second start under X11.
#include "window.h"
#include "scratch.h"
#include "suite.h"
#include "window_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static Window window;
static WindowEvent event;
static Error err;

// A shell script in place of attnscope-window. It writes its arguments into the file "starts", a
// line for each start; descriptor 3 is the socket.
static void stand_in(const char *script)
{
    char text[1024];
    int bytes = snprintf(text, sizeof text, "#!/bin/sh\necho \"$*\" >>'%s'\n%s\n",
                         scratch_path("starts"), script);
    const char *path = scratch_write("stand-in", text, (size_t)bytes);
    ck_assert_int_eq(chmod(path, 0755), 0);
    setenv("ATTNSCOPE_WINDOW", path, 1);
}

// NULL: not set. No display is there: nothing looks at one.
static void displays(const char *wayland, const char *x11, const char *driver)
{
    const char *const names[] = {"WAYLAND_DISPLAY", "DISPLAY", "SDL_VIDEODRIVER"};
    const char *const values[] = {wayland, x11, driver};
    for (int i = 0; i < 3; i++)
        if (values[i])
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
}

static bool opens(void)
{
    err = (Error){.text = ""};
    return window_open(&window, "a title", 30, 20, &err);
}

// What was started, "a title 30 20\n" for each start.
static const char *starts(void)
{
    static char text[256];
    size_t length;
    char *read = (char *)scratch_read(scratch_path("starts"), &length);
    snprintf(text, sizeof text, "%.*s", (int)length, read);
    free(read);
    return text;
}

static bool says(const char *part)
{
    return strstr(err.text, part) != NULL;
}

static void close_window(void)
{
    window_close(&window);
    scratch_close();
}

FIXTURE(scratch_open, close_window)

TEST(a_crash_before_the_first_word_is_told_with_its_signal)
{
    static const char *const shown[3][2] = {{NULL, NULL}, {"wayland-0", NULL}, {NULL, ":0"}};
    stand_in("kill -SEGV $$");
    for (int i = 0; i < 3; i++) {
        displays(shown[i][0], shown[i][1], NULL);
        ck_assert(!opens());
        ck_assert_msg(says("signal 11") && says("Segmentation fault") && says("--png"), "%s",
                      err.text);
        ck_assert_msg(!says("SDL_VIDEODRIVER"), "%s", err.text); // there is no other to try
    }
    ck_assert_str_eq(starts(), "a title 30 20\na title 30 20\na title 30 20\n");
}

TEST(a_crash_under_wayland_is_followed_by_a_start_under_x11)
{
    stand_in("[ \"$4\" = x11 ] || kill -SEGV $$\n"
             "printf 'version 4\\0size 30 20 1000\\0shown\\0' >&3; head -c 20 <&3 >/dev/null");
    displays("wayland-0", ":0", NULL);
    ck_assert_msg(opens(), "%s", err.text);
    ck_assert_str_eq(starts(), "a title 30 20\na title 30 20 x11\n");
    ck_assert_int_eq(window.width, 30);
    ck_assert(window_wait(&window, 0) && window_next(&window, &event));
    ck_assert_int_eq(event.kind, WINDOW_NOTE);
    ck_assert_ptr_nonnull(strstr(event.word, "under Wayland the window was stopped by signal 11"));
    ck_assert_ptr_nonnull(strstr(event.word, "SDL_VIDEODRIVER=x11"));
    ck_assert(!window_next(&window, &event));
}

TEST(a_crash_under_both_is_told_once_for_each)
{
    stand_in("[ \"$4\" = x11 ] && kill -ABRT $$\nkill -SEGV $$");
    displays("wayland-0", ":0", NULL);
    ck_assert(!opens());
    ck_assert_str_eq(starts(), "a title 30 20\na title 30 20 x11\n");
    ck_assert_msg(says("under Wayland the window was stopped by signal 11"), "%s", err.text);
    ck_assert_msg(says("under X11: the window closed unexpectedly, by signal 6"), "%s", err.text);
    ck_assert_msg(!says("Try SDL_VIDEODRIVER"), "%s", err.text);
}

TEST(what_the_second_start_cannot_do_is_told_too)
{
    stand_in(
        "[ \"$4\" = x11 ] || kill -SEGV $$\nprintf 'version 4\\0failed no such screen\\0' >&3");
    displays("wayland-0", ":0", NULL);
    ck_assert(!opens());
    ck_assert_msg(says("signal 11") && says("under X11: no such screen"), "%s", err.text);
}

TEST(a_driver_that_somebody_named_is_not_changed)
{
    stand_in("kill -SEGV $$");
    displays("wayland-0", ":0", "wayland");
    ck_assert(!opens());
    ck_assert_str_eq(starts(), "a title 30 20\n");
    ck_assert_msg(says("signal 11") && says("SDL_VIDEODRIVER=x11"), "%s", err.text);
    displays("wayland-0", ":0", "x11");
    ck_assert(!opens());
    ck_assert_str_eq(starts(), "a title 30 20\na title 30 20\n");
    ck_assert_msg(says("signal 11") && !says("SDL_VIDEODRIVER"), "%s", err.text);
}

TEST(an_end_without_a_signal_is_not_tried_again)
{
    stand_in("exit 3");
    displays("wayland-0", ":0", NULL);
    ck_assert(!opens());
    ck_assert_str_eq(starts(), "a title 30 20\n");
    ck_assert_msg(says("its display may be gone") && says("--png"), "%s", err.text);
    stand_in("printf 'version 4\\0failed no such screen\\0' >&3; kill -SEGV $$"); // it has said why
    ck_assert(!opens());
    ck_assert_str_eq(err.text, "no such screen");
    ck_assert_str_eq(starts(), "a title 30 20\na title 30 20\n");
}

TEST(a_crash_while_it_is_in_use_is_told)
{
    DisplayList list = {.width = 30, .height = 20};
    stand_in("printf 'version 4\\0size 30 20 1000\\0shown\\0' >&3; head -c 20 <&3 >/dev/null; "
             "kill -BUS $$");
    displays("wayland-0", ":0", NULL);
    ck_assert_msg(opens(), "%s", err.text);
    ck_assert(window_show(&window, &list));
    while (window_wait(&window, -1) && !window_next(&window, &event))
        continue;
    ck_assert_int_eq(event.kind, WINDOW_LOST);
    ck_assert_msg(strstr(event.word, "unexpectedly, by signal 7 (Bus error)") &&
                      strstr(event.word, "SDL_VIDEODRIVER=x11"),
                  "%s", event.word);
    ck_assert(!window_next(&window, &event));
    ck_assert_str_eq(starts(), "a title 30 20\n");
}

TEST(a_program_of_another_version_is_told_as_what_it_is)
{
    static const char *const strangers[] = {
        "printf 'fonts 1 2\\nshown\\n' >&3", // lines, as once
        "printf 'version 1\\0shown\\0' >&3; head -c 20 <&3 >/dev/null",
        "printf 'shown\\0' >&3; head -c 20 <&3 >/dev/null",
    };
    displays(NULL, ":0", NULL);
    for (int i = 0; i < 3; i++) {
        stand_in(strangers[i]);
        ck_assert(!opens());
        ck_assert_msg(says("another version") && says("ATTNSCOPE_WINDOW"), "%s", err.text);
    }
}

TEST(a_crash_over_a_picture_is_told_without_words_on_displays)
{
    stand_in("kill -SEGV $$");
    displays("wayland-0", ":0", NULL);
    err = (Error){.text = ""};
    ck_assert(!window_open_unseen(&window, &err));
    ck_assert_str_eq(starts(), "\n");
    ck_assert_msg(says("pictures") && says("signal 11"), "%s", err.text);
    ck_assert_msg(!says("--png") && !says("SDL_VIDEODRIVER"), "%s", err.text);
}

// Descriptor 3 is closed, but the process goes on.
TEST(one_that_says_no_more_but_goes_on_is_ended)
{
    stand_in("exec 3>&-; exec sleep 600");
    displays(NULL, ":0", NULL);
    ck_assert(!opens());
    ck_assert_msg(says("its display may be gone"), "%s", err.text);
    ck_assert_int_eq(window.child, 0);
}

// --- The messages between the program and its window's process: whatever is said arrives as it was, in
// whatever pieces, and what is too long is found out.

static WindowInbox inbox;
static char message[WINDOW_MESSAGE_MAX];

static void arrives(const char *bytes, size_t count)
{
    ck_assert_uint_le(inbox.used + count, sizeof inbox.bytes);
    memcpy(inbox.bytes + inbox.used, bytes, count);
    inbox.used += count;
}

static WindowTaken take(void)
{
    bool has = window_wire_has(&inbox);
    WindowTaken taken = window_wire_take(&inbox, message);
    ck_assert_int_eq(has, taken != WINDOW_TAKEN_NOTHING);
    return taken;
}

static void starts_anew(void)
{
    inbox = (WindowInbox){.used = 0};
}

FIXTURE(NULL, NULL)

TEST(every_byte_that_a_path_can_hold_arrives)
{
    char said[256];
    starts_anew();
    for (int i = 0; i < 255; i++)
        said[i] = (char)(i + 1);
    said[255] = '\0';
    arrives(said, sizeof said);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, said);
    ck_assert_int_eq(take(), WINDOW_TAKEN_NOTHING);
}

TEST(messages_may_come_byte_by_byte_or_all_at_once)
{
    starts_anew();
    for (size_t i = 0; i < sizeof "shown"; i++) {
        ck_assert_int_eq(take(), WINDOW_TAKEN_NOTHING);
        arrives(&"shown"[i], 1);
    }
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, "shown");
    arrives("shown\0note one\ntwo\0x", 20);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, "note one\ntwo");
    ck_assert_int_eq(take(), WINDOW_TAKEN_NOTHING);
    arrives("y", 2);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, "xy");
}

TEST(the_longest_message_fits_and_a_longer_one_is_broken)
{
    static char said[WINDOW_MESSAGE_MAX + 1];
    starts_anew();
    memset(said, 'x', WINDOW_MESSAGE_MAX - 1);
    arrives(said, WINDOW_MESSAGE_MAX);
    arrives(said, WINDOW_MESSAGE_MAX);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, said);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    said[WINDOW_MESSAGE_MAX - 1] = 'x';
    arrives(said, WINDOW_MESSAGE_MAX - 1);
    ck_assert_int_eq(take(), WINDOW_TAKEN_NOTHING);
    arrives(said, 1);
    ck_assert_int_eq(take(), WINDOW_TAKEN_BROKEN);
}

TEST(a_version_is_ours_or_it_is_not)
{
    ck_assert(window_wire_is_ours("version 4"));
    ck_assert(!window_wire_is_ours("version 1"));
    ck_assert(!window_wire_is_ours("version 22"));
    ck_assert(!window_wire_is_ours("shown"));
}

SUITE("window_child")

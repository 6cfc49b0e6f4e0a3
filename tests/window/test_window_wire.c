// The frames in which the program and its window's process speak: whatever is said arrives as it was,
// in whatever pieces, and what is no frame is found out.
#include "window_wire.h"

#include <string.h>
#include "suite.h"

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

TEST(a_frame_is_a_length_the_message_and_a_comma)
{
    char frame[WINDOW_FRAME_MAX];
    ck_assert_uint_eq(window_wire_frame("picture 3 a,\nb", frame), 18);
    ck_assert_mem_eq(frame, "14:picture 3 a,\nb,", 18);
    ck_assert_uint_eq(window_wire_frame("", frame), 3);
    ck_assert_mem_eq(frame, "0:,", 3);
}

TEST(every_byte_that_a_path_can_hold_arrives)
{
    char said[256], frame[WINDOW_FRAME_MAX];
    starts_anew();
    for (int i = 0; i < 255; i++)
        said[i] = (char)(i + 1);
    said[255] = '\0';
    arrives(frame, window_wire_frame(said, frame));
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, said);
    ck_assert_int_eq(take(), WINDOW_TAKEN_NOTHING);
}

TEST(messages_may_come_byte_by_byte_or_all_at_once)
{
    starts_anew();
    for (size_t i = 0; i < 8; i++) {
        ck_assert_int_eq(take(), WINDOW_TAKEN_NOTHING);
        arrives(&"5:shown,"[i], 1);
    }
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, "shown");
    arrives("5:shown,12:note one\ntwo,1:", 26);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, "note one\ntwo");
    ck_assert_int_eq(take(), WINDOW_TAKEN_NOTHING);
    arrives("x,", 2);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, "x");
}

TEST(what_is_no_frame_is_broken)
{
    static const struct {
        const char *bytes;
        size_t count;
    } wrong[] = {
        {"fonts 1 2\n", 10}, {":x,", 3},
        {"-1:x,", 5},        {"5:shown\n", 8}, // another program, a line
        {"99999:", 6},       {"8192:", 5},
        {"00001:x,", 8},     {"3:a\0b,", 6}, // too long, a zero inside
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        starts_anew();
        arrives(wrong[i].bytes, wrong[i].count);
        ck_assert_msg(take() == WINDOW_TAKEN_BROKEN, "%s", wrong[i].bytes);
    }
}

TEST(the_longest_message_fits_and_a_longer_one_is_refused)
{
    static char said[WINDOW_MESSAGE_MAX + 1], frame[WINDOW_FRAME_MAX];
    starts_anew();
    memset(said, 'x', WINDOW_MESSAGE_MAX);
    ck_assert_uint_eq(window_wire_frame(said, frame), 0);
    said[WINDOW_MESSAGE_MAX - 1] = '\0';
    size_t bytes = window_wire_frame(said, frame);
    ck_assert_uint_eq(bytes, WINDOW_MESSAGE_MAX - 1 + 6);
    arrives(frame, bytes);
    arrives(frame, bytes);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
    ck_assert_str_eq(message, said);
    ck_assert_int_eq(take(), WINDOW_TAKEN_MESSAGE);
}

TEST(a_version_is_ours_or_it_is_not)
{
    ck_assert(window_wire_is_ours("version 3"));
    ck_assert(!window_wire_is_ours("version 1"));
    ck_assert(!window_wire_is_ours("version 22"));
    ck_assert(!window_wire_is_ours("shown"));
}

SUITE("window_wire")

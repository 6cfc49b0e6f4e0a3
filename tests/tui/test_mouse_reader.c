// What terminals tell of their mouse, as events. The bytes are those of "XTerm Control Sequences".
#include "tui.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

// The events that codes make after what begins the form: "wheel row column" each, separated by commas.
static const char *events_of(MouseForm form, const char *codes, size_t count)
{
    static char text[256];
    MouseReader reader = {.form = form};
    MouseEvent event;
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        reader.form = reader.form ? reader.form : form; // what begins it comes before each
        if (mouse_reader_take(&reader, (unsigned char)codes[i], &event))
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%d %d %d",
                                       length ? ", " : "", event.wheel, event.row, event.column);
    }
    return text;
}

#define DECIMAL(codes) events_of(MOUSE_DECIMAL, codes, sizeof codes - 1)
#define BYTES(codes) events_of(MOUSE_BYTES, codes, sizeof codes - 1)

TEST(the_left_button_and_the_wheel_are_events)
{
    ck_assert_str_eq(DECIMAL("0;12;5M"), "0 4 11"); // terminals count from 1, column first
    ck_assert_str_eq(DECIMAL("64;1;1M65;300;2M"), "-1 0 0, 1 1 299");
    ck_assert_str_eq(BYTES(" ,%"), "0 4 11"); // 32 + 0, 32 + 12, 32 + 5
    ck_assert_str_eq(BYTES("`!!a\377\""), "-1 0 0, 1 1 222");
}

TEST(shift_meta_and_control_change_nothing)
{
    ck_assert_str_eq(DECIMAL("4;1;1M8;1;1M16;1;1M84;1;1M"), "0 0 0, 0 0 0, 0 0 0, -1 0 0");
    ck_assert_str_eq(BYTES("4!!"), "0 0 0"); // 32 + 4 + 16
}

TEST(what_nobody_asked_for_is_over_without_an_event)
{
    ck_assert_str_eq(DECIMAL("0;12;5m"), "");                   // let go
    ck_assert_str_eq(DECIMAL("1;2;2M2;2;2M"), "");              // the other buttons
    ck_assert_str_eq(DECIMAL("32;2;2M35;2;2M"), "");            // moved, with a button and without
    ck_assert_str_eq(DECIMAL("66;2;2M67;2;2M0;1;1M"), "0 0 0"); // a wheel that turns sideways
    ck_assert_str_eq(BYTES("#!!b!!c!! !!"), "0 0 0");           // let go; sideways; pressed
}

TEST(what_is_no_such_thing_ends_it)
{
    ck_assert_str_eq(DECIMAL("0;1Mq0;1;1M"), "0 0 0"); // each of them once
    ck_assert_str_eq(DECIMAL("0;1;1;1M0;1;1M"), "0 0 0");
    ck_assert_str_eq(DECIMAL("0;0;1M0;1;0M"), ""); // there is no column 0
    ck_assert_str_eq(DECIMAL("99999999999999999999;1;1M"), "");
    ck_assert_str_eq(DECIMAL("0;99999999999999999999;1M"), "0 0 9998");
}

SUITE("mouse_reader")

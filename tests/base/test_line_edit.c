// A line that is edited, and the lines typed before.
#include "line_edit.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

static LineEdit line;

// The line with its cursor shown as '|'.
static const char *shown(void)
{
    static char text[LINE_EDIT_ROOM + 1];
    snprintf(text, sizeof text, "%.*s|%s", (int)line.cursor, line.text, line.text + line.cursor);
    return text;
}

TEST(text_goes_in_where_the_cursor_is)
{
    line_edit_set(&line, "goto");
    ck_assert_str_eq(shown(), "goto|");
    line_edit_insert(&line, " ");
    line_edit_insert(&line, "score");
    ck_assert_str_eq(shown(), "goto score|");
    line_edit_start(&line);
    line_edit_insert(&line, "x");
    ck_assert_str_eq(shown(), "x|goto score");
    line_edit_right(&line);
    ck_assert_str_eq(shown(), "xg|oto score");
    line_edit_end(&line);
    line_edit_left(&line);
    line_edit_insert(&line, "-");
    ck_assert_str_eq(shown(), "xgoto scor-|e");
}

TEST(the_cursor_stays_inside_the_line)
{
    line_edit_set(&line, "ab");
    line_edit_right(&line);
    ck_assert_str_eq(shown(), "ab|");
    line_edit_erase_after(&line);
    ck_assert_str_eq(shown(), "ab|");
    line_edit_start(&line);
    line_edit_left(&line);
    line_edit_erase(&line);
    line_edit_erase_word(&line);
    ck_assert_str_eq(shown(), "|ab");
}

TEST(characters_words_and_both_ends_can_be_taken_away)
{
    line_edit_set(&line, "goto project  q");
    line_edit_erase(&line);
    ck_assert_str_eq(shown(), "goto project  |");
    line_edit_erase_word(&line);
    ck_assert_str_eq(shown(), "goto |");
    line_edit_left(&line);
    line_edit_left(&line);
    line_edit_erase_after(&line);
    ck_assert_str_eq(shown(), "got| ");
    line_edit_set(&line, "left right");
    for (int i = 0; i < 6; i++)
        line_edit_left(&line);
    line_edit_erase_to_start(&line);
    ck_assert_str_eq(shown(), "| right");
    line_edit_right(&line);
    line_edit_right(&line);
    line_edit_erase_to_end(&line);
    ck_assert_str_eq(shown(), " r|");
}

TEST(a_wide_character_and_one_with_marks_are_one_step)
{
    line_edit_set(&line, "\uadf8e\u0301\ucc45"); // a Korean syllable, e with an accent, another
    line_edit_left(&line);
    ck_assert_str_eq(shown(), "\uadf8e\u0301|\ucc45");
    line_edit_left(&line);
    ck_assert_str_eq(shown(), "\uadf8|e\u0301\ucc45");
    line_edit_erase_after(&line);
    ck_assert_str_eq(shown(), "\uadf8|\ucc45");
    line_edit_right(&line);
    line_edit_erase(&line);
    ck_assert_str_eq(shown(), "\uadf8|");
}

TEST(what_does_not_fit_is_not_taken_and_no_character_is_cut)
{
    char text[LINE_EDIT_ROOM + 1];
    memset(text, 'a', sizeof text);
    text[LINE_EDIT_ROOM - 2] = '\0';
    line_edit_set(&line, text);
    ck_assert_uint_eq(line.cursor, LINE_EDIT_ROOM - 2);
    line_edit_insert(&line, "\u00e9"); // two bytes, one is free
    ck_assert_uint_eq(strlen(line.text), LINE_EDIT_ROOM - 2);
    line_edit_insert(&line, "b");
    line_edit_insert(&line, "c");
    ck_assert_uint_eq(strlen(line.text), LINE_EDIT_ROOM - 1);
    ck_assert_int_eq(line.text[LINE_EDIT_ROOM - 2], 'b');
    strcpy(text + LINE_EDIT_ROOM - 2, "\u00e9");
    line_edit_set(&line, text);
    ck_assert_uint_eq(strlen(line.text), LINE_EDIT_ROOM - 2);
}

TEST(a_line_is_remembered_once_the_newest_last)
{
    static History history;
    ck_assert_ptr_null(history_line(&history, 1));
    history_add(&history, "first");
    history_add(&history, "goto score");
    history_add(&history, "first");
    history_add(&history, "");
    ck_assert_int_eq(history.count, 2);
    ck_assert_str_eq(history_line(&history, 1), "first");
    ck_assert_str_eq(history_line(&history, 2), "goto score");
    ck_assert_ptr_null(history_line(&history, 3));
    ck_assert_ptr_null(history_line(&history, 0));
}

TEST(of_too_many_lines_the_oldest_are_forgotten)
{
    static History history;
    char text[LINE_EDIT_ROOM + 1];
    for (int i = 0; i < HISTORY_MAX + 5; i++) {
        snprintf(text, sizeof text, "pick %d", i);
        history_add(&history, text);
    }
    ck_assert_int_eq(history.count, HISTORY_MAX);
    ck_assert_str_eq(history_line(&history, HISTORY_MAX), "pick 5");
    ck_assert_str_eq(history_line(&history, 1), "pick 204");
    memset(text, 'a', sizeof text);
    text[LINE_EDIT_ROOM] = '\0';
    history_add(&history, text);
    ck_assert_str_eq(history_line(&history, 1), "pick 204");
}

SUITE("line_edit")

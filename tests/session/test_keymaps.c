// Keys by place: that no key means two things in one place at one time, and how keys are told.
#include "command.h"
#include "suite.h"
#include "training_watch.h"

#include <stdio.h>
#include <string.h>

static const KeyRow others[] = {
#define PROMPT_KEY(does, ...) KEY_ROW(PROMPT, 0, __VA_ARGS__),
#define PROMPT_EDIT(does, ...) KEY_ROW(PROMPT, 0, __VA_ARGS__),
#define COURSE_KEY(does, ...) KEY_ROW(COURSE, 0, __VA_ARGS__),
#define EXERCISE_KEY(does, ...) KEY_ROW(EXERCISE, 0, __VA_ARGS__),
#define NOTES_KEY(does, ...) KEY_ROW(NOTES, 0, __VA_ARGS__),
#define TYPING_KEY(does, ...) KEY_ROW(TYPING, 0, __VA_ARGS__),
#include "keymaps.def"
};

// The keys of the rows of one place, each framed by blanks; a key that is there already is told.
static void check_once(Keymap map, KeyPlace place, unsigned now)
{
    char seen[4096] = " ";
    for (int i = 0; i < map.count; i++) {
        char list[128], *rest = NULL;
        bool holds = (map.rows[i].when & ~(unsigned)KEY_TOLD & ~now) == 0;
        snprintf(list, sizeof list, "%s", map.rows[i].keys);
        for (char *key = strtok_r(list, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
            char framed[32];
            snprintf(framed, sizeof framed, " %s ", key);
            if (map.rows[i].place != place || !holds)
                continue;
            ck_assert_msg(strstr(seen, framed) == NULL, "%s is there twice, in place %d", key,
                          (int)place);
            snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s ", key);
        }
    }
}

TEST(no_key_means_two_things_in_one_place)
{
    int count = 0;
    while (command_key_row(count))
        count++;
    Keymap commands = {command_key_row(0), count};
    Keymap rest = {others, sizeof others / sizeof *others};
    for (int place = PLACE_STEPPER; place <= PLACE_TYPING; place++) {
        check_once(commands, (KeyPlace)place, 0);
        check_once(rest, (KeyPlace)place, 0);
    }
}

// Whatever a training does and shows.
TEST(nor_while_a_training_is_watched)
{
    static TrainingWatch watch;
    for (int now = 0; now < 16; now++) {
        watch.state = (WatchState)(now & 3);
        watch.shows_parameter = now & 4;
        watch.is_beside = now & 8;
        check_once(training_watch_keys, PLACE_TRAINING, training_watch_now(&watch));
    }
}

// Rows of its own. The first holds while bit 1 does, the second while bit 2 does.
static const KeyRow rows[] = {
    KEY_ROW(NOTES, 1, "Space x", "stop", "a", "", ""),
    KEY_ROW(NOTES, 2, "Space", "go", "b", "stops, and goes", "c"),
    KEY_ROW(NOTES, 0, "Up k", "", "", "", ""),
    KEY_ROW(NOTES, 0, "Down", "move", "d", "moves", "e"),
    KEY_ROW(NOTES, KEY_JOINS, "[", "before", "h", "", ""),
    KEY_ROW(NOTES, 0, "] }", "turn", "f", "", ""),
    KEY_ROW(NOTES, KEY_STAYS, "q", "leave", "g", "", ""),
    KEY_ROW(NOTES, 0, "Tab", "", "", "", ""),
};
static const Keymap map = {rows, sizeof rows / sizeof *rows};

TEST(a_key_is_found_while_its_row_holds)
{
    ck_assert_int_eq(keymap_find(map, PLACE_NOTES, 1, "Space"), 0);
    ck_assert_int_eq(keymap_find(map, PLACE_NOTES, 2, "Space"), 1);
    ck_assert_int_eq(keymap_find(map, PLACE_NOTES, 4, "Space"), -1);
    ck_assert_int_eq(keymap_find(map, PLACE_NOTES, 0, "k"), 2);
    ck_assert_int_eq(keymap_find(map, PLACE_NOTES, 0, "\u314f"), 2); // the letter on k
    ck_assert_int_eq(keymap_find(map, PLACE_COURSE, 0, "k"), -1);
    ck_assert_int_eq(keymap_find(map, PLACE_NOTES, 0, "] }"), -1);
    ck_assert_int_eq(keymap_find(map, PLACE_NOTES, 0, ""), -1);
}

static void check_bar(unsigned now, int columns, const char *wanted)
{
    char bar[KEY_BAR_MAX];
    ck_assert_str_eq(keymap_bar(map, now, LANGUAGE_ENGLISH, columns, bar), wanted);
}

TEST(the_last_line_tells_what_can_be_done_now)
{
    check_bar(1, 80, "Space stop  \u2191\u2193 move  [ ] turn  q leave");
    check_bar(2, 80, "Space go  \u2191\u2193 move  [ ] turn  q leave");
    check_bar(0, 80, "\u2191\u2193 move  [ ] turn  q leave");
    check_bar(0, 26, "\u2191\u2193 move  [ ] turn  q leave"); // 7 + 2 + 8 + 2 + 7
    check_bar(0, 25, "\u2191\u2193 move  [ ] turn  q");
    check_bar(0, 20, "\u2191\u2193 move  [ ] turn  q"); // 7 + 2 + 8 + 2 + 1
    check_bar(0, 19, "\u2191\u2193 move  q");
    check_bar(0, 1, "q");
}

// "[" is told with the words of "]", but alone with its own.
TEST(a_row_by_itself_has_its_own_words)
{
    KeyLabel told;
    ck_assert(keymap_tell((Keymap){&rows[4], 1}, KEY_LABEL, 0, LANGUAGE_ENGLISH, &(int){0}, &told));
    ck_assert_str_eq(told.keys, "[");
    ck_assert_str_eq(told.words, "before");
}

TEST(help_tells_a_key_once)
{
    KeyLabel told;
    int at = 0;
    ck_assert(keymap_tell(map, KEY_HELP, 3, LANGUAGE_ENGLISH, &at, &told));
    ck_assert_str_eq(told.keys, "Space");
    ck_assert_str_eq(told.words, "stops, and goes");
    ck_assert(keymap_tell(map, KEY_HELP, 3, LANGUAGE_KOREAN, &at, &told));
    ck_assert_str_eq(told.keys, "\u2191\u2193");
    ck_assert_str_eq(told.words, "e");
    ck_assert(!keymap_tell(map, KEY_HELP, 3, LANGUAGE_ENGLISH, &at, &told));
}

SUITE("keymaps")

// The line for words: typing, completing, mending, and the lines typed before. The scenario is
// document 002's: steps score, scale, softmax, weighted_sum.
#include "session.h"
#include "command.h"
#include "stepping.h"
#include "suite.h"
#include "training_watch.h"
#include "utf8.h"

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
    ck_assert_str_eq(hint(), "depth name: set how far next moves: depth stage, element, term");
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
    press("f");
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

// --- The list of commands: a word, a key and a line of help each, and how words become commands.

static Error err;

TEST(every_command_has_a_word_and_a_line_of_help)
{
    for (int kind = 0; kind < COMMAND_COUNT; kind++) {
        const CommandInfo *info = command_info((CommandKind)kind);
        ck_assert_str_ne(info->word, "");
        for (int language = 0; language < LANGUAGES; language++) {
            const char *help = info->help.in[language];
            ck_assert_str_ne(help, "");
            // the help page has 50 columns left for it at 80 columns
            ck_assert_msg(utf8_width(help) <= 50, "%s: %s", info->word, help);
        }
        // and 18 for the word and what it takes
        const char *argument = command_argument((CommandKind)kind);
        ck_assert_msg(strlen(info->word) + strlen(argument) <= 18, "%s%s", info->word, argument);
        for (int other = 0; other < kind; other++)
            ck_assert_str_ne(info->word, command_info((CommandKind)other)->word);
    }
}

TEST(every_key_means_one_command_and_finds_it)
{
    char seen[256][KEY_NAME_MAX];
    int count = 0;
    for (int kind = 0; kind < COMMAND_COUNT; kind++) {
        const CommandInfo *info = command_info((CommandKind)kind);
        char keys[64];
        snprintf(keys, sizeof keys, "%s", info->keys);
        for (char *key = strtok(keys, " "); key; key = strtok(NULL, " ")) {
            Command command;
            ck_assert(info->argument == ARGUMENT_NONE || info->argument == ARGUMENT_COUNT);
            ck_assert_msg(command_for_key(key, &command) && (int)command.kind == kind, "%s", key);
            ck_assert_int_eq(command.number, 1);
            for (int other = 0; other < count; other++)
                ck_assert_str_ne(seen[other], key);
            ck_assert_int_lt(count, (int)(sizeof seen / sizeof *seen));
            snprintf(seen[count++], KEY_NAME_MAX, "%s", key);
        }
    }
    Command command;
    ck_assert(!command_for_key("F11", &command));
    ck_assert(!command_for_key("", &command));
    ck_assert(!command_for_key("n Space", &command));
}

TEST(words_become_commands)
{
    Command command;
    ck_assert(command_parse("next", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_NEXT);
    ck_assert_int_eq(command.number, 1);
    ck_assert(command_parse("  down 25 ", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_DOWN);
    ck_assert_int_eq(command.number, 25);
    ck_assert(command_parse("goto project q ", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_GOTO);
    ck_assert_str_eq(command.name, "project q");
    ck_assert(command_parse("@[0, 3,2,1]", &command, &err));
    ck_assert_int_eq(command.kind, COMMAND_ELEMENT);
    ck_assert_int_eq(command.rank, 4);
    ck_assert_int_eq(command.index[1], 3);
    ck_assert_int_eq(command.index[3], 1);
    ck_assert(command_parse("@ 7", &command, &err));
    ck_assert_int_eq(command.rank, 1);
    ck_assert_int_eq(command.index[0], 7);
    ck_assert(command_parse(" scores[b,h,i,j] = 1", &command, &err)); // as with "formula" before it
    ck_assert_int_eq(command.kind, COMMAND_FORMULA);
    ck_assert_str_eq(command.name, "scores[b,h,i,j] = 1");
}

TEST(words_that_are_no_command_are_refused_with_the_nearest_one)
{
    static const char *const refused[][2] = {
        {"nxet", "unknown command \"nxet\"; did you mean \"next\"?"},
        {"banana", "unknown command \"banana\" (\"help\" lists all commands)"},
        {"한국어", "unknown command \"한국어\" (\"help\" lists all commands)"},
        {"", "unknown command \"\" (\"help\" lists all commands)"},
        {"next score", "\"next\" takes nothing or a whole number after it, not \"score\""},
        {"first 2", "\"first\" takes nothing after it, not \"2\""},
        {"pick", "\"pick\" needs an argument. pick n: set the index on the marked axis: pick 3"},
        {"pick -1", "\"pick\" takes a whole number after it, not \"-1\""},
        {"down 99999999999999999999",
         "\"down\" takes nothing or a whole number after it, not \"99999999999999999999\""},
        {"goto", "\"goto\" needs an argument. goto name: go to a step: goto score, goto 5"},
        {"@[0,1", "\"@\" takes an index of at most 6 numbers after it, as [0,3,2,1], not \"[0,1\""},
        {"@[1,2,3,4,5,6,7]",
         "\"@\" takes an index of at most 6 numbers after it, as [0,3,2,1], not "
         "\"[1,2,3,4,5,6,7]\""},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Command command;
        ck_assert(!command_parse(refused[i][0], &command, &err));
        ck_assert_str_eq(err.text, refused[i][1]);
    }
}

// --- Keys by place: that no key means two things in one place at one time, and how keys are told.

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
    static TrainingWatch watch, other;
    for (int now = 0; now < 16; now++) {
        watch.state = other.state = (WatchState)(now & 3);
        watch.shows_parameter = now & 4;
        watch.other = now & 8 ? &other : NULL;
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
    ck_assert_str_eq(keymap_bar(map, now, columns, bar), wanted);
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
    ck_assert(keymap_describe((Keymap){&rows[4], 1}, KEY_LABEL, 0, &(int){0}, &told));
    ck_assert_str_eq(told.keys, "[");
    ck_assert_str_eq(told.words, "before");
}

TEST(help_tells_a_key_once)
{
    KeyLabel told;
    int at = 0;
    ck_assert(keymap_describe(map, KEY_HELP, 3, &at, &told));
    ck_assert_str_eq(told.keys, "Space");
    ck_assert_str_eq(told.words, "stops, and goes");
    language_choose(LANGUAGE_KOREAN);
    ck_assert(keymap_describe(map, KEY_HELP, 3, &at, &told));
    language_choose(LANGUAGE_ENGLISH);
    ck_assert_str_eq(told.keys, "\u2191\u2193");
    ck_assert_str_eq(told.words, "e");
    ck_assert(!keymap_describe(map, KEY_HELP, 3, &at, &told));
}

SUITE("prompt")

// Every word in the window with a heatmap comes from a table: in the marked language what its display list
// says stands between brackets, whichever key was pressed. A PNG is the same list (test_marked.sh).
#include "looking.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "suite.h"
#include "words.h"

static Looking it;

static void open_window(void)
{
    language_choose(LANGUAGE_MARKED);
    looking_open(&it, tiny_self(2, 3, 4));
    looking_size(&it, 1200, 800);
}

static void close_window(void)
{
    looking_close(&it);
    language_choose(LANGUAGE_ENGLISH);
}

// Of the scenario, of formulas, of commands and the keyboard: the same in every language.
static bool is_name(const char *word, size_t length)
{
    static const char *const names[] = {
        "attn_weights", "d_v",      "d_k",   "viridis", "cividis", "magma",  "diverging",
        "PageUp",       "PageDown", "Home",  "Tab",     "Shift",   "Return", "Escape",
        "Backspace",    "Space",    "Ctrl",  "Up",      "Down",    "Left",   "Right",
        "attnscope",    "tiny",     "Enter", "F11",     "weights", "exp",    "max_m",
        "sum_k",        "mistake",  "scale", "missing",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0)
            return true;
    return strncmp(word, "scores", 6) == 0 || strncmp(word, "context", 7) == 0;
}

// And what PyTorch calls it: the same in every language.
static bool is_formula(const char *text)
{
    return strchr(text, '=') && !strstr(text, "\u27e6") && !strstr(text, "\u27e7");
}

static bool is_letter(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

// The depth of brackets behind the text; a word of three letters and more outside of them fails.
static int look_at(const char *text, int depth, const char *when)
{
    static const char opens[] = "\u27e6", closes[] = "\u27e7";
    while (*text) {
        size_t word = 0;
        while (is_letter(text[word]))
            word++;
        bool is_word = word >= 3 && isalpha((unsigned char)*text);
        ck_assert_msg(depth > 0 || !is_word || is_name(text, word), "after %s: \"%s\"", when, text);
        bool begins = strncmp(text, opens, strlen(opens)) == 0;
        bool ends = strncmp(text, closes, strlen(closes)) == 0;
        depth += begins - (ends && depth > 0);
        text += word > 0 ? word : begins || ends ? strlen(opens) : 1;
    }
    return depth;
}

// A sentence may go on in the next line, which begins below its first; what was cut closes nothing.
static void look(const char *when)
{
    const DisplayList *list = &it.view.list;
    const DisplayItem *before = NULL;
    int depth = 0, texts = 0;
    for (size_t i = 0; i < list->item_count; i++) {
        const DisplayItem *item = &list->items[i];
        if (item->kind != DISPLAY_TEXT)
            continue;
        const char *text = list->texts + item->at;
        if (is_formula(text))
            continue;
        bool goes_on = before && item->x == before->x && item->y > before->y;
        depth = look_at(text, goes_on ? depth : 0, when);
        before = item;
        texts++;
    }
    ck_assert_int_gt(texts, 3);
}

static void press(const char *key, KeyPlace place)
{
    Command command;
    if (command_for_key_in(place, key, &command))
        session_apply(&it.session, &command, &it.session.message); // one that is refused says so
    looking_draw(&it);
    look(key);
}

// Every key of the window, in the order of its page of keys; what they change stays for the next.
TEST(every_key_leads_to_words_of_tables)
{
    const KeyRow *row;
    look("opening");
    for (int i = 0; (row = command_key_row(i)) != NULL; i++) {
        char key[16];
        if (row->place == PLACE_WINDOW && sscanf(row->keys, "%15s", key) == 1)
            press(key, PLACE_WINDOW);
    }
    press("?", PLACE_WINDOW);
}

TEST(so_does_where_a_number_came_from)
{
    press("o", PLACE_WINDOW);
    for (int i = 0; i < 3; i++)
        press("Space", PLACE_ORIGIN);
    press("Return", PLACE_ORIGIN);
    press("?", PLACE_WINDOW);
}

// Its buttons are drawn where the pointer is.
TEST(so_do_the_buttons)
{
    for (int y = 8; y < 800; y += 49)
        for (int x = 8; x < 1200; x += 99) {
            looking_point(&it, x, y);
            look("pointing");
        }
}

TEST(a_mistake_beside_it_is_told_so)
{
    Error *err = &it.err;
    ck_assert_msg(looking_try(&it, "compare mistake scale-missing"), "%s", err->text);
    looking_draw(&it);
    press("y", PLACE_WINDOW);
}

SUITE_WITH("marked_picture", open_window, close_window)

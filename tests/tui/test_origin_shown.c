// Where a number came from, in the window and in the terminal at the same moment: whatever element one goes to
// and whatever term one marks, both name the same element and print the same digits.
#include "looking.h"
#include "screen.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 4, TERMS_MAX = 3 };

static Looking it;
static Cells cells;

static const char *row_text(int row)
{
    static char text[4096];
    size_t used = 0;
    for (int column = 0; column < cells.columns; column++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 cells_at(&cells, row, column)->text);
    return text;
}

// Whether some row of the terminal has both, in this order.
static bool terminal_says(const char *first, const char *then)
{
    for (int row = 0; row < cells.rows; row++) {
        const char *found = strstr(row_text(row), first);
        if (found && strstr(found, then))
            return true;
    }
    return false;
}

// The text of the picture from `word` on, behind it; NULL where no text has it.
static const char *picture_after(const char *word)
{
    const DisplayList *list = &it.view.list;
    for (size_t i = 0; i < list->item_count; i++) {
        const DisplayItem *item = &list->items[i];
        const char *found =
            item->kind == DISPLAY_TEXT ? strstr(list->texts + item->at, word) : NULL;
        if (found)
            return found + strlen(word);
    }
    return NULL;
}

// The number that begins a text, up to a gap or a comma.
static void number_of(const char *text, char number[64])
{
    snprintf(number, 64, "%.*s", (int)strcspn(text, " ,"), text);
    if (strcmp(number, "NaN") == 0)
        strcpy(number, "nan"); // as PyTorch writes it in the terminal
}

static void draw_both(void)
{
    looking_draw(&it);
    ck_assert(cells_resize(&cells, 160, 60, &it.err));
    screen_show(&it.session, &cells);
}

// The marked term of a sum: "running sum 0.31" there, in the row with the mark here.
static void check_term(void)
{
    char number[64];
    const char *running = picture_after("running sum ");
    if (!running || !picture_after("term "))
        return;
    number_of(running, number);
    ck_assert_msg(terminal_says("\xe2\x96\xb8", number), "the terminal does not say %s", number);
}

static void check_element(const TraceTensor *tensor, const ptrdiff_t at[])
{
    char number[64], wanted[160];
    Command command = {.kind = COMMAND_ELEMENT, .rank = tensor->tensor.rank};
    memcpy(command.index, at, sizeof command.index);
    ck_assert_msg(session_apply(&it.session, &command, &it.err), "%s", it.err.text);
    draw_both();
    const char *stored = picture_after("stored: ");
    if (stored) {
        number_of(stored, number);
        snprintf(wanted, sizeof wanted, "= %s", number);
        ck_assert_msg(terminal_says(wanted, ", the stored number"),
                      "%s: the terminal does not say %s", tensor->name, wanted);
    }
    for (int marked = 0; stored && marked < TERMS_MAX; marked++) {
        check_term();
        if (!looking_try(&it, "term-next"))
            break;
        draw_both();
    }
}

SLICE_TEST(both_print_the_same_digits, tiny_shape_count, 1)
{
    looking_open(&it, tiny_shapes[_i]);
    looking_say(&it, "origin");
    looking_say(&it, "picture-origin");
    const Trace *trace = &it.session.run.trace;
    int checked = 0;
    for (int number = 0; number < trace->tensor_count; number++) {
        const TraceTensor *tensor = &trace->tensors[number];
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        char words[160];
        if (tensor->step < 0 || tensor_count(&tensor->tensor) == 0)
            continue;
        snprintf(words, sizeof words, "goto %d", tensor->step + 1);
        looking_say(&it, words);
        snprintf(words, sizeof words, "tensor %s", tensor->name);
        looking_say(&it, words);
        for (int element = 0; element < ELEMENTS_MAX; element++) {
            if (suite_takes(number + element, 2)) {
                check_element(tensor, at);
                checked++;
            }
            if (!tensor_next(&tensor->tensor, at))
                break;
        }
    }
    ck_assert_int_gt(checked, 0);
    cells_finish(&cells);
    looking_close(&it);
}

SUITE("origin_shown")

// What a key costs: how many numbers are formatted to draw the screen after it. Counted, not timed:
// the linker sends every call of number_cell from another file through the counter below.
#include "number_cell.h"
#include "screen.h"

#include "stepping.h"
#include "suite.h"

static Stepping it;
static int formatted;

const char *__real_number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                               char text[NUMBER_TEXT_MAX]);
const char *__wrap_number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                               char text[NUMBER_TEXT_MAX]);

const char *__wrap_number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                               char text[NUMBER_TEXT_MAX])
{
    formatted++;
    return __real_number_cell(tensor, at, look, text);
}

static const char *const keys[] = {"down",        "right 7",    "page-down",  "flip",
                                   "line-end",    "up 3",       "line-start", "depth element",
                                   "next",        "next 12345", "previous",   "format full",
                                   "depth stage", "bottom",     "room [3,3]"};
enum { KEYS = sizeof keys / sizeof *keys };

// The scores are one number seen as often as `length` times `length`.
static void count(ptrdiff_t length, int counts[KEYS])
{
    float number = 0.5f;
    Tensor one = tensor_over(&number, DTYPE_F32, 3, (ptrdiff_t[]){1, 1, 1});
    Cells cells = {.rows = 0};
    stepping_open_printed(&it);
    ck_assert(tensor_expand(&one, 3, (ptrdiff_t[]){1, length, length},
                            &it.session.run.trace.tensors[it.session.cursor.tensor].tensor,
                            &it.err));
    ck_assert(cells_resize(&cells, 120, 40, &it.err));
    Screen screen;
    screen_fit(&screen, &it.session, 120, 40);
    for (int key = 0; key < KEYS; key++) {
        stepping_say(&it, keys[key]);
        screen_fit(&screen, &it.session, 120, 40);
        formatted = 0;
        screen_draw(&screen, &it.session, &cells);
        counts[key] = formatted;
    }
    cells_finish(&cells);
    stepping_close(&it);
}

START_TEST(a_key_costs_the_same_whatever_the_size_of_the_tensor)
{
    static const ptrdiff_t lengths[] = {1000, 100000, 1000000};
    int first[KEYS], counts[KEYS];
    count(lengths[0], first);
    for (int key = 0; key < KEYS; key++) {
        ck_assert_msg(first[key] > 0, "%s", keys[key]);
        ck_assert_int_le(first[key], 40 * 120 / 8); // no number is narrower than 7 and its gap
    }
    for (size_t i = 1; i < sizeof lengths / sizeof *lengths; i++) {
        count(lengths[i], counts);
        for (int key = 0; key < KEYS; key++) // longer indices leave less room, not more
            ck_assert_msg(counts[key] <= first[key], "%s: %d numbers of %td, %d of %td", keys[key],
                          counts[key], lengths[i], first[key], lengths[0]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("screen_cost");
    TCase *cases = tcase_create("screen_cost");
    tcase_add_test(cases, a_key_costs_the_same_whatever_the_size_of_the_tensor);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}

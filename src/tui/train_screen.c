// train_screen: see train_screen.h.
#include "train_screen.h"

#include "training_told.h"
#include "tui_words.h"

enum { TOP_ROWS = 6, MESSAGE_ROWS_MAX = 4, LOSS_COLUMNS_MIN = 16, GAP = 2 };

static void draw_title(const TrainingWatch *watch, Area area)
{
    char title[TOLD_BYTES];
    training_told_title(watch, title);
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    cells_text(area, 0, 1, ROLE_TITLE, title);
}

static void draw_top(const TrainingWatch *watch, Area area)
{
    int skills = train_skills_columns(watch);
    int loss = area.columns - skills - GAP, from = loss + GAP;
    if (loss >= LOSS_COLUMNS_MIN)
        train_loss_draw(watch, area_part(area, 0, 0, area.rows, loss));
    else
        from = 0; // the table has all columns before it is cut
    train_skills_draw(watch, area_part(area, 0, from, area.rows, area.columns - from));
}

void train_help_draw(Area area, bool of_pair)
{
    char text[TOLD_BYTES];
    const char *told;
    for (int i = 0; (told = training_told_help(i, of_pair, text)) != NULL; i++)
        cells_text(area, 1 + i, 1, ROLE_TEXT, told);
    cells_text(area, area.rows - 1, 1, ROLE_KEY, TELL(TRAIN_KEYS_HELP));
}

void train_keys_draw(Keymap keys, unsigned now, Area area)
{
    char bar[KEY_BAR_MAX];
    cells_text(area, area.rows - 1, 1, ROLE_KEY,
               keymap_bar(keys, now, language_now(), area.columns - 1, bar));
}

// 24 rows have a whole map below two rows of words; the table of three heads is 51 columns wide.
bool train_small_draw(Cells *cells)
{
    enum { COLUMNS_MIN = 60, ROWS_MIN = 22 };
    char text[TOLD_BYTES];
    if (cells->columns >= COLUMNS_MIN && cells->rows >= ROWS_MIN)
        return false;
    words_format(text, sizeof text, TELL(TRAIN_SMALL), cells->columns, cells->rows, COLUMNS_MIN,
                 ROWS_MIN);
    cells_paragraph(cells_area(cells), 0, cells->rows, 0, ROLE_TEXT, text);
    return true;
}

static void draw_keys(const TrainingWatch *watch, Area area)
{
    Keymap keys = watch->types ? training_typing_keys : training_watch_keys;
    train_keys_draw(keys, training_watch_now(watch), area);
}

void train_screen_draw(const TrainingWatch *watch, Cells *cells)
{
    char message[sizeof watch->broken.text + 256];
    Area area = cells_area(cells);
    cells_clear(cells);
    if (train_small_draw(cells))
        return;
    draw_title(watch, area);
    training_told_message(watch, true, message, sizeof message);
    int rows = cells_paragraph_rows(message, area.columns - 2, MESSAGE_ROWS_MAX, 0);
    int message_row = area.rows - 1 - rows;
    Area inner = area_part(area, 1, 1, message_row - 1, area.columns - 2);
    if (watch->shows_help) {
        train_help_draw(area, false);
        return;
    }
    draw_keys(watch, area);
    Area top = area_part(inner, 0, 0, TOP_ROWS, inner.columns);
    Area below = area_part(inner, TOP_ROWS + 1, 0, inner.rows - TOP_ROWS - 1, inner.columns);
    draw_top(watch, top);
    cells_fill(area, below.row - 1, 0, area.columns, ROLE_RULE, "\u2500");
    if (watch->shows_parameter)
        train_parameter_draw(watch, below);
    else
        train_maps_draw(watch, below);
    cells_paragraph(area_part(area, 0, 1, area.rows - 1, area.columns - 2), message_row, rows, 0,
                    watch->state == WATCH_BROKE_OFF ? ROLE_ALARM : ROLE_TEXT, message);
}

// train_pair_screen: see train_pair_screen.h.
#include "train_pair_screen.h"

#include "train_screen.h"
#include "training_told.h"
#include "tui_words.h"

enum {
    GAP = 3,
    NAME_ROWS = 2,
    LOSS_ROWS_MIN = 3,
    LOSS_ROWS_MAX = 7,
    SKILLS_ROWS = 6,
    HEADS_ROWS = QUESTION_COUNT,
    MAPS_HEADINGS = 2,
    MESSAGE_ROWS_MAX = 3,
};

// How many rows of a side each part has, from the top; 0: it has no room.
typedef struct Parts {
    int loss, skills, maps;
} Parts;

// The maps come first, since they are what is looked at; the whole table and the curve take what is left.
static Parts divide(const TrainingPair *pair, int rows, int columns)
{
    const TrainingWatch *first = &pair->sides[0], *second = &pair->sides[1];
    int wanted = train_skills_columns(first), other = train_skills_columns(second);
    Parts parts = {.maps = MAPS_HEADINGS + first->sentences.texts[first->sentence].length};
    int left = rows - NAME_ROWS - parts.maps - 1;
    bool is_wide = columns >= (wanted > other ? wanted : other);
    parts.skills = is_wide && left >= SKILLS_ROWS + LOSS_ROWS_MIN ? SKILLS_ROWS
                   : left >= HEADS_ROWS                           ? HEADS_ROWS
                                                                  : 1;
    left -= parts.skills;
    parts.loss = left < LOSS_ROWS_MIN ? 0 : left < LOSS_ROWS_MAX ? left : LOSS_ROWS_MAX;
    return parts;
}

// Of each question its strongest head, where there is no room for the whole table.
static void draw_heads(const TrainingWatch *watch, Area area)
{
    const Measure *measure = &watch->measure;
    for (int q = 0; q < QUESTION_COUNT; q++) {
        int own = measure->owner[q];
        cells_format(area, q, 0, ROLE_TEXT, TELL(TRAIN_PAIR_HEAD), question_names[q],
                     measure->right[q], own, measure->right_without[q][own]);
    }
}

static void draw_right(const TrainingWatch *watch, Area area)
{
    int at = cells_text(area, 0, 0, ROLE_HEADING, TELL(TRAIN_SKILL_RIGHT));
    for (Question q = 0; q < QUESTION_COUNT; q++)
        at += 1 + cells_format(area, 0, at + 1, ROLE_TEXT, "%s %.2f", question_names[q],
                               watch->measure.right[q]);
}

static void draw_side(const TrainingPair *pair, int side, Parts parts, Area area)
{
    const TrainingWatch *watch = &pair->sides[side];
    char text[TOLD_BYTES];
    int row = NAME_ROWS;
    training_told_side(pair, side, text);
    cells_text(area, 0, 0, watch->state == WATCH_BROKE_OFF ? ROLE_ALARM : ROLE_CURRENT, text);
    training_told_sharpness(watch, text);
    cells_text(area, 1, 0, ROLE_TEXT, text);
    if (parts.loss > 0)
        train_loss_draw(watch, area_part(area, row, 0, parts.loss, area.columns));
    row += parts.loss;
    Area skills = area_part(area, row, 0, parts.skills, area.columns);
    if (parts.skills == SKILLS_ROWS)
        train_skills_draw(watch, skills);
    else if (parts.skills == HEADS_ROWS)
        draw_heads(watch, skills);
    else
        draw_right(watch, skills);
    row += parts.skills + (area.rows > row + parts.skills + parts.maps);
    train_maps_draw(watch, area_part(area, row, 0, area.rows - row, area.columns));
}

static void draw_sides(const TrainingPair *pair, Area area)
{
    int columns = (area.columns - GAP) / PAIR_SIDES;
    Parts parts = divide(pair, area.rows, columns);
    if (columns < 1 || area.rows < 1)
        return;
    for (int side = 0; side < PAIR_SIDES; side++)
        draw_side(pair, side, parts,
                  area_part(area, 0, side * (columns + GAP), area.rows, columns));
    for (int row = 0; row < area.rows; row++)
        cells_text(area, row, columns + GAP / 2, ROLE_RULE, "\u2502");
}

static void draw_frame(const TrainingPair *pair, Area area)
{
    char title[TOLD_BYTES];
    training_told_pair_title(pair, title);
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    cells_text(area, 0, 1, ROLE_TITLE, title);
    train_keys_draw(training_watch_keys, training_pair_now(pair), area);
}

void train_pair_screen_draw(const TrainingPair *pair, Cells *cells)
{
    char message[sizeof pair->sides[0].broken.text + 256];
    Area area = cells_area(cells);
    cells_clear(cells);
    if (train_small_draw(cells))
        return;
    if (pair->sides[0].shows_help) {
        train_help_draw(area, true);
        return;
    }
    draw_frame(pair, area);
    training_told_pair_message(pair, message, sizeof message);
    int rows = cells_paragraph_rows(message, area.columns - 2, MESSAGE_ROWS_MAX, 0);
    int message_row = area.rows - 1 - rows;
    draw_sides(pair, area_part(area, 1, 1, message_row - 1, area.columns - 2));
    cells_paragraph(area_part(area, 0, 1, area.rows - 1, area.columns - 2), message_row, rows, 0,
                    ROLE_TEXT, message);
}

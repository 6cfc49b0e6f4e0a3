// Which head answers which question, and what breaks without it; see train_screen.h.
#include "train_screen.h"

#include "tui_words.h"

enum { NAME_COLUMNS = 8, RIGHT_COLUMNS = 7, HEAD_COLUMNS = 12, HEADINGS = 2 };

int train_skills_columns(const TrainingWatch *watch)
{
    return NAME_COLUMNS + RIGHT_COLUMNS + HEAD_COLUMNS * watch->training.recipe.heads;
}

static void draw_head_name(const TrainingWatch *watch, int head, Area area)
{
    int column = NAME_COLUMNS + RIGHT_COLUMNS + HEAD_COLUMNS * head;
    bool is_away = watch->without & 1u << head;
    cells_format(area, 1, column,
                 is_away               ? ROLE_ALARM
                 : head == watch->head ? ROLE_CURRENT
                                       : ROLE_HEADING,
                 is_away ? TELL(TRAIN_HEAD_AWAY) : TELL(TRAIN_HEAD_NAME), head);
}

static void draw_question(const TrainingWatch *watch, Question q, Area area)
{
    const Measure *measure = &watch->measure;
    int row = HEADINGS + (int)q;
    cells_text(area, row, 0, ROLE_TEXT, question_names[q]);
    cells_format(area, row, NAME_COLUMNS, ROLE_TEXT, "%.3f", measure->right[q]);
    for (int h = 0; h < watch->training.recipe.heads; h++)
        cells_format(area, row, NAME_COLUMNS + RIGHT_COLUMNS + HEAD_COLUMNS * h,
                     h == measure->owner[q] ? ROLE_TEXT : ROLE_QUIET, "%.2f%s %.2f",
                     measure->mass[q][h], h == measure->owner[q] ? "*" : " ",
                     measure->right_without[q][h]);
}

void train_skills_draw(const TrainingWatch *watch, Area area)
{
    cells_format(area, 0, 0, ROLE_HEADING, TELL(TRAIN_SKILLS), MEASURE_TEXTS,
                 (long long)watch->measured_at);
    cells_text(area, 1, NAME_COLUMNS, ROLE_HEADING, TELL(TRAIN_SKILL_RIGHT));
    for (int h = 0; h < watch->training.recipe.heads; h++)
        draw_head_name(watch, h, area);
    for (Question q = 0; q < QUESTION_COUNT; q++)
        draw_question(watch, q, area);
    cells_text(area, HEADINGS + QUESTION_COUNT, 0, ROLE_QUIET, TELL(TRAIN_SKILLS_MEAN));
}

// Which head answers which question, and what breaks without it; see train_screen.h.
#include "train_screen.h"

#include "tui_words.h"

enum { NAME_COLUMNS = 8, RIGHT_COLUMNS = 7, HEAD_COLUMNS = 12, HEAD_GAP = 2, HEADINGS = 2 };

int train_skills_columns(const TrainingWatch *watch)
{
    return NAME_COLUMNS + RIGHT_COLUMNS + HEAD_COLUMNS * watch->training.recipe.heads;
}

// The heads that there is room for, the chosen one among them; the last one needs no gap behind it.
typedef struct Heads {
    int first, count;
} Heads;

static Heads heads_shown(const TrainingWatch *watch, Area area)
{
    int all = watch->training.recipe.heads;
    int room = (area.columns - NAME_COLUMNS - RIGHT_COLUMNS + HEAD_GAP) / HEAD_COLUMNS;
    int count = room < 1 ? 1 : room > all ? all : room;
    int first = watch->head - count + 1;
    return (Heads){first < 0 ? 0 : first, count};
}

static void draw_head_name(const TrainingWatch *watch, int head, int column, Area area)
{
    bool is_away = watch->without & 1u << head;
    cells_format(area, 1, column,
                 is_away               ? ROLE_ALARM
                 : head == watch->head ? ROLE_CURRENT
                                       : ROLE_HEADING,
                 is_away ? TELL(TRAIN_HEAD_AWAY) : TELL(TRAIN_HEAD_NAME), head);
}

static void draw_question(const TrainingWatch *watch, Question q, Heads heads, Area area)
{
    const Measure *measure = &watch->measure;
    int row = HEADINGS + (int)q;
    cells_text(area, row, 0, ROLE_TEXT, question_names[q]);
    cells_format(area, row, NAME_COLUMNS, ROLE_TEXT, "%.3f", measure->right[q]);
    int column = NAME_COLUMNS + RIGHT_COLUMNS;
    for (int h = heads.first; h < heads.first + heads.count; h++, column += HEAD_COLUMNS)
        cells_format(area, row, column, h == measure->owner[q] ? ROLE_TEXT : ROLE_QUIET,
                     "%.2f%s %.2f", measure->mass[q][h], h == measure->owner[q] ? "*" : " ",
                     measure->right_without[q][h]);
}

void train_skills_draw(const TrainingWatch *watch, Area area)
{
    Heads heads = heads_shown(watch, area);
    int all = watch->training.recipe.heads, column = NAME_COLUMNS + RIGHT_COLUMNS;
    int wide = cells_format(area, 0, 0, ROLE_HEADING, TELL(TRAIN_SKILLS), MEASURE_TEXTS,
                            (long long)watch->measured_at);
    if (heads.count < all)
        cells_format(area, 0, wide, ROLE_HEADING, TELL(TRAIN_SKILLS_SOME), heads.first,
                     heads.first + heads.count - 1, all);
    cells_text(area, 1, NAME_COLUMNS, ROLE_HEADING, TELL(TRAIN_SKILL_RIGHT));
    for (int h = heads.first; h < heads.first + heads.count; h++, column += HEAD_COLUMNS)
        draw_head_name(watch, h, column, area);
    for (Question q = 0; q < QUESTION_COUNT; q++)
        draw_question(watch, q, heads, area);
    cells_text(area, HEADINGS + QUESTION_COUNT, 0, ROLE_QUIET, TELL(TRAIN_SKILLS_MEAN));
}

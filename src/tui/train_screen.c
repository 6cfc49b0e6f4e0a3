// One training as a screen, or two side by side; see screen.h.
#include "screen.h"

#include <math.h>
#include "panel.h"
#include "training_watch.h"
#include "tui_words.def"
#include "utf8.h"

// --- the loss, as bars of the same number of steps

enum { EIGHTHS = 8 };

static const char *const bars[EIGHTHS + 1] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                              "\u2585", "\u2586", "\u2587", "\u2588"};

static void draw_bar(float share, Area area, int column)
{
    int height = (int)ceilf(share * (float)(area.rows * EIGHTHS));
    for (int row = area.rows - 1; row >= 0 && height > 0; row--, height -= EIGHTHS)
        cells_text(area, row, column, ROLE_TEXT, bars[height < EIGHTHS ? height : EIGHTHS]);
}

// Draws the checkpoints below the bars, and marks the one that b returns to.
static void draw_axis(const TrainingWatch *watch, Area area)
{
    int row = area.rows - 1;
    cells_fill(area, row, 0, area.columns, ROLE_RULE, "\u2500");
    for (int i = 0; i < watch->keep_count; i++) {
        int64_t column =
            watch->keeps[i].state.step * (area.columns - 1) / training_watch_last(watch);
        cells_text(area, row, (int)column, ROLE_RULE, "\u2534");
    }
    int64_t chosen = watch->keeps[watch->keep_chosen].state.step * (area.columns - 1) /
                     training_watch_last(watch);
    cells_text(area, row, (int)chosen, ROLE_CURRENT, "\u25b2");
}

static void train_loss_draw(const TrainingWatch *watch, Area area)
{
    Area plot = area_part(area, 1, 0, area.rows - 2, area.columns);
    if (plot.rows < 1 || plot.columns < 1)
        return;
    float largest = training_watch_largest(watch);
    cells_format(area, 0, 0, ROLE_HEADING,
                 largest > 0.0f ? TELL(TRAIN_LOSS_TO) : TELL(TRAIN_LOSS_NONE), (double)largest,
                 (long long)training_watch_last(watch));
    for (int column = 0; column < plot.columns; column++) {
        float mean = training_watch_loss(watch, column, plot.columns);
        if (mean > 0.0f)
            draw_bar(fminf(mean / largest, 1.0f), plot, column);
    }
    draw_axis(watch, area);
}

// --- which head answers which question, and the loss without it

enum { NAME_COLUMNS = 8, RIGHT_COLUMNS = 7, HEAD_COLUMNS = 12, HEAD_GAP = 2, SKILLS_HEADINGS = 2 };

// The columns that train_skills_draw would like to have.
static int train_skills_columns(const TrainingWatch *watch)
{
    return NAME_COLUMNS + RIGHT_COLUMNS + HEAD_COLUMNS * training_heads(&watch->training.recipe);
}

// The heads that fit, with the chosen one among them; the last one needs no gap.
typedef struct Heads {
    int first, count;
} Heads;

static Heads heads_shown(const TrainingWatch *watch, Area area)
{
    int all = training_heads(&watch->training.recipe);
    int room = (area.columns - NAME_COLUMNS - RIGHT_COLUMNS + HEAD_GAP) / HEAD_COLUMNS;
    int count = (int)index_clamp(room, 1, all);
    return (Heads){(int)index_max(watch->head - count + 1, 0), count};
}

static void draw_head_name(const TrainingWatch *watch, int head, int column, Area area)
{
    bool is_away = watch->without & 1u << head;
    char name[16];
    cells_format(area, 1, column,
                 is_away               ? ROLE_ALARM
                 : head == watch->head ? ROLE_CURRENT
                                       : ROLE_HEADING,
                 is_away ? TELL(TRAIN_HEAD_AWAY) : TELL(TRAIN_HEAD_NAME),
                 training_head_name(&watch->training.recipe, head, name));
}

static void draw_question(const TrainingWatch *watch, Question q, Heads heads, Area area)
{
    const Measure *measure = &watch->measure;
    int row = SKILLS_HEADINGS + (int)q;
    cells_text(area, row, 0, ROLE_TEXT, training_text_question(&watch->training, q));
    cells_format(area, row, NAME_COLUMNS, ROLE_TEXT, "%.3f", measure->right[q]);
    int column = NAME_COLUMNS + RIGHT_COLUMNS;
    for (int h = heads.first; h < heads.first + heads.count; h++, column += HEAD_COLUMNS)
        cells_format(area, row, column, h == measure->owner[q] ? ROLE_TEXT : ROLE_QUIET,
                     "%.2f%s %.2f", measure->mass[q][h], h == measure->owner[q] ? "*" : " ",
                     measure->right_without[q][h]);
}

static void train_skills_draw(const TrainingWatch *watch, Area area)
{
    Heads heads = heads_shown(watch, area);
    int all = training_heads(&watch->training.recipe), column = NAME_COLUMNS + RIGHT_COLUMNS;
    int wide = cells_format(area, 0, 0, ROLE_HEADING, TELL(TRAIN_SKILLS), MEASURE_TEXTS,
                            (long long)watch->measured_at);
    if (heads.count < all)
        cells_format(area, 0, wide, ROLE_HEADING, TELL(TRAIN_SKILLS_SOME), heads.first,
                     heads.first + heads.count - 1, all);
    cells_text(area, 1, NAME_COLUMNS, ROLE_HEADING, TELL(TRAIN_SKILL_RIGHT));
    for (int h = heads.first; h < heads.first + heads.count; h++, column += HEAD_COLUMNS)
        draw_head_name(watch, h, column, area);
    int measured = watch->training.recipe.grammar->measured;
    for (int q = 0; q < measured; q++)
        draw_question(watch, (Question)q, heads, area);
    cells_text(area, SKILLS_HEADINGS + measured, 0, ROLE_QUIET, TELL(TRAIN_SKILLS_MEAN));
}

// --- the maps of one head in one text, after some steps
//
// With several layers, the last maps are of the head of that number in each layer, now.

enum {
    LABEL_COLUMNS = 11,
    MAPS_GAP = 2,
    MAPS_HEADINGS = 2,
    CELL_COLUMNS_MAX = 2,
};

typedef struct Maps {
    const TrainingWatch *watch;
    const GrammarText *text;
    int first, count; // of the kept maps, then the current ones
    int skipped;      // rows at the start that do not fit; the question is at the end
    int cell_columns;
    HeatScale scale;
} Maps;

static const WatchMaps *map_at(const TrainingWatch *watch, int number)
{
    return number < watch->map_count ? &watch->maps[number] : &watch->now;
}

// The head of a map: the chosen one; after the kept maps, one of each layer.
static int head_of(const TrainingWatch *watch, int number)
{
    const TrainingRecipe *recipe = &watch->training.recipe;
    bool is_kept = number < watch->map_count || recipe->layers == 1;
    return is_kept ? watch->head
                   : (number - watch->map_count) * recipe->heads + watch->head % recipe->heads;
}

// The kept maps, and the current ones unless the last kept map is current.
static int all_maps(const TrainingWatch *watch)
{
    const WatchMaps *last = watch->map_count ? &watch->maps[watch->map_count - 1] : NULL;
    int layers = watch->training.recipe.layers;
    return watch->map_count + (layers > 1 ? layers : !last || last->step != watch->now.step);
}

static Maps arrange(const TrainingWatch *watch, int columns)
{
    Maps maps = {.watch = watch,
                 .text = &watch->sentences.texts[watch->sentence],
                 .count = all_maps(watch),
                 .cell_columns = CELL_COLUMNS_MAX,
                 .scale = {.high = 1.0f}};
    int room = columns - LABEL_COLUMNS, length = maps.text->length;
    if (maps.count * (length * CELL_COLUMNS_MAX + MAPS_GAP) > room)
        maps.cell_columns = 1;
    ptrdiff_t most = index_max(room / (length * maps.cell_columns + MAPS_GAP), 1);
    maps.first = (int)index_max(maps.count - most, 0);
    colour_table(COLOUR_VIRIDIS, maps.scale.table);
    return maps;
}

static void draw_cell(const Maps *maps, float weight, bool is_pale, Area place)
{
    if (place.cells->colours < CELLS_SHADES_FROM) {
        cells_fill(place, 0, 0, place.columns, is_pale ? ROLE_QUIET : ROLE_TEXT,
                   heat_shade(&maps->scale, weight));
        return;
    }
    Colour colour = heat_colour(&maps->scale, weight, is_pale);
    cells_fill(place, 0, 0, place.columns, ROLE_TEXT, " ");
    cells_shade(place, 0, 0, place.columns, (Shade){.back = SHADE_SET | colour});
}

static void draw_row(const Maps *maps, int at, Area area)
{
    int row = at - maps->skipped + MAPS_HEADINGS;
    const TrainingWatch *watch = maps->watch;
    const char *word = watch->training.recipe.grammar->words[maps->text->words[at]];
    bool is_pale = !measure_is_asked(&watch->measure, watch->head, maps->text, at);
    int column = LABEL_COLUMNS;
    cells_format(area, row, 0, is_pale ? ROLE_QUIET : ROLE_TEXT, is_pale ? "(%s)" : "%s", word);
    for (int i = maps->first; i < maps->count; i++, column += MAPS_GAP)
        for (int to = 0; to < maps->text->length; to++, column += maps->cell_columns) {
            Area place = area_part(area, row, column, 1, maps->cell_columns);
            if (row < area.rows && column + maps->cell_columns <= area.columns)
                draw_cell(maps,
                          training_watch_weight(watch, map_at(watch, i), head_of(watch, i), at, to),
                          is_pale, place);
        }
}

// 0, a quarter, a half, three quarters, 1.
static void draw_legend(const Maps *maps, Area area, int column)
{
    column += cells_text(area, 0, column, ROLE_QUIET, "0 ");
    for (int i = 0; i < HEAT_SHADES; i++, column++) {
        Area place = area_part(area, 0, column, 1, 1);
        if (column < area.columns)
            draw_cell(maps, (float)i / (HEAT_SHADES - 1), false, place);
    }
    cells_text(area, 0, column, ROLE_QUIET, " 1");
}

static void draw_headings(const Maps *maps, Area area)
{
    const TrainingWatch *watch = maps->watch;
    const TrainingRecipe *recipe = &watch->training.recipe;
    char name[16];
    int width = maps->text->length * maps->cell_columns + MAPS_GAP, column = LABEL_COLUMNS;
    int end = cells_format(area, 0, 0, ROLE_HEADING, TELL(TRAIN_MAPS),
                           training_head_name(recipe, watch->head, name), watch->sentence + 1,
                           WATCH_SENTENCES);
    draw_legend(maps, area, end + MAPS_GAP);
    for (int i = maps->first; i < maps->count; i++, column += width) {
        long long step = (long long)map_at(watch, i)->step;
        if (recipe->layers > 1)
            cells_format(area, 1, column, ROLE_QUIET, TELL(TRAIN_MAP_HEAD),
                         training_head_name(recipe, head_of(watch, i), name), step);
        else
            cells_format(area, 1, column, ROLE_QUIET, TELL(TRAIN_MAP_STEP), step);
    }
}

static void train_maps_draw(const TrainingWatch *watch, Area area)
{
    Maps maps = arrange(watch, area.columns);
    maps.skipped = (int)index_max(maps.text->length + MAPS_HEADINGS - area.rows, 0);
    draw_headings(&maps, area);
    for (int at = maps.skipped; at < maps.text->length; at++)
        draw_row(&maps, at, area);
}

// --- the last update of one parameter, with its arithmetic

enum { INDENT = 4 }; // of wrapped lines

static void train_parameter_draw(const TrainingWatch *watch, Area area)
{
    ParameterLine lines[PARAMETER_LINES_MAX];
    int count = training_text_parameter(watch, lines);
    for (int i = 0, row = 0; i < count && row < area.rows; i++) {
        Role role = lines[i].is_name ? ROLE_HEADING : lines[i].is_result ? ROLE_CURRENT : ROLE_TEXT;
        row += cells_paragraph(area, row, area.rows - row, INDENT, role, lines[i].text);
    }
}

// --- one training

enum { TOP_ROWS = 6, LOSS_COLUMNS_MIN = 16, SCREEN_GAP = 2 };

static void draw_top(const TrainingWatch *watch, Area area)
{
    int legend = utf8_width(TELL(TRAIN_SKILLS_MEAN));
    int skills = (int)index_max(train_skills_columns(watch), legend);
    int loss = area.columns - skills - SCREEN_GAP, from = loss + SCREEN_GAP;
    if (loss >= LOSS_COLUMNS_MIN)
        train_loss_draw(watch, area_part(area, 0, 0, area.rows, loss));
    else
        from = 0; // the table gets all columns
    train_skills_draw(watch, area_part(area, 0, from, area.rows, area.columns - from));
}

static void draw_one(const TrainingWatch *watch, Area area)
{
    Area top = area_part(area, 0, 0, TOP_ROWS, area.columns);
    Area below = area_part(area, TOP_ROWS + 1, 0, area.rows - TOP_ROWS - 1, area.columns);
    draw_top(watch, top);
    cells_fill(cells_area(area.cells), below.row - 1, 0, area.cells->columns, ROLE_RULE, "\u2500");
    if (watch->shows_parameter)
        train_parameter_draw(watch, below);
    else
        train_maps_draw(watch, below);
}

// --- two trainings

enum {
    PAIR_GAP = 3,
    NAME_ROWS = 2,
    LOSS_ROWS_MIN = 3,
    LOSS_ROWS_MAX = 7,
    SKILLS_ROWS = 6,
    HEADS_ROWS = QUESTION_COUNT,
};

// The rows of each part of a side, from the top; 0: no room.
typedef struct Parts {
    int loss, skills, maps;
} Parts;

// Divides the rows: maps come first, then the table and the curve.
static Parts divide(const TrainingWatch *first, int rows, int columns)
{
    int wanted = train_skills_columns(first), other = train_skills_columns(first->other);
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

// Draws the strongest head of each question, if there is no room for the whole table.
static void draw_heads(const TrainingWatch *watch, Area area)
{
    const Measure *measure = &watch->measure;
    for (int q = 0; q < watch->training.recipe.grammar->measured; q++) {
        int own = measure->owner[q];
        char name[16];
        cells_text(area, q, 0, ROLE_TEXT, training_text_question(&watch->training, q));
        cells_format(area, q, NAME_COLUMNS, ROLE_TEXT, TELL(TRAIN_PAIR_HEAD), measure->right[q],
                     training_head_name(&watch->training.recipe, own, name),
                     measure->right_without[q][own]);
    }
}

static void draw_right(const TrainingWatch *watch, Area area)
{
    int at = cells_text(area, 0, 0, ROLE_HEADING, TELL(TRAIN_SKILL_RIGHT));
    for (int q = 0; q < watch->training.recipe.grammar->asked; q++)
        at += 1 + cells_format(area, 0, at + 1, ROLE_TEXT, "%s %.2f",
                               training_text_question(&watch->training, (Question)q),
                               watch->measure.right[q]);
}

static void draw_side(const TrainingWatch *watch, Parts parts, Area area)
{
    char text[TRAINING_TEXT_MAX];
    int row = NAME_ROWS;
    training_text_side(watch, text);
    cells_text(area, 0, 0, watch->state == WATCH_BROKE_OFF ? ROLE_ALARM : ROLE_CURRENT, text);
    training_text_sharpness(watch, text);
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

static void draw_sides(const TrainingWatch *watch, Area area)
{
    int columns = (area.columns - PAIR_GAP) / WATCH_SIDES;
    Parts parts = divide(watch, area.rows, columns);
    if (columns < 1 || area.rows < 1)
        return;
    for (int side = 0; side < WATCH_SIDES; side++, watch = watch->other)
        draw_side(watch, parts,
                  area_part(area, 0, side * (columns + PAIR_GAP), area.rows, columns));
    for (int row = 0; row < area.rows; row++)
        cells_text(area, row, columns + PAIR_GAP / 2, ROLE_RULE, "\u2502");
}

// --- the whole screen

// Says so on a screen that is too small: 24 rows hold a whole map below two rows of words; the table of three heads
// has 51 columns.
static bool train_small_draw(Cells *cells)
{
    enum { COLUMNS_MIN = 60, ROWS_MIN = 22 };
    char text[TRAINING_TEXT_MAX];
    if (cells->columns >= COLUMNS_MIN && cells->rows >= ROWS_MIN)
        return false;
    words_format(text, sizeof text, TELL(TRAIN_SMALL), cells->columns, cells->rows, COLUMNS_MIN,
                 ROWS_MIN);
    cells_paragraph(cells_area(cells), 0, cells->rows, 0, ROLE_TEXT, text);
    return true;
}

// Draws the title, and the keys or the help below it.
static void draw_frame(const TrainingWatch *watch, Area area)
{
    char text[TRAINING_TEXT_MAX], bar[KEY_BAR_MAX];
    const char *help;
    Keymap keys = watch->types ? training_typing_keys : training_watch_keys;
    training_text_title(watch, text);
    cells_fill(area, 0, 0, area.columns, ROLE_TITLE, " ");
    cells_text(area, 0, 1, ROLE_TITLE, text);
    for (int i = 0; watch->shows_help && (help = training_text_help(watch, i, text)) != NULL; i++)
        cells_text(area, 1 + i, 1, ROLE_TEXT, help);
    cells_text(area, area.rows - 1, 1, ROLE_KEY,
               watch->shows_help
                   ? TELL(TRAIN_KEYS_HELP)
                   : keymap_bar(keys, training_watch_now(watch), area.columns - 1, bar));
}

void train_screen_draw(const TrainingWatch *watch, Cells *cells)
{
    enum { MESSAGE_ROWS_MAX = 4, PAIR_MESSAGE_ROWS_MAX = 3 };
    char message[sizeof watch->broken.text + 256];
    Area area = cells_area(cells);
    cells_clear(cells);
    if (train_small_draw(cells))
        return;
    draw_frame(watch, area);
    if (watch->shows_help)
        return;
    training_text_message(watch, true, message, sizeof message);
    int rows = cells_paragraph_rows(message, area.columns - 2,
                                    watch->other ? PAIR_MESSAGE_ROWS_MAX : MESSAGE_ROWS_MAX, 0);
    int message_row = area.rows - 1 - rows;
    Area inner = area_part(area, 1, 1, message_row - 1, area.columns - 2);
    if (watch->other)
        draw_sides(watch, inner);
    else
        draw_one(watch, inner);
    cells_paragraph(area_part(area, 0, 1, area.rows - 1, area.columns - 2), message_row, rows, 0,
                    watch->state == WATCH_BROKE_OFF && !watch->other ? ROLE_ALARM : ROLE_TEXT,
                    message);
}

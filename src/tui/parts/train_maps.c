// What one head looks at in one text, after some steps side by side; see train_screen.h.
#include "train_screen.h"

#include "heat_scale.h"
#include "utf8.h"
#include "tui_words.h"

enum {
    LABEL_COLUMNS = 11,
    GAP = 2,
    HEADINGS = 2,
    CELL_COLUMNS_MAX = 2,
    PALE = 0x6c6c6c, // what colours of pale rows are mixed with
};

static const double paleness = 0.75;

typedef struct Maps {
    const TrainingWatch *watch;
    const GrammarText *text;
    int first, count; // of the kept maps, then the one of now
    int cell_columns;
    HeatScale scale;
} Maps;

static const WatchMaps *map_at(const TrainingWatch *watch, int number)
{
    return number < watch->map_count ? &watch->maps[number] : &watch->now;
}

// Where the last kept map is not that of now, the one of now stands behind it.
static int all_maps(const TrainingWatch *watch)
{
    const WatchMaps *last = watch->map_count ? &watch->maps[watch->map_count - 1] : NULL;
    return watch->map_count + (!last || last->step != watch->now.step);
}

static Maps arrange(const TrainingWatch *watch, int columns)
{
    Maps maps = {.watch = watch,
                 .text = &watch->sentences.texts[watch->sentence],
                 .count = all_maps(watch),
                 .cell_columns = CELL_COLUMNS_MAX,
                 .scale = {.high = 1.0f}};
    int room = columns - LABEL_COLUMNS, length = maps.text->length;
    if (maps.count * (length * CELL_COLUMNS_MAX + GAP) > room)
        maps.cell_columns = 1;
    int most = room / (length * maps.cell_columns + GAP);
    most = most > 0 ? most : 1;
    maps.first = maps.count > most ? maps.count - most : 0;
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
    Colour colour = heat_colour(&maps->scale, weight);
    if (is_pale)
        colour = colour_mix(colour, PALE, paleness);
    cells_fill(place, 0, 0, place.columns, ROLE_TEXT, " ");
    cells_shade(place, 0, 0, place.columns, (Shade){.back = SHADE_SET | colour});
}

static void draw_row(const Maps *maps, int at, Area area)
{
    const TrainingWatch *watch = maps->watch;
    const char *word = grammar_words[maps->text->words[at]];
    bool is_pale = !measure_is_asked(&watch->measure, watch->head, maps->text, at);
    int column = LABEL_COLUMNS;
    cells_format(area, at + HEADINGS, 0, is_pale ? ROLE_QUIET : ROLE_TEXT, is_pale ? "(%s)" : "%s",
                 word);
    for (int i = maps->first; i < maps->count; i++, column += GAP)
        for (int to = 0; to < maps->text->length; to++, column += maps->cell_columns) {
            Area place = area_part(area, at + HEADINGS, column, 1, maps->cell_columns);
            if (at + HEADINGS < area.rows && column + maps->cell_columns <= area.columns)
                draw_cell(maps, training_watch_weight(watch, map_at(watch, i), at, to), is_pale,
                          place);
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
    int width = maps->text->length * maps->cell_columns + GAP, column = LABEL_COLUMNS;
    int end = cells_format(area, 0, 0, ROLE_HEADING, TELL(TRAIN_MAPS), watch->head,
                           watch->sentence + 1, WATCH_SENTENCES);
    draw_legend(maps, area, end + GAP);
    for (int i = maps->first; i < maps->count; i++, column += width)
        cells_format(area, 1, column, ROLE_QUIET, TELL(TRAIN_MAP_STEP),
                     (long long)map_at(watch, i)->step);
}

void train_maps_draw(const TrainingWatch *watch, Area area)
{
    Maps maps = arrange(watch, area.columns);
    draw_headings(&maps, area);
    for (int at = 0; at < maps.text->length; at++)
        draw_row(&maps, at, area);
}

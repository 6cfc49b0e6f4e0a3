// drawn: see drawn.h.
#include "drawn.h"

#include <stdlib.h>
#include <string.h>
#include "suite.h"

void drawn_open(Drawn *drawn, TinyShape shape)
{
    *drawn = (Drawn){.cache = NULL};
    tiny_scenario(&drawn->scenario, shape, 1);
    ck_assert_msg(trace_open(&drawn->trace, &drawn->scenario, &drawn->err) &&
                      trace_run(&drawn->trace, &drawn->err),
                  "%s", drawn->err.text);
    int weights = trace_find(&drawn->trace, "attn_weights"); // none where keys come in blocks
    drawn->request =
        figure_request(&drawn->trace, weights >= 0 ? weights : trace_find(&drawn->trace, "scores"));
    drawn->request.scale = FIGURE_SCALE_UNIT;
    drawn->cache = figure_cache_open(&drawn->err);
    ck_assert_ptr_nonnull(drawn->cache);
}

void drawn_close(Drawn *drawn)
{
    figure_cache_close(drawn->cache);
    display_list_finish(&drawn->list);
    trace_close(&drawn->trace);
    scenario_finish(&drawn->scenario);
}

Tensor drawn_tensor(Drawn *drawn, const char *name)
{
    int number = trace_find(&drawn->trace, name);
    ck_assert_int_ge(number, 0);
    drawn->request.version++;
    return drawn->trace.tensors[number].tensor;
}

float *drawn_open_large(Drawn *drawn, int heads, int tokens)
{
    static float row[4096];
    drawn_open(drawn, tiny_self(1, 2, 2));
    for (int i = 0; i < tokens; i++)
        row[i] = 1.0f / 15.0f;
    ptrdiff_t *size = drawn->scenario.size;
    Tensor *weights = &drawn->trace.tensors[trace_find(&drawn->trace, "attn_weights")].tensor;
    *weights = tensor_over(row, DTYPE_F32, 4, (ptrdiff_t[]){1, heads, tokens, tokens});
    weights->stride[0] = weights->stride[1] = weights->stride[2] = 0;
    size[SYMBOL_H] = heads;
    size[SYMBOL_LQ] = size[SYMBOL_LK] = tokens;
    return row;
}

void drawn_draw(Drawn *drawn, int width, int height, double scale)
{
    FigurePaper paper = {.width = width,
                         .height = height,
                         .scale = scale,
                         .metrics = &font_metrics_usual,
                         .cache = drawn->cache,
                         .list = &drawn->list};
    ck_assert_msg(figure_draw(&drawn->trace, &drawn->request, &paper, &drawn->figure, &drawn->err),
                  "%s", drawn->err.text);
}

const DisplayItem *drawn_map(const Drawn *drawn, int map)
{
    for (size_t i = 0; i < drawn->list.item_count; i++)
        if (drawn->list.items[i].kind == DISPLAY_CELLS && map-- == 0)
            return &drawn->list.items[i];
    ck_abort_msg("there is no such map");
    return NULL;
}

DisplayCell drawn_cell(const Drawn *drawn, int map, int row, int column)
{
    const DisplayItem *item = drawn_map(drawn, map);
    ck_assert(row < item->rows && column < item->columns);
    return drawn->list.cells[item->at + (size_t)(row * item->columns + column)];
}

const DisplayItem *drawn_find(const DisplayList *list, const char *text, bool whole)
{
    for (size_t i = 0; i < list->item_count; i++) {
        const DisplayItem *item = &list->items[i];
        if (item->kind != DISPLAY_TEXT)
            continue;
        const char *said = list->texts + item->at;
        if (whole ? strcmp(said, text) == 0 : strstr(said, text) != NULL)
            return item;
    }
    return NULL;
}

const DisplayItem *drawn_text(const Drawn *drawn, const char *text)
{
    return drawn_find(&drawn->list, text, true);
}

const DisplayItem *drawn_part(const Drawn *drawn, const char *part)
{
    return drawn_find(&drawn->list, part, false);
}

static int start_of(const DisplayList *list, const DisplayItem *text)
{
    int wide = font_width(&font_metrics_usual, list->texts + text->at, text->size);
    return text->x - (text->anchor == DISPLAY_LEFT     ? 0
                      : text->anchor == DISPLAY_CENTRE ? wide / 2
                                                       : wide);
}

static int end_of(const DisplayList *list, const DisplayItem *text)
{
    return start_of(list, text) +
           font_width(&font_metrics_usual, list->texts + text->at, text->size);
}

void drawn_check_apart(const DisplayList *list)
{
    for (size_t i = 0; i < list->item_count; i++)
        for (size_t j = 0; j < i; j++) {
            const DisplayItem *one = &list->items[i], *other = &list->items[j];
            bool both = one->kind == DISPLAY_TEXT && other->kind == DISPLAY_TEXT && !one->upright &&
                        !other->upright;
            bool apart = !both || abs(one->y - other->y) * 10 >= (one->size + other->size) * 4 ||
                         end_of(list, one) <= start_of(list, other) ||
                         end_of(list, other) <= start_of(list, one);
            ck_assert_msg(apart, "%dx%d: '%s' lies over '%s'", list->width, list->height,
                          list->texts + one->at, list->texts + other->at);
        }
}

int drawn_count(const Drawn *drawn, DisplayKind kind)
{
    int count = 0;
    for (size_t i = 0; i < drawn->list.item_count; i++)
        count += drawn->list.items[i].kind == kind;
    return count;
}

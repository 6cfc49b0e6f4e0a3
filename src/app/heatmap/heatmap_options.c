// heatmap_options: what the options of `attnscope heatmap` say, as the session's commands; see
// heatmap.h.
#include "heatmap.h"

#include <stdlib.h>
#include <string.h>
#include "figure_data.h"
#include "app_words.h"

// 16:9, as projectors have it.
enum { WIDTH = 1600, HEIGHT = 900, SIDE_MAX = 16384 };

static bool apply(Session *session, Command command, Error *err)
{
    return session_apply(session, &command, err);
}

static bool apply_name(Session *session, CommandKind kind, const char *name, Error *err)
{
    Command command = {.kind = kind};
    if (!name)
        return true;
    snprintf(command.name, sizeof command.name, "%s", name);
    return session_apply(session, &command, err);
}

// --batch, and --layer where maps are shown.
static bool apply_batch(Session *session, const char *option, const char *batch, Error *err)
{
    char *end;
    if (!batch)
        return true;
    long number = strtol(batch, &end, 10);
    if (end == batch || strspn(end, " ") != strlen(end))
        return error_set(err, TELL(BATCH_NUMBER), option, batch);
    return apply(session, (Command){.kind = COMMAND_SEQUENCE, .number = number}, err);
}

static bool is_inside(const Session *session, const char *option, const ptrdiff_t cell[3],
                      Error *err)
{
    FigureData data;
    if (!figure_data(picture_trace(session), &session->picture.request, &data, err))
        return false;
    const ptrdiff_t *shape = data.values.shape;
    bool inside = true;
    for (int axis = 0; axis < 3; axis++)
        inside = inside && cell[axis] >= 0 && cell[axis] < shape[axis + 1];
    return inside || error_set(err, TELL(AT_BEYOND), option, cell[0], cell[1], cell[2],
                               picture_tensor_name(session), shape[1],
                               shape[1] == 1 ? data.map : data.maps, shape[2], shape[3]);
}

// HEAD,QUERY,KEY of --at or --origin.
static bool apply_cursor(Session *session, const char *option, const char *at, Error *err)
{
    Command cell = {.kind = COMMAND_CELL, .rank = 3};
    ptrdiff_t *index = cell.index;
    int used = 0;
    if (!at)
        return true;
    if (sscanf(at, "%td,%td,%td%n", &index[0], &index[1], &index[2], &used) != 3 ||
        at[used] != '\0')
        return error_set(err, TELL(AT_FORM), option, at);
    return is_inside(session, option, index, err) && apply(session, cell, err);
}

// "1.5"
static bool apply_letters(Session *session, const char *letters, Error *err)
{
    char *end;
    if (!letters)
        return true;
    double times = strtod(letters, &end);
    if (end == letters || *end != '\0' || !(times >= 0.5 && times <= 4.0))
        return error_set(err, TELL(LETTERS_NUMBER), letters);
    ptrdiff_t thousandths = (ptrdiff_t)(times * 1000.0 + 0.5);
    return apply(session, (Command){.kind = COMMAND_LETTERS, .number = thousandths}, err);
}

// --origin HEAD,QUERY,KEY. What the session cannot explain, for want of memory, is no picture.
static bool apply_origin(Session *session, const char *origin, Error *err)
{
    if (!origin)
        return true;
    if (!apply_cursor(session, "--origin", origin, err) ||
        !apply(session, (Command){.kind = COMMAND_PICTURE_ORIGIN}, err))
        return false;
    if (!session->picture.request.origin)
        *err = session->message;
    return session->picture.request.origin;
}

// Both sides are maps, with one scale.
static bool can_be_compared(const AppOptions *options, Error *err)
{
    const char *scale = options->scale, *mode = options->mode;
    bool odd_scale = scale && strcmp(scale, "all") != 0 && strcmp(scale, "unit") != 0;
    bool odd_mode = mode && strcmp(mode, "grid") != 0 && strcmp(mode, "head") != 0;
    return (!odd_scale && !odd_mode && !options->origin) || error_set(err, TELL(COMPARE_MAPS));
}

static bool apply_options(Session *session, const AppOptions *options, Error *err)
{
    if (options->mean && options->head)
        return error_set(err, TELL(MEAN_ALONE));
    if (options->layer && !options->maps)
        return error_set(err, TELL(LAYER_OF_MAPS));
    session->picture.request.title = options->title;
    return apply_batch(session, options->maps ? "--layer" : "--batch",
                       options->maps ? options->layer : options->batch, err) &&
           apply_name(session, COMMAND_PICTURE_AS, options->mode, err) &&
           apply_name(session, COMMAND_HEADS, options->head, err) &&
           apply_name(session, COMMAND_COLOURS, options->map, err) &&
           apply_name(session, COMMAND_SCALE, options->scale, err) &&
           apply_letters(session, options->letters, err) &&
           apply_cursor(session, "--at", options->at, err) &&
           (!options->mean || apply(session, (Command){.kind = COMMAND_MEAN}, err)) &&
           (!options->dark || apply(session, (Command){.kind = COMMAND_DARK}, err)) &&
           apply_origin(session, options->origin, err);
}

// The tensor that was asked for, else the attention weights, else the last that was computed.
static const char *usual_tensor(const Trace *trace, const char *name)
{
    if (!name && trace_find(trace, "attn_weights") >= 0)
        name = "attn_weights";
    if (!name && trace_find(trace, "maps") >= 0)
        name = "maps";
    for (int i = trace->tensor_count - 1; !name && i >= 0; i--)
        if (trace->tensors[i].tensor.storage.bytes)
            name = trace->tensors[i].name;
    return name ? name : "";
}

bool heatmap_open(Session *session, const AppOptions *options, Error *err)
{
    bool slides = options->compare && strcmp(options->compare, "mistakes") == 0;
    bool moves = options->frames || options->apng;
    unsigned rate;
    if (!heatmap_rate(options->rate, &rate, err))
        return false;
    if (slides ? !options->frames || options->apng : options->compare && moves)
        return error_set(err, TELL(FRAMES_MISTAKES));
    if (!heatmap_show(session, usual_tensor(&session->run.trace, options->tensor), err))
        return false;
    if (options->compare && !slides && !heatmap_compare(session, options->compare, options, err))
        return false;
    return (!options->compare || can_be_compared(options, err)) &&
           apply_options(session, options, err);
}

// "4:3"
static bool is_form(const char *size, int *width, int *height)
{
    int across, down, used = 0;
    if (sscanf(size, "%d:%d%n", &across, &down, &used) != 2 || size[used] != '\0' || across < 1 ||
        down < 1 || across > SIDE_MAX || down > SIDE_MAX)
        return false;
    *width = WIDTH;
    *height = WIDTH * down / across;
    return *height >= 1 && *height <= SIDE_MAX;
}

bool heatmap_size(PictureView *view, const char *size, Error *err)
{
    int width = WIDTH, height = HEIGHT, used = 0;
    if (size && !is_form(size, &width, &height) &&
        (sscanf(size, "%dx%d%n", &width, &height, &used) != 2 || size[used] != '\0' || width < 1 ||
         height < 1 || width > SIDE_MAX || height > SIDE_MAX))
        return error_set(err, TELL(SIZE_PIXELS), SIDE_MAX, SIDE_MAX, size);
    int across = width * 1000 / 1024, down = height * 1000 / 768;
    int scale = across < down ? across : down;
    picture_view_size(view, width, height, (scale > 1000 ? scale : 1000) / 1000.0);
    return true;
}

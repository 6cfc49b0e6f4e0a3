// How the picture is drawn (which heads, colours, size), and files of it and of the visible slice.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "figure_data.h"
#include "new_file.h"
#include "number_text.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "tensor_formats.h"
#include "utf8.h"

// --- the visible slice as a file

// Rows and columns as on screen; a vector if there is only one axis.
static Tensor matrix_on_screen(const Session *session)
{
    ptrdiff_t base[TENSOR_RANK_MAX];
    const SessionView *view = session_view(session);
    Tensor matrix = session_slice(session, base);
    for (int axis = matrix.rank - 1; axis >= 0; axis--)
        if (session_axis_is_picked(session, axis))
            matrix = tensor_squeeze(&matrix, axis);
    bool is_flipped = view->row_axis >= 0 && view->row_axis > view->column_axis;
    return matrix.rank == 2 && is_flipped ? tensor_transpose(&matrix, 0, 1) : matrix;
}

// Quotes the text if needed. Source: RFC 4180.
static void write_field(const char *text, FILE *out)
{
    bool plain = strpbrk(text, ",\"\r\n") == NULL;
    if (!plain)
        fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (!plain)
        fputc('"', out);
}

// "3 very": the index comes first, so that no program takes a word for a formula.
static void write_header(const Session *session, int axis, ptrdiff_t index, FILE *out)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    char word[64], bare[24], field[96];
    if (axis < 0)
        return;
    memcpy(at, session_view(session)->at, sizeof at);
    at[axis] = index;
    snprintf(bare, sizeof bare, "%td", index);
    trace_label(&session->run.trace, session->cursor.tensor, axis, at, word);
    snprintf(field, sizeof field, strcmp(word, bare) == 0 ? "%s" : "%s %s", bare, word);
    write_field(field, out);
}

static ptrdiff_t length_of(const Session *session, int axis)
{
    return axis < 0 ? 1 : session_tensor(session)->tensor.shape[axis];
}

static bool write_csv(const void *what, FILE *out, Error *err)
{
    (void)err;
    const Session *session = what;
    const SessionView *view = session_view(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    ptrdiff_t at[TENSOR_RANK_MAX];
    char text[NUMBER_FULL_TEXT_MAX];
    memcpy(at, view->at, sizeof at);
    for (ptrdiff_t column = 0; column < length_of(session, view->column_axis); column++) {
        fputc(',', out);
        write_header(session, view->column_axis, column, out);
    }
    fputs("\r\n", out);
    for (ptrdiff_t row = 0; row < length_of(session, view->row_axis); row++) {
        write_header(session, view->row_axis, row, out);
        for (ptrdiff_t column = 0; column < length_of(session, view->column_axis); column++) {
            if (view->row_axis >= 0)
                at[view->row_axis] = row;
            if (view->column_axis >= 0)
                at[view->column_axis] = column;
            fprintf(out, ",%s", number_text(tensor, at, text));
        }
        fputs("\r\n", out);
    }
    return true;
}

static bool write_npy(const void *what, FILE *out, Error *err)
{
    const Session *session = what;
    Arena arena = {0};
    Tensor matrix = matrix_on_screen(session);
    unsigned char *bytes;
    size_t length;
    bool good = npy_write(&matrix, &arena, &bytes, &length, err);
    if (good)
        fwrite(bytes, 1, length, out);
    arena_finish(&arena);
    return good;
}

// Only `save-over` replaces a file.
bool session_save(Session *session, const Command *command, Error *err)
{
    const char *path = command->name, *name = session_tensor(session)->name;
    const SessionView *view = session_view(session);
    bool is_csv = text_ends(path, ".csv"), exists = access(path, F_OK) == 0;
    bool has_name = strlen(path) > strlen(".csv");
    if (!has_name || (!is_csv && !text_ends(path, ".npy")))
        return error_set(err, TELL(SAVE_ENDING), path);
    if (!session_has_values(session))
        return error_set(err, TELL(SAVE_NO_VALUES), name);
    if (exists && command->kind != COMMAND_SAVE_OVER)
        return error_set(err, TELL(SAVE_EXISTS), path, path);
    if (!new_file_write(path, is_csv ? write_csv : write_npy, session, err))
        return false;
    session_say(session, TELL(SAVE_DONE), exists ? TELL(SAVE_REPLACED) : TELL(SAVE_SAVED), path,
                name, length_of(session, view->row_axis), length_of(session, view->column_axis));
    return true;
}

// --- which tensor

static bool look_by_name(Session *session, const char *name, Error *err)
{
    SessionNames names;
    int number = trace_find(&session->run.trace, name);
    if (number >= 0)
        return picture_look_at(session, number, err);
    session_names(session, COMMAND_SHOW, &names);
    const char *meant = nearest_name(name, names.known);
    return error_set(err, TELL(PICTURE_NO_TENSOR), name, meant ? TELL(PICTURE_MEANT) : "",
                     meant ? meant : "", meant ? TELL(PICTURE_MEANT_END) : "");
}

// Playing cells ends when another tensor is shown.
static void stop_playing(Session *session)
{
    if (session->play.on && session->play.to_sequence)
        session->cursor.depth = DEPTH_STAGE;
    session->play.on = false;
}

bool session_show(Session *session, const Command *command, Error *err)
{
    stop_playing(session);
    if (command->kind == COMMAND_SHOW)
        return look_by_name(session, command->name, err);
    return picture_look_further(session, command->kind == COMMAND_SHOW_NEXT ? 1 : -1, err);
}

// --- which heads, which sequence

static bool has_head(const Session *session, ptrdiff_t head, Error *err)
{
    FigureRequest request = session->picture.request;
    request.head = head;
    return figure_can_show(picture_trace(session), &request, err);
}

// The next one; the first follows the last.
static ptrdiff_t next_of(ptrdiff_t now, int direction, ptrdiff_t count)
{
    return (now + direction + count) % count;
}

bool session_heads(Session *session, const Command *command, Error *err)
{
    FigureRequest *request = &session->picture.request;
    const ptrdiff_t *shape = session->picture.place.shape;
    int direction = command->kind == COMMAND_HEAD_NEXT ? 1 : -1;
    switch (command->kind) {
    case COMMAND_HEAD_NEXT:
    case COMMAND_HEAD_PREVIOUS:
        return picture_mark_head(session, direction) ||
               picture_choose_head(session, next_of(request->head, direction, shape[1]), err);
    case COMMAND_HEAD:
        return picture_choose_head(session, command->number, err);
    case COMMAND_HEADS:
        return picture_show_heads(session, command->name, err);
    case COMMAND_HEAD_PICK:
        return picture_pick(session, request->head, err);
    case COMMAND_PICK_HEAD:
        return has_head(session, command->number, err) &&
               picture_pick(session, command->number, err);
    default:
        request->mean = !request->mean;
        return true;
    }
}

bool session_sequence(Session *session, const Command *command, Error *err)
{
    int direction = command->kind == COMMAND_SEQUENCE_NEXT ? 1 : -1;
    FigureRequest request = session->picture.request;
    request.batch = command->kind == COMMAND_SEQUENCE
                        ? command->number
                        : next_of(request.batch, direction, session->picture.place.shape[0]);
    return picture_change(session, request, picture_chosen(session), err);
}

// --- all heads, one, lines

static void every_head(FigureRequest *request, FigureMode mode)
{
    request->mode = mode;
    request->heads = (FigureHeads){.bits = {0}};
}

bool session_heads_shown(Session *session, const Command *command, Error *err)
{
    FigureRequest *request = &session->picture.request;
    (void)err;
    bool all = request->mode == FIGURE_ALL_LINES && !figure_heads_any(&request->heads);
    switch (command->kind) {
    case COMMAND_HEADS_ALL:
        request->zoom = 0;
        every_head(request, FIGURE_GRID);
        break;
    case COMMAND_HEAD_OPEN:
        request->mode = figure_mode_of(request->mode, request->mode == FIGURE_HEAD ||
                                                          request->mode == FIGURE_LINES);
        request->zoom = 0;
        break;
    case COMMAND_LINES:
        request->mode = request->mode == FIGURE_LINES ? FIGURE_HEAD : FIGURE_LINES;
        picture_show_cursor(session);
        break;
    default:
        picture_show_cursor(session);
        every_head(request, all ? FIGURE_GRID : FIGURE_ALL_LINES);
    }
    return true;
}

// --- by name

// "grid, head, lines or all-lines".
static void list(const char *const names[], char text[256])
{
    text[0] = '\0';
    for (int i = 0; names[i]; i++)
        text_add(text, 256, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : TELL(PICTURE_OR), names[i]);
}

// name_index; sets err if the name is not in the list.
static int choose(const char *name, const char *const *names, const char *what, Error *err)
{
    char all[256];
    int place = name_index(names, name);
    const char *meant = nearest_word(name, names);
    list(names, all);
    if (place < 0 && meant)
        error_set(err, TELL(CHOICE_MEANT), what, name, meant);
    else if (place < 0)
        error_set(err, TELL(CHOICE_UNKNOWN), what, name, all);
    return place;
}

static bool choose_by_name(FigureRequest *request, const Command *command, Error *err)
{
    const char *name = command->name;
    int chosen = -1;
    if (command->kind == COMMAND_COLOURS) {
        chosen = choose(name, colour_map_names, TELL(CHOICE_COLOURS), err);
        request->map = chosen >= 0 ? (ColourMap)chosen : request->map;
    } else if (command->kind == COMMAND_PICTURE_AS) {
        chosen = choose(name, figure_mode_names, TELL(CHOICE_MODE), err);
        request->mode = chosen >= 0 ? (FigureMode)chosen : request->mode;
    } else {
        chosen = choose(name, figure_scale_names, TELL(CHOICE_SCALE), err);
        request->scale = chosen >= 0 ? (FigureScale)chosen : request->scale;
    }
    return chosen >= 0;
}

// Locks the row or cell under the cursor, or unlocks it.
static void lock(Session *session, FigureLock kind)
{
    FigureRequest *request = &session->picture.request;
    picture_choose(session);
    request->lock = request->lock == kind ? FIGURE_UNLOCKED : kind;
}

bool session_picture_look(Session *session, const Command *command, Error *err)
{
    FigureRequest *request = &session->picture.request;
    switch (command->kind) {
    case COMMAND_COLOURS_NEXT:
        request->map = (request->map + 1) % COLOUR_MAP_COUNT;
        return true;
    case COMMAND_SCALE_NEXT:
        request->scale = (request->scale + 1) % FIGURE_SCALE_COUNT;
        if (request->scale == FIGURE_SCALE_EVEN &&
            !figure_can_be_even(picture_trace(session), request->tensor))
            request->scale = 0;
        return true;
    case COMMAND_DARK:
        request->dark = !request->dark;
        return true;
    case COMMAND_ROW_LOCK:
    case COMMAND_CELL_LOCK:
        lock(session, command->kind == COMMAND_ROW_LOCK ? FIGURE_LOCKED_ROW : FIGURE_LOCKED_CELL);
        return true;
    default:
        if (!choose_by_name(request, command, err))
            return false;
        if (command->kind == COMMAND_PICTURE_AS) {
            request->zoom = 0;
            picture_show_cursor(session);
        }
        return true;
    }
}

// --- letters

bool session_letters(Session *session, const Command *command, Error *err)
{
    const double least = 0.5, most = 4.0;
    double letters = (double)command->number / 1000.0;
    if (command->kind == COMMAND_LETTERS && (letters < least || letters > most))
        return error_set(err, TELL(LETTERS_SIZE));
    if (command->kind != COMMAND_LETTERS)
        letters =
            session->picture.letters * (command->kind == COMMAND_LETTERS_LARGER ? 1.1 : 1.0 / 1.1);
    letters = letters > 0.98 && letters < 1.02 ? 1.0 : letters;
    session->picture.letters = fmax(fmin(letters, most), least);
    session->picture.revision++;
    return true;
}

// --- where a number came from

// Chooses the cell under the cursor; the origin panel then shows it, too.
bool session_picture_origin(Session *session, const Command *command, Error *err)
{
    Picture *picture = &session->picture;
    (void)command;
    if (picture->shows_origin) {
        picture->shows_origin = false;
        return true;
    }
    if (picture_trace(session) != &session->run.trace)
        return error_set(err, TELL(DIFFERENCE_NO_ORIGIN));
    picture->request.mean = false; // a mean has no origin
    if (picture->request.has_cursor)
        picture_choose(session);
    session->look.detail = DETAIL_ORIGIN;
    picture->shows_origin = true;
    return true;
}

// --- the page of keys, files, the way out

static void leave(Session *session)
{
    Picture *picture = &session->picture;
    FigureRequest *request = &picture->request;
    if (picture->help)
        picture->help = false;
    else if (request->lock != FIGURE_UNLOCKED)
        request->lock = FIGURE_UNLOCKED;
    else if (request->zoom != 0)
        request->zoom = 0;
    else if (figure_heads_any(&request->heads))
        request->heads = (FigureHeads){.bits = {0}};
    else if (request->mode != FIGURE_GRID)
        request->mode = FIGURE_GRID;
    else
        request->has_cursor = picture->has_chosen = false;
}

bool session_picture(Session *session, const Command *command, Error *err)
{
    Picture *picture = &session->picture;
    (void)err;
    picture->revision++;
    if (command->kind == COMMAND_PICTURE_KEYS)
        picture->help = !picture->help;
    else if (command->kind == COMMAND_PICTURE_SAVE)
        picture->saves++;
    else if (command->kind == COMMAND_PICTURE_CSV)
        picture->csvs++;
    else if (command->kind == COMMAND_PICTURE_BACK)
        leave(session);
    return true; // the window itself handles COMMAND_FULLSCREEN
}

// --- the picture in words, for people who cannot see it

enum { MAPS_LISTED = 24 }; // the rest are counted

static void print_map(const FigureData *data, const FigureRequest *request, ptrdiff_t head,
                      FILE *out)
{
    FigureRequest numbers = *request; // not as they are coloured
    ptrdiff_t batch = request->batch;
    FigureCell most = {head, 0, 0};
    float number = -INFINITY;
    char name[160], place[FIGURE_CELL_NAME_MAX];
    numbers.scale = FIGURE_SCALE_ALL;
    fprintf(out, " %s: ", figure_map_name(data, batch, head, name));
    if (!figure_largest(data, &numbers, head, &most, &number)) {
        fprintf(out, "%s", TELL(ABOUT_NOTHING));
        return;
    }
    fprintf(out, TELL(ABOUT_LARGEST), (double)number, figure_cell_name(data, batch, most, place));
}

// Tells how much of a map differs from the other run's, and where most.
static void print_difference(const FigureSidePair *pair, ptrdiff_t head, FILE *out)
{
    const ptrdiff_t *shape = pair->here->values.shape;
    ptrdiff_t differing = 0;
    FigureCell cell = {.head = head};
    char name[160], place[FIGURE_CELL_NAME_MAX];
    for (cell.row = 0; cell.row < shape[2]; cell.row++)
        for (cell.column = 0; cell.column < shape[3]; cell.column++)
            differing += !figure_compare_same(pair, cell);
    fprintf(out, TELL(ABOUT_DIFFER), figure_map_name(pair->here, pair->batch, head, name),
            differing, shape[2] * shape[3]);
    if (figure_compare_most(pair, head, &cell))
        fprintf(out, TELL(ABOUT_DIFFER_MOST),
                figure_cell_name(pair->here, pair->batch, cell, place),
                number_unsigned_nan((double)figure_compare_number(pair, FIGURE_SIDE_THIS, cell)),
                number_unsigned_nan((double)figure_compare_number(pair, FIGURE_SIDE_OTHER, cell)));
}

// Describes one map, or what differs in it from the other run.
static void print_shown(const Session *session, const FigureData *data, ptrdiff_t head, FILE *out)
{
    FigureData here, there;
    FigureSidePair pair;
    if (picture_pair(session, &here, &there, &pair))
        print_difference(&pair, head, out);
    else
        print_map(data, &session->picture.request, head, out);
}

// Tells whose weights made the numbers.
static void print_weights(const FigureRequest *request, const Scenario *scenario, FILE *out)
{
    if (scenario_is_untrained(scenario))
        fprintf(out, " %s", TELL(ABOUT_UNTRAINED));
    if (request->weights)
        fprintf(out, TELL(ABOUT_WEIGHTS), request->weights);
}

static void print_origin(const Session *session, FILE *out)
{
    const FigureRequest *request = &session->picture.request;
    const Trace *trace = picture_trace(session);
    char name[TRACE_CELL_MAX];
    fprintf(out, TELL(ABOUT_ORIGIN), trace_cell_name(trace, request->origin_cell, name),
            session->origin.explanation.listed);
    if (request->changed)
        fprintf(out, TELL(ABOUT_CHANGED), request->changed);
    fputc('.', out);
    print_weights(request, trace->scenario, out);
    fputc('\n', out);
}

void picture_about(const Session *session, FILE *out)
{
    const FigureRequest *request = &session->picture.request;
    const Scenario *scenario = picture_trace(session)->scenario;
    FigureData data;
    Error err;
    if (!figure_data(picture_trace(session), request, &data, &err))
        return;
    if (request->origin) {
        print_origin(session, out);
        return;
    }
    ptrdiff_t listed = 0, left = 0;
    fprintf(out, TELL(ABOUT_TENSOR), picture_tensor_name(session), scenario->name);
    if (request->document)
        fprintf(out, TELL(ABOUT_DOCUMENT), request->document);
    if (request->changed)
        fprintf(out, TELL(ABOUT_CHANGED), request->changed);
    fprintf(out, TELL(ABOUT_SHAPE), data.values.shape[2], data.values.shape[3]);
    print_weights(request, scenario, out);
    if (request->compares)
        fprintf(out, TELL(ABOUT_COMPARED), session->picture.other.name);
    for (ptrdiff_t head = -1; head < data.values.shape[1]; head++) {
        if (!figure_shows_head(request, head))
            continue;
        if (listed++ < MAPS_LISTED)
            print_shown(session, &data, head, out);
        else
            left++;
    }
    if (left > 0)
        fprintf(out, TELL(ABOUT_MORE), left);
    fputc('\n', out);
}

// --- the picture as CSV

// The maps to write: of one run, or of one side of a comparison.
typedef struct Table {
    const FigureData *data;
    const FigureSidePair *pair; // NULL: one run
    FigureSide side;
    ptrdiff_t batch;
} Table;

static void write_number(const Table *table, FigureCell cell, FILE *out)
{
    char text[64];
    if (!table->pair || table->side != FIGURE_SIDE_DIFFERENCE) {
        const FigureData *data =
            table->pair && table->side == FIGURE_SIDE_OTHER ? table->pair->there : table->data;
        fprintf(out, ",%s", figure_number_in_full(data, table->batch, cell, text));
        return;
    }
    float apart = figure_compare_number(table->pair, FIGURE_SIDE_DIFFERENCE, cell);
    if (isnan(apart))
        fputs(",NaN", out);
    else
        fprintf(out, ",%.9g", (double)apart);
}

static void write_map(const Table *table, ptrdiff_t head, FILE *out)
{
    static const char *const sides[FIGURE_SIDES] = {"this", "other", "difference"};
    char text[64];
    for (ptrdiff_t row = 0; row < table->data->values.shape[2]; row++) {
        if (table->pair)
            fprintf(out, "%s,", sides[table->side]);
        if (head < 0)
            fprintf(out, "mean,%td,", row);
        else
            fprintf(out, "%td,%td,", head, row);
        write_field(figure_row_label(table->data, table->batch, row, text), out);
        for (ptrdiff_t column = 0; column < table->data->values.shape[3]; column++)
            write_number(table, (FigureCell){head, row, column}, out);
        fputc('\n', out);
    }
}

static void write_maps(const Table *table, const FigureRequest *request, FILE *out)
{
    for (ptrdiff_t head = -1; head < table->data->values.shape[1]; head++)
        if (figure_shows_head(request, head))
            write_map(table, head, out);
}

void picture_csv(const Session *session, FILE *out)
{
    const FigureRequest *request = &session->picture.request;
    FigureData data, there;
    FigureSidePair pair;
    Error err;
    char text[64];
    if (!figure_data(picture_trace(session), request, &data, &err))
        return;
    bool two = picture_pair(session, &data, &there, &pair);
    if (request->changed) // readers of tables can skip lines with '#'
        fprintf(out, "# changed: %s\n", request->changed);
    if (request->weights)
        fprintf(out, "# weights: %s\n", request->weights);
    if (two)
        fprintf(out, "# compared: %s\n", session->picture.other.name);
    fprintf(out, "%s%s,%s,word", two ? "side," : "", data.map_key,
            data.is_attention ? "query" : "row");
    for (ptrdiff_t column = 0; column < data.values.shape[3]; column++) {
        fputc(',', out);
        write_field(figure_column_label(&data, request->batch, column, text), out);
    }
    fputc('\n', out);
    Table table = {&data, two ? &pair : NULL, FIGURE_SIDE_THIS, request->batch};
    write_maps(&table, request, out);
    for (table.side = FIGURE_SIDE_OTHER; two && table.side < FIGURE_SIDES; table.side++)
        write_maps(&table, request, out);
}

// The picture in other forms: described for people who cannot see it, and as CSV; see picture.h.
#include <math.h>
#include <string.h>
#include "figure_data.h"
#include "number_text.h"
#include "picture_parts.h"
#include "session_words.def"

// --- in words

enum { MAPS_TOLD = 24 }; // of more, the rest is only counted

static void tell_map(const FigureData *data, const FigureRequest *request, ptrdiff_t head,
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

// How much of a map differs from the other run's, and where most.
static void tell_difference(const FigureSidePair *pair, ptrdiff_t head, FILE *out)
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

// One map; beside another run, what differs in it.
static void tell_shown(const Session *session, const FigureData *data, ptrdiff_t head, FILE *out)
{
    FigureData here, there;
    FigureSidePair pair;
    if (picture_pair(session, &here, &there, &pair))
        tell_difference(&pair, head, out);
    else
        tell_map(data, &session->picture.request, head, out);
}

// The end of what is said of the whole picture: whose weights made its numbers.
static void tell_weights(const FigureRequest *request, const Scenario *scenario, FILE *out)
{
    if (scenario_is_untrained(scenario))
        fprintf(out, " %s", TELL(ABOUT_UNTRAINED));
    if (request->weights)
        fprintf(out, TELL(ABOUT_WEIGHTS), request->weights);
}

static void tell_origin(const Session *session, FILE *out)
{
    const FigureRequest *request = &session->picture.request;
    const Trace *trace = picture_trace(session);
    char name[TRACE_CELL_MAX];
    fprintf(out, TELL(ABOUT_ORIGIN), trace_cell_name(trace, request->origin_cell, name),
            session->origin.explanation.listed);
    if (request->changed)
        fprintf(out, TELL(ABOUT_CHANGED), request->changed);
    fputc('.', out);
    tell_weights(request, trace->scenario, out);
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
    bool all = figure_shows_every_head(request);
    if (request->origin) {
        tell_origin(session, out);
        return;
    }
    ptrdiff_t told = 0, left = 0;
    fprintf(out, TELL(ABOUT_TENSOR), picture_tensor_name(session), scenario->name);
    if (request->document)
        fprintf(out, TELL(ABOUT_DOCUMENT), request->document);
    if (request->changed)
        fprintf(out, TELL(ABOUT_CHANGED), request->changed);
    fprintf(out, TELL(ABOUT_SHAPE), data.values.shape[2], data.values.shape[3]);
    tell_weights(request, scenario, out);
    if (request->compares)
        fprintf(out, TELL(ABOUT_COMPARED), session->picture.other.name);
    if (!all)
        tell_shown(session, &data, request->mean ? -1 : request->head, out);
    for (ptrdiff_t head = 0; all && head < data.values.shape[1]; head++) {
        if (!figure_shows_head(request, head))
            continue;
        if (told++ < MAPS_TOLD)
            tell_shown(session, &data, head, out);
        else
            left++;
    }
    if (left > 0)
        fprintf(out, TELL(ABOUT_MORE), left);
    fputc('\n', out);
}

// --- as CSV

// A word that holds commas or quotes is quoted, as RFC 4180 has it.
static void write_word(const char *word, FILE *out)
{
    bool plain = strpbrk(word, ",\"\n\r") == NULL;
    if (plain) {
        fputs(word, out);
        return;
    }
    fputc('"', out);
    for (; *word; word++)
        fputs((char[]){*word, *word == '"' ? '"' : '\0', '\0'}, out);
    fputc('"', out);
}

// The maps to be written: of one run, or of a side of two.
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
        write_word(figure_row_label(table->data, table->batch, row, text), out);
        for (ptrdiff_t column = 0; column < table->data->values.shape[3]; column++)
            write_number(table, (FigureCell){head, row, column}, out);
        fputc('\n', out);
    }
}

static void write_maps(const Table *table, const FigureRequest *request, FILE *out)
{
    if (request->mean)
        write_map(table, -1, out);
    else if (!figure_shows_every_head(request))
        write_map(table, request->head, out);
    for (ptrdiff_t head = 0;
         figure_shows_every_head(request) && head < table->data->values.shape[1]; head++)
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
    if (request->changed) // lines that readers of tables can be told to pass over
        fprintf(out, "# changed: %s\n", request->changed);
    if (request->weights)
        fprintf(out, "# weights: %s\n", request->weights);
    if (two)
        fprintf(out, "# compared: %s\n", session->picture.other.name);
    fprintf(out, "%s%s,%s,word", two ? "side," : "", data.map_key,
            data.is_attention ? "query" : "row");
    for (ptrdiff_t column = 0; column < data.values.shape[3]; column++) {
        fputc(',', out);
        write_word(figure_column_label(&data, request->batch, column, text), out);
    }
    fputc('\n', out);
    Table table = {&data, two ? &pair : NULL, FIGURE_SIDE_THIS, request->batch};
    write_maps(&table, request, out);
    for (table.side = FIGURE_SIDE_OTHER; two && table.side < FIGURE_SIDES; table.side++)
        write_maps(&table, request, out);
}

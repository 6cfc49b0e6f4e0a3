// picture_csv: the numbers of the maps that are shown, for a spreadsheet; see picture.h.
#include "picture_parts.h"

#include <math.h>
#include <string.h>
#include "figure_data.h"

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

// picture_csv: the numbers of the maps that are shown, for a spreadsheet; see picture.h.
#include "picture_parts.h"

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

static void write_map(const FigureData *data, ptrdiff_t batch, ptrdiff_t head, FILE *out)
{
    char text[64];
    for (ptrdiff_t row = 0; row < data->values.shape[2]; row++) {
        if (head < 0)
            fprintf(out, "mean,%td,", row);
        else
            fprintf(out, "%td,%td,", head, row);
        write_word(figure_row_label(data, batch, row, text), out);
        for (ptrdiff_t column = 0; column < data->values.shape[3]; column++)
            fprintf(out, ",%s",
                    figure_number_in_full(data, batch, (FigureCell){head, row, column}, text));
        fputc('\n', out);
    }
}

void picture_csv(const Session *session, FILE *out)
{
    const FigureRequest *request = &session->picture.request;
    FigureData data;
    Error err;
    char text[64];
    if (!figure_data(picture_trace(session), request, &data, &err))
        return;
    if (request->changed) // a line that readers of tables can be told to pass over
        fprintf(out, "# changed: %s\n", request->changed);
    fprintf(out, "%s,%s,word", data.map_key, data.is_attention ? "query" : "row");
    for (ptrdiff_t column = 0; column < data.values.shape[3]; column++) {
        fputc(',', out);
        write_word(figure_column_label(&data, request->batch, column, text), out);
    }
    fputc('\n', out);
    if (request->mean)
        write_map(&data, request->batch, -1, out);
    else if (!figure_shows_every_head(request))
        write_map(&data, request->batch, request->head, out);
    for (ptrdiff_t head = 0; figure_shows_every_head(request) && head < data.values.shape[1];
         head++)
        if (figure_shows_head(request, head))
            write_map(&data, request->batch, head, out);
}

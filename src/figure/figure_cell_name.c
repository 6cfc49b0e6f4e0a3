// figure_cell_name: a cell in words; see figure_data.h.
#include "figure_data.h"

#include <stdio.h>
#include <string.h>
#include "figure_words.h"

// A place with its word, where it has one that is not its number.
static void name_place(char text[128], const char *axis, ptrdiff_t at, const char *label)
{
    char number[32];
    snprintf(number, sizeof number, "%td", at);
    if (strcmp(label, number) == 0)
        snprintf(text, 128, "%s %s", axis, number);
    else
        snprintf(text, 128, TELL(CELL_PLACE), axis, number, label);
}

const char *figure_cell_name(const FigureData *data, ptrdiff_t batch, FigureCell cell,
                             char text[FIGURE_CELL_NAME_MAX])
{
    char label[64], row[128], column[128];
    bool attention = data->is_attention;
    name_place(row, attention ? TELL(READ_QUERY) : TELL(READ_ROW), cell.row,
               figure_row_label(data, batch, cell.row, label));
    name_place(column, attention ? TELL(READ_KEY) : TELL(READ_COLUMN), cell.column,
               figure_column_label(data, batch, cell.column, label));
    snprintf(text, FIGURE_CELL_NAME_MAX, "%s, %s", row, column);
    return text;
}

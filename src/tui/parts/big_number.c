// big_number: see big_number.h.
#include "big_number.h"

#include <string.h>

enum { PIXEL_ROWS = 5 };

// Five rows of pixels from the top, each read from the left: '#' is set.
typedef struct Glyph {
    char character;
    const char *pixels[PIXEL_ROWS];
} Glyph;

static const Glyph glyphs[] = {
    {'0', {"###", "# #", "# #", "# #", "###"}}, {'1', {" # ", "## ", " # ", " # ", "###"}},
    {'2', {"###", "  #", "###", "#  ", "###"}}, {'3', {"###", "  #", " ##", "  #", "###"}},
    {'4', {"# #", "# #", "###", "  #", "  #"}}, {'5', {"###", "#  ", "###", "  #", "###"}},
    {'6', {"###", "#  ", "###", "# #", "###"}}, {'7', {"###", "  #", "  #", " # ", " # "}},
    {'8', {"###", "# #", "###", "# #", "###"}}, {'9', {"###", "# #", "###", "  #", "###"}},
    {'.', {" ", " ", " ", " ", "#"}},           {'-', {"  ", "  ", "##", "  ", "  "}},
    {'+', {"   ", " # ", "###", " # ", "   "}}, {'e', {"   ", "###", "## ", "#  ", "###"}},
    {'n', {"   ", "## ", "# #", "# #", "# #"}}, {'a', {"   ", " ##", "# #", "# #", " ##"}},
    {'i', {"#", " ", "#", "#", "#"}},           {'f', {" ##", "#  ", "###", "#  ", "#  "}},
    {'T', {"###", " # ", " # ", " # ", " # "}}, {'r', {"   ", "# #", "## ", "#  ", "#  "}},
    {'u', {"   ", "# #", "# #", "# #", "###"}}, {'F', {"###", "#  ", "## ", "#  ", "#  "}},
    {'l', {"#", "#", "#", "#", "#"}},           {'s', {"   ", "###", "## ", " ##", "###"}},
};

static const Glyph *glyph_of(char character)
{
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (glyphs[i].character == character)
            return &glyphs[i];
    return NULL;
}

static int pixel_columns(BigSize size)
{
    return size == BIG_WHOLE ? 2 : 1;
}

int big_number_columns(const char *text, BigSize size)
{
    int columns = 0;
    if (size == BIG_PLAIN)
        return (int)strlen(text);
    for (; *text; text++) {
        const Glyph *glyph = glyph_of(*text);
        if (glyph)
            columns += (columns > 0) + (int)strlen(glyph->pixels[0]);
    }
    return columns * pixel_columns(size);
}

int big_number_rows(BigSize size)
{
    return size == BIG_WHOLE ? PIXEL_ROWS : size == BIG_HALF ? (PIXEL_ROWS + 1) / 2 : 1;
}

static bool is_set(const Glyph *glyph, int row, int column)
{
    return row < PIXEL_ROWS && glyph->pixels[row][column] == '#';
}

static void draw_glyph(const BigPen *pen, int row, int column, const Glyph *glyph)
{
    int columns = (int)strlen(glyph->pixels[0]), wide = pixel_columns(pen->size);
    bool whole = pen->size == BIG_WHOLE;
    for (int down = 0; down < big_number_rows(pen->size); down++)
        for (int across = 0; across < columns; across++) {
            bool upper = is_set(glyph, whole ? down : 2 * down, across);
            bool lower = whole ? upper : is_set(glyph, 2 * down + 1, across);
            const char *block = upper && lower ? "\u2588" : upper ? "\u2580" : "\u2584";
            if (upper || lower)
                cells_fill(pen->area, row + down, column + across * wide, wide, pen->role, block);
        }
}

void big_number_draw(const BigPen *pen, int row, int column, const char *text)
{
    if (pen->size == BIG_PLAIN) {
        cells_text(pen->area, row, column, pen->role, text);
        return;
    }
    for (; *text; text++) {
        const Glyph *glyph = glyph_of(*text);
        if (!glyph)
            continue;
        draw_glyph(pen, row, column, glyph);
        column += ((int)strlen(glyph->pixels[0]) + 1) * pixel_columns(pen->size);
    }
}

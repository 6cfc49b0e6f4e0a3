// figure_number: numbers as they are written into cells; see figure_internal.h.
#include "figure_internal.h"

#include <math.h>
#include <stdlib.h>

void figure_number_text(char text[32], float number, int decimals)
{
    if (isnan(number))
        snprintf(text, 32, "NaN");
    else if (isinf(number))
        snprintf(text, 32, number > 0.0f ? "+inf" : "-inf");
    else
        snprintf(text, 32, decimals < 0 ? "%.*e" : "%.*f", abs(decimals), (double)number);
}

bool figure_number_fits(const FigurePen *pen, PoolRange range, int decimals, int size, int room)
{
    char low[32], high[32];
    figure_number_text(low, range.low <= range.high ? range.low : 0.0f, decimals);
    figure_number_text(high, range.low <= range.high ? range.high : 0.0f, decimals);
    return font_width(pen->metrics, low, size) <= room &&
           font_width(pen->metrics, high, size) <= room;
}

int figure_number_least(const FigurePen *pen)
{
    return figure_usual_points(pen, pen->letters > 1.0 ? 8 : 9);
}

int figure_number_margin(const FigurePen *pen)
{
    return figure_usual_points(pen, 4);
}

void figure_draw_number(const FigurePen *pen, FigureBox box, DisplayCell cell, DisplayItem item,
                        const char *text)
{
    int wide = font_width(pen->metrics, text, item.size) + figure_usual_points(pen, 4);
    int high = item.size * 9 / 10;
    wide = wide < box.width ? wide : box.width;
    high = high < box.height ? high : box.height;
    item.x = box.x + box.width / 2;
    item.y = box.y + box.height / 2;
    item.anchor = DISPLAY_CENTRE;
    if (cell >> 24 != DISPLAY_PLAIN)
        display_rectangle(pen->list, item.x - wide / 2, item.y - high / 2, wide, high,
                          cell & 0xffffff);
    figure_text(pen, item, box.width + figure_usual_points(pen, 4), text); // a + is wider than a -
}

Colour figure_ink_on(Colour cell)
{
    return colour_luminance(cell) > 0.2 ? 0x101418 : 0xffffff;
}

// colour: the maps as control points, and the way between them; see colour.h.
#include "colour.h"

#include <math.h>
#include "kernel.h"

const char *const colour_map_names[COLOUR_MAP_COUNT + 1] = {"viridis", "cividis", "magma",
                                                            "diverging", 0};

enum { POINTS = 16, BOTH_POINTS = 11 };

// Every 17th of the 256 published colours. viridis and magma: Smith and van der Walt 2015;
// cividis: Nuñez, Anderton and Renslow 2018.
static const Colour sequential_points[][POINTS] = {
    [COLOUR_VIRIDIS] = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e, 0x2a788e,
                        0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568, 0x7ad151, 0xa5db36,
                        0xd2e21b, 0xfde725},
    [COLOUR_CIVIDIS] = {0x00224e, 0x002e6c, 0x1e3a6f, 0x35456c, 0x47516c, 0x575d6d, 0x666970,
                        0x757575, 0x848279, 0x948e77, 0xa59c74, 0xb7a96e, 0xc8b866, 0xdbc75a,
                        0xeed649, 0xfee838},
    [COLOUR_MAGMA] = {0x000004, 0x0b0924, 0x20114b, 0x3b0f70, 0x57157e, 0x721f81, 0x8c2981,
                      0xa8327d, 0xc43c75, 0xde4968, 0xf1605d, 0xfa7f5e, 0xfe9f6d, 0xfebf84,
                      0xfddea0, 0xfcfdbf},
};

// Brewer's RdBu in eleven classes, blue first.
static const Colour diverging_points[BOTH_POINTS] = {0x053061, 0x2166ac, 0x4393c3, 0x92c5de,
                                                     0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582,
                                                     0xd6604d, 0xb2182b, 0x67001f};

// The same hues the other way: the farther from the middle, the lighter.
static const Colour dark_points[BOTH_POINTS] = {0xb3d7ee, 0x7fb9de, 0x4b97c8, 0x2f6f9f,
                                                0x264a67, 0x232a33, 0x5f3732, 0x9b4636,
                                                0xd6604d, 0xf08f70, 0xfcc5a8};

ColourMap colour_map_on(ColourMap map, bool is_dark)
{
    return is_dark && map == COLOUR_DIVERGING ? COLOUR_DIVERGING_DARK : map;
}

static int channel(Colour colour, int shift)
{
    return (int)(colour >> shift & 0xff);
}

Colour colour_mix(Colour a, Colour b, double share)
{
    Colour mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double from = channel(a, shift), to = channel(b, shift);
        mixed |= (Colour)(from + (to - from) * share + 0.5) << shift;
    }
    return mixed;
}

void colour_table(ColourMap map, Colour table[COLOUR_LEVELS])
{
    colour_table_around(map, 0.5, table);
}

void colour_table_around(ColourMap map, double middle, Colour table[COLOUR_LEVELS])
{
    bool has_both = map == COLOUR_DIVERGING || map == COLOUR_DIVERGING_DARK;
    const Colour *points = map == COLOUR_DIVERGING        ? diverging_points
                           : map == COLOUR_DIVERGING_DARK ? dark_points
                                                          : sequential_points[map];
    int count = has_both ? BOTH_POINTS : POINTS;
    for (int level = 0; level < COLOUR_LEVELS; level++) {
        double from = level - middle * (COLOUR_LEVELS - 1);
        double even =
            0.5 * (COLOUR_LEVELS - 1) + 0.5 * from / (from <= 0.0 ? middle : 1.0 - middle);
        double place = even * (count - 1) / (COLOUR_LEVELS - 1);
        int point = place < count - 1 ? (int)place : count - 2;
        table[level] = colour_mix(points[point], points[point + 1], place - point);
    }
}

int colour_level(float number, float low, float high)
{
    float share = (number - low) / (high - low);
    share = share > 0.0f ? share : 0.0f;
    share = share < 1.0f ? share : 1.0f;
    return high > low ? (int)(share * (COLOUR_LEVELS - 1) + 0.5f) : COLOUR_LEVELS / 2;
}

bool colour_numbers(const Colour table[COLOUR_LEVELS], const float *numbers, ptrdiff_t count,
                    float low, float high, Colour *out)
{
    enum { AT_ONCE = 256, MORE = 16 };
    int levels[AT_ONCE + MORE];
    bool good = true;
    const Kernel *kernel = kernel_choose();
    for (ptrdiff_t first = 0; first < count; first += AT_ONCE) {
        ptrdiff_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
        good &= kernel->levels(some, numbers + first, low, high, COLOUR_LEVELS - 1, levels);
        for (ptrdiff_t i = 0; i < some; i++)
            out[first + i] = table[high > low ? levels[i] : COLOUR_LEVELS / 2];
    }
    return good;
}

double colour_luminance(Colour colour)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126}; // blue, green, red
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double part = channel(colour, 8 * i) / 255.0;
        sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

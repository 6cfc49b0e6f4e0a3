// shade: see shade.h.
#include "shade.h"

enum {
    DIRECT_FROM = 1 << 24, // colour numbers are 0xRRGGBB
    DIRECT_NAMED = 8,      // but the first ones are the named colours
    CUBE_START = 16,
    CUBE_SIDE = 6,
    GREY_START = 232,
    GREY_COUNT = 24,
    HUES_FROM = 8,
};

static const int cube_levels[CUBE_SIDE] = {0, 95, 135, 175, 215, 255};

static int channel(uint32_t colour, int which)
{
    return (int)(colour >> (16 - 8 * which) & 0xFF);
}

static int square(int number)
{
    return number * number;
}

static int nearest_level(int value)
{
    int best = 0;
    for (int level = 1; level < CUBE_SIDE; level++)
        if (square(cube_levels[level] - value) < square(cube_levels[best] - value))
            best = level;
    return best;
}

static int nearest_of_256(uint32_t colour)
{
    int cube = 0, cube_distance = 0, sum = 0, grey_distance = 0;
    for (int which = 0; which < 3; which++) {
        int value = channel(colour, which), level = nearest_level(value);
        cube = cube * CUBE_SIDE + level;
        cube_distance += square(cube_levels[level] - value);
        sum += value;
    }
    int grey = (sum / 3 - 3) / 10; // greys are 8, 18, ... 238
    grey = grey < 0 ? 0 : grey >= GREY_COUNT ? GREY_COUNT - 1 : grey;
    for (int which = 0; which < 3; which++)
        grey_distance += square(8 + 10 * grey - channel(colour, which));
    return grey_distance < cube_distance ? GREY_START + grey : CUBE_START + cube;
}

// Of the named colours: red counts 1, green 2, blue 4; a part counts from half the strongest on.
static int nearest_hue(uint32_t colour)
{
    int strongest = 0, hue = 0;
    for (int which = 0; which < 3; which++)
        if (channel(colour, which) > strongest)
            strongest = channel(colour, which);
    for (int which = 0; which < 3; which++)
        if (strongest > 0 && 2 * channel(colour, which) >= strongest)
            hue |= 1 << which;
    return hue;
}

static int number_of(uint32_t colour, int colours)
{
    if (!(colour & SHADE_SET) || colours < HUES_FROM)
        return -1;
    colour &= SHADE_SET - 1;
    if (colours >= DIRECT_FROM)
        return colour < DIRECT_NAMED ? DIRECT_NAMED : (int)colour;
    if (colours >= CELLS_SHADES_FROM)
        return nearest_of_256(colour);
    return nearest_hue(colour);
}

ShadeNumbers shade_numbers(Shade shade, int colours)
{
    if ((shade.back & SHADE_SET) && colours < CELLS_SHADES_FROM)
        return (ShadeNumbers){-1, -1};
    return (ShadeNumbers){number_of(shade.front, colours), number_of(shade.back, colours)};
}

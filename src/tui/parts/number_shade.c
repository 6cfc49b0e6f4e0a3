// number_shade: see number_shade.h.
#include "number_shade.h"

#include <math.h>
#include "colour.h"

enum {
    GROUND = 0x20242c, // where the shades begin; dark, so that small numbers do not stand out
    ORANGE = 0xff9f1c, // the two are told apart with every kind of colour blindness
    BLUE = 0x4aa3ff,
    WHITE = 0xffffff,
    BLACK = 0x000000,
};

static const float small = 1.0f / 16, large = 1.0f / 3; // of the largest in sight

Shade number_shade(float number, float largest, int colours)
{
    Colour hue = number < 0.0f ? BLUE : ORANGE;
    float share = fabsf(number) / largest;
    if (!isfinite(number) || !(share >= small))
        return (Shade){0};
    if (colours < CELLS_SHADES_FROM)
        return (Shade){.front = share >= large ? SHADE_SET | hue : 0};
    Colour back = colour_mix(GROUND, hue, (double)share);
    Colour front = colour_luminance(back) > 0.18 ? BLACK : WHITE; // where both contrast alike
    return (Shade){SHADE_SET | front, SHADE_SET | back};
}

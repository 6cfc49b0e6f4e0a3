// Colours for numbers: maps whose lightness rises evenly, so that they read the same in grey and
// with any kind of colour blindness, and a diverging one for numbers of both signs.
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t Colour; // 0x00RRGGBB

typedef enum ColourMap {
    COLOUR_VIRIDIS,
    COLOUR_CIVIDIS,
    COLOUR_MAGMA,
    COLOUR_DIVERGING, // blue, white, red
    COLOUR_MAP_COUNT,
    COLOUR_DIVERGING_DARK =
        COLOUR_MAP_COUNT // blue, the ground of a dark page, red: nobody names it
} ColourMap;

// The map in whose colours a map is drawn on a dark page: there, white in the middle would glow.
ColourMap colour_map_on(ColourMap map, bool is_dark);

// The names, as a person types them; ends with NULL.
extern const char *const colour_map_names[COLOUR_MAP_COUNT + 1];

enum { COLOUR_LEVELS = 256 };

// The colours of a map, lowest number first.
void colour_table(ColourMap map, Colour table[COLOUR_LEVELS]);

// The same colours, the middle one of which stands at `middle` (above 0, at most 1) of the way from the
// lowest number to the highest; they go on evenly below it and above it. At 0.5 it is colour_table.
void colour_table_around(ColourMap map, double middle, Colour table[COLOUR_LEVELS]);

// Where a finite number stands between `low` and `high`: 0 to 255, rounded to the nearest. The
// middle when low and high are equal.
int colour_level(float number, float low, float high);

// The colours of many numbers at once: out[i] is table[colour_level(numbers[i], low, high)]. False
// when some of them are not finite; their colours mean nothing.
bool colour_numbers(const Colour table[COLOUR_LEVELS], const float *numbers, ptrdiff_t count,
                    float low, float high, Colour *out);

// The part `share` (0 to 1) of the way from a to b.
Colour colour_mix(Colour a, Colour b, double share);

// The same for 8-bit shares, 0 is a and 255 is b, rounded to the nearest. Red and blue are worked on at
// once, each in 16 bits: x / 255 is (x + 1 + x / 256) / 256 for every x up to 255 x 255 + 127.
static inline Colour colour_blend(Colour a, Colour b, unsigned share)
{
    uint32_t ends = (a & 0xff00ff) * (255 - share) + (b & 0xff00ff) * share + 0x7f007f;
    uint32_t green = (a >> 8 & 0xff) * (255 - share) + (b >> 8 & 0xff) * share + 0x7f;
    ends = (ends + 0x10001 + (ends >> 8 & 0xff00ff)) >> 8 & 0xff00ff;
    return ends | ((green + 1 + (green >> 8)) & 0xff00);
}

// Relative luminance of an sRGB colour, 0 (black) to 1 (white). Source: WCAG 2.1.
double colour_luminance(Colour colour);

#endif

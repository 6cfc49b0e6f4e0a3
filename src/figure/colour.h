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
    COLOUR_MAP_COUNT
} ColourMap;

// The names, as a person types them; ends with NULL.
extern const char *const colour_map_names[COLOUR_MAP_COUNT + 1];

enum { COLOUR_LEVELS = 256 };

// The colours of a map, lowest number first.
void colour_table(ColourMap map, Colour table[COLOUR_LEVELS]);

// Where a finite number stands between `low` and `high`: 0 to 255, rounded to the nearest. The
// middle when low and high are equal.
int colour_level(float number, float low, float high);

// The colours of many numbers at once: out[i] is table[colour_level(numbers[i], low, high)]. False
// when some of them are not finite; their colours mean nothing.
bool colour_numbers(const Colour table[COLOUR_LEVELS], const float *numbers, ptrdiff_t count,
                    float low, float high, Colour *out);

// The part `share` (0 to 1) of the way from a to b.
Colour colour_mix(Colour a, Colour b, double share);

// The same for 8-bit shares: 0 is a, 255 is b.
Colour colour_blend(Colour a, Colour b, unsigned share);

// Relative luminance of an sRGB colour, 0 (black) to 1 (white). Source: WCAG 2.1.
double colour_luminance(Colour colour);

#endif

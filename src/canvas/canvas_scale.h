// How dense a screen is: the pixels of a point, of which an ordinary screen has one.
#ifndef CANVAS_SCALE_H
#define CANVAS_SCALE_H

#include <SDL.h>

// 1 to 4. In this order: ATTNSCOPE_SCALE in the environment; where windows are measured in points
// (Wayland, macOS), pixels to points; under X what the desktop tells every program (Xft.dpi, 96 a
// point), and where it tells nothing, what the screen says of its size.
double scale_of(SDL_Window *window);

#endif

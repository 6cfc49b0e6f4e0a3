// The pixels of a window: a surface to paint on, and the way from there to the screen.
//
// X takes the window's own surface. Where windows are measured in points (Wayland, macOS) that surface
// has a pixel for each point only, so there the surface is ours, as fine as the screen. From there it
// goes to memory that a compositor of Wayland shares; elsewhere through a texture.
#ifndef CANVAS_SCREEN_H
#define CANVAS_SCREEN_H

#include <SDL.h>
#include "canvas_wayland.h"
#include "error.h"

typedef struct Screen {
    SDL_Window *window;
    Wayland *wayland;       // NULL: not under Wayland, or not without OpenGL
    SDL_Renderer *renderer; // NULL: Wayland's way, or the window's own surface
    SDL_Texture *texture;
    SDL_Surface *surface;
    void *pixels; // the surface's, where it is ours
} Screen;

// The flags for SDL_CreateWindow that its pixels ask for. After SDL_Init.
Uint32 screen_flags(void);

// False, with a sentence that says what else there is to do, when the display takes no pixels.
bool screen_open(Screen *screen, SDL_Window *window, Error *err);

// The surface, of the window's size in pixels; another pointer or another size when what was painted
// is lost. NULL when there is none. Belongs to the screen.
SDL_Surface *screen_surface(Screen *screen);

// Takes what was painted in these parts of it; under X they are seen at once.
void screen_put(Screen *screen, const SDL_Rect *parts, int count);

// After all parts of a picture.
void screen_show(Screen *screen);

// How many rows of it to paint and put at a time: all, or of a large one so many that their memory is
// soon given back. What has been put is not needed any more: every part is painted whole.
int screen_band(const SDL_Surface *surface);

// After a band of a large surface has been put.
void screen_leave(const SDL_Surface *surface, const SDL_Rect *band);

// Accepts a zeroed Screen.
void screen_close(Screen *screen);

#endif

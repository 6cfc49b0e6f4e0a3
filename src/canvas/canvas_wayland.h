// The way of pixels to a compositor of Wayland: memory that it shares (wl_shm), and no OpenGL.
//
// SDL 2 opens OpenGL for every window under Wayland, some 100 MB of it, unless its flags say that
// Vulkan draws there. Then it does nothing to the window's surface, and what is attached to it is
// ours. Of Vulkan it asks one thing only, which surfaces it can draw on; that is answered here, and
// Vulkan is not needed.
#ifndef CANVAS_WAYLAND_H
#define CANVAS_WAYLAND_H

#include <SDL.h>
#include <stdbool.h>

typedef struct Wayland Wayland;

// The flag for SDL_CreateWindow that keeps OpenGL out; 0 under other displays, and where this was
// built without Wayland or SDL does not take the answer. After SDL_Init.
Uint32 wayland_flag(void);

// NULL when the window was made without that flag, or something is missing: then SDL's own way is left.
Wayland *wayland_open(SDL_Window *window);

// Takes these parts of a surface of the window's size (32 bits a pixel, red at 16, green at 8, blue
// at 0); what it took before stays in the other parts. False when there is no memory.
bool wayland_put(Wayland *wayland, const SDL_Surface *surface, const SDL_Rect *parts, int count);

// Shows what was put.
void wayland_show(Wayland *wayland);

// Accepts NULL. Before the window is destroyed.
void wayland_close(Wayland *wayland);

#endif

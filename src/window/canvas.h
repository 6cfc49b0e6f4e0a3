// The parts of attnscope-window: texts, painting, pictures, the screen.
#ifndef CANVAS_H
#define CANVAS_H

#include <SDL.h>
#include <stdbool.h>
#include "display_list.h"
#include "error.h"
#include "canvas_shared.h"

// --- canvas_text.c: texts, with a cache of drawn strings

typedef struct TextFonts TextFonts;

// NULL and err without a font.
TextFonts *text_open(Error *err);
void text_close(TextFonts *fonts);

// Draws the text of an item on a surface.
void text_draw(TextFonts *fonts, SDL_Surface *surface, const DisplayItem *item, const char *text);

// The pixels that it covers.
SDL_Rect text_box(TextFonts *fonts, const DisplayItem *item, const char *text);

FontFaces *text_faces(TextFonts *fonts);

// True if memory was missing for some text since the last call; that text is not drawn.
bool text_failed(TextFonts *fonts);

// --- canvas_paint.c: display lists on a surface, with the same pixels in windows and files

// Paints the part of the list within `part` on an XRGB8888 surface. `boxes`: what each item covers, or NULL.
void paint_list(SDL_Surface *surface, const DisplayList *list, TextFonts *fonts, SDL_Rect part,
                const SDL_Rect *boxes);

// --- canvas_paint.c: the parts of a list that changed and must be painted

enum { CHANGE_PARTS_MAX = 128 };

typedef struct Change {
    int width, height;
    Colour background;
    unsigned long cells_version;
    size_t cell_count;
    DisplayItem *items; // of the last list
    SDL_Rect *boxes;
    char *texts;
    size_t item_count, text_bytes;
    bool known; // there was a last list
    SDL_Rect parts[CHANGE_PARTS_MAX];
    int part_count;
} Change;

// Finds the parts where `list` differs from the last one, and keeps it for the next call. Returns false if
// everything must be painted.
bool change_find(Change *change, const DisplayList *list, TextFonts *fonts);

// Makes the next change_find return false.
void change_forget(Change *change);
void change_finish(Change *change);

// --- canvas_paint.c: a surface as a PNG file

// Writes the surface (XRGB8888) to `path`, whole or not at all.
bool picture_write(SDL_Surface *surface, const char *path, Error *err);

// --- canvas_paint.c: an animated PNG
//
// libpng compresses each picture; the chunks acTL, fcTL and fdAT, which most systems' libpng does not support, are
// written here. Source: PNG Specification, third edition, 2025, section 11.3.2.6.

// Adds a surface (XRGB8888, all of one size) to the film in `path`. The first one begins a film, and drops an
// unfinished one; with the last the file appears, whole or not at all. The film repeats after two seconds on
// its last picture. Returns false and sets err, and drops the film, on failure.
bool film_add(SDL_Surface *surface, FilmPlace place, const char *path, Error *err);

// Drops an unfinished film.
void film_drop(void);

// --- canvas_screen.c: pixels per point

// 1 to 4, from the first that is known: ATTNSCOPE_SCALE in the environment; pixels per point, where windows are
// measured in points (Wayland, macOS); under X the desktop's Xft.dpi divided by 96, or the screen's own size.
double scale_of(SDL_Window *window);

// --- canvas_screen.c: input, sent as messages

void send_size(SDL_Window *window);

// send_key sends keys that produce no text; send_text sends text.
void send_key(const SDL_KeyboardEvent *key);
void send_text(const char *text);
void send_pointer(SDL_Window *window, const SDL_Event *event);

// --- canvas_screen.c: the pixels of a window
//
// Under X, the window's own surface. Where windows are measured in points (Wayland, macOS), that surface is too
// coarse, so the surface is ours; its pixels are memory shared with the Wayland compositor, or go to a texture.

typedef struct Wayland Wayland;

typedef struct WindowScreen {
    SDL_Window *window;
    Wayland *wayland;       // NULL: another display, or OpenGL
    SDL_Renderer *renderer; // NULL: shared memory, or the window's own surface
    SDL_Texture *texture;
    SDL_Surface *surface;
    void *pixels; // of the surface beside a texture
} WindowScreen;

// Flags for SDL_CreateWindow. Call after SDL_Init.
Uint32 screen_flags(void);

// Returns false, with an alternative in err, if the display accepts no pixels.
bool screen_open(WindowScreen *screen, SDL_Window *window, Error *err);

// The surface, as large as the window, owned by the screen. A new pointer or size means that its content is
// lost. NULL if there is none.
SDL_Surface *screen_surface(WindowScreen *screen);

// Transfers these painted parts; under X they are visible at once.
void screen_put(WindowScreen *screen, const SDL_Rect *parts, int count);

// Shows the picture, after all its parts.
void screen_show(WindowScreen *screen);

// How many rows to paint and put at a time: all, or for a large surface few, so that their memory can be
// released soon. Parts that were put are not needed again.
int screen_band(const SDL_Surface *surface);

// Releases a band of a large surface after it was put.
void screen_leave(const WindowScreen *screen, const SDL_Surface *surface, const SDL_Rect *band);

// Accepts a zeroed WindowScreen.
void screen_close(WindowScreen *screen);

#endif

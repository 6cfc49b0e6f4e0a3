// What attnscope-window draws with: texts, painting, pictures, the screen.
#ifndef CANVAS_H
#define CANVAS_H

#include <SDL.h>
#include <stdbool.h>
#include "display_list.h"
#include "error.h"
#include "canvas_shared.h"

// --- canvas_text.c: letters
//
// Fonts found through fontconfig, strings drawn once and kept.
// Life cycle: text_open, text_draw ..., text_close.

typedef struct TextFonts TextFonts;

// Finds a sans-serif font. NULL, with a sentence, when there is none at all.
TextFonts *text_open(Error *err);
void text_close(TextFonts *fonts);

// Draws the text of an item onto a surface.
void text_draw(TextFonts *fonts, SDL_Surface *surface, const DisplayItem *item, const char *text);

// The pixels it covers.
SDL_Rect text_box(TextFonts *fonts, const DisplayItem *item, const char *text);

// False: there is no memory for measuring.
bool text_metrics(TextFonts *fonts, int metrics[FONT_METRICS]);

// The first letter since the last call that no font here has, in a sentence; false when there was
// none.
bool text_missing(TextFonts *fonts, Error *sentence);

// Whether since the last call there was no memory for some text, which has not been drawn then.
bool text_failed(TextFonts *fonts);

// --- canvas_paint.c: a display list on a surface
//
// The same pixels in a window and in a file.

// Paints the part of the list that lies in `part`. The surface has 32 bits a pixel, red in the third
// byte from below (XRGB8888). `boxes`: what each item covers, when that is known; NULL otherwise.
void paint_list(SDL_Surface *surface, const DisplayList *list, TextFonts *fonts, SDL_Rect part,
                const SDL_Rect *boxes);

// --- canvas_paint.c: what has changed since the last list
//
// Only that is painted again.

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

// Finds the parts where `list` differs from the last one, and remembers it. False when everything
// is to be painted.
bool change_find(Change *change, const DisplayList *list, TextFonts *fonts);

// The next list is painted as a whole.
void change_forget(Change *change);
void change_finish(Change *change);

// --- canvas_paint.c: a surface as a PNG file

// Writes the surface (XRGB8888) to `path`; the file appears whole or not at all.
bool picture_write(SDL_Surface *surface, const char *path, Error *err);

// --- canvas_paint.c: an animated PNG
//
// libpng packs each picture, and the data go into the chunks acTL, fcTL and fdAT, which libpng of most systems
// does not know. Source: PNG Specification, third edition, 2025, section 11.3.2.6.

// Where in the film a picture stands.
typedef struct FilmPlace {
    unsigned number, count; // the first is 0
    unsigned rate;          // a second
} FilmPlace;

// Adds a surface (XRGB8888, all of one size) to the film in `path`. The first one begins it, in the place
// of one that was not brought to its end; with the last the file appears, whole or not at all, and
// stays on the last picture for two seconds before it begins again. False with a sentence, and no film.
bool film_add(SDL_Surface *surface, FilmPlace place, const char *path, Error *err);

// Gives up a film that was not brought to its end.
void film_drop(void);

// --- canvas_screen.c: pixels of a point

// 1 to 4. In this order: ATTNSCOPE_SCALE in the environment; where windows are measured in points
// (Wayland, macOS), pixels to points; under X what the desktop tells every program (Xft.dpi, 96 a
// point), and where it tells nothing, what the screen says of its size.
double scale_of(SDL_Window *window);

// --- canvas_screen.c: what a person does, told to the process that opened the window

// False, and nothing told: there is no memory for measuring letters.
bool tell_fonts(TextFonts *fonts);

void tell_size(SDL_Window *window);

// Keys that print are told as the text they give, by the caller; all others here.
void tell_key(const SDL_KeyboardEvent *key);
void tell_text(const char *text);
void tell_pointer(SDL_Window *window, const SDL_Event *event);

// --- canvas_screen.c: the pixels of a window
//
// X takes the window's own surface. Where windows are measured in points (Wayland, macOS) that surface has
// only one pixel for each point, so there the surface is ours, as fine as the screen. From there it goes to
// memory that a compositor of Wayland shares; elsewhere through a texture.

typedef struct Wayland Wayland;

typedef struct WindowScreen {
    SDL_Window *window;
    Wayland *wayland;       // NULL: not under Wayland, or not without OpenGL
    SDL_Renderer *renderer; // NULL: Wayland's way, or the window's own surface
    SDL_Texture *texture;
    SDL_Surface *surface;
    void *pixels; // the surface's, where it is ours
} WindowScreen;

// The flags for SDL_CreateWindow that its pixels ask for. After SDL_Init.
Uint32 screen_flags(void);

// False, with a sentence that says what else there is to do, when the display takes no pixels.
bool screen_open(WindowScreen *screen, SDL_Window *window, Error *err);

// The surface, of the window's size in pixels; another pointer or another size when what was painted
// is lost. NULL when there is none. Belongs to the screen.
SDL_Surface *screen_surface(WindowScreen *screen);

// Takes what was painted in these parts of it; under X they are seen at once.
void screen_put(WindowScreen *screen, const SDL_Rect *parts, int count);

// After all parts of a picture.
void screen_show(WindowScreen *screen);

// How many rows of it to paint and put at a time: all, or of a large one so many that their memory is
// soon given back. What has been put is not needed any more: every part is painted whole.
int screen_band(const SDL_Surface *surface);

// After a band of a large surface has been put.
void screen_leave(const SDL_Surface *surface, const SDL_Rect *band);

// Accepts a zeroed WindowScreen.
void screen_close(WindowScreen *screen);

#endif

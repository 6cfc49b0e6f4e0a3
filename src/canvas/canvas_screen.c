// canvas_screen: see canvas_screen.h.
#include "canvas_screen.h"
#include "canvas_pages.h"
#include "canvas_words.h"
#include "library_text.h"

#include <stdlib.h>
#include <string.h>

// Where the compositor leaves frames to windows and there is no library for them, SDL 2.26 takes its
// window away and does not bring it back.
static void show_again(SDL_Window *window)
{
    SDL_HideWindow(window);
    SDL_ShowWindow(window);
}

Uint32 screen_flags(void)
{
    return SDL_WINDOW_ALLOW_HIGHDPI | wayland_flag();
}

bool screen_open(Screen *screen, SDL_Window *window, Error *err)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    *screen = (Screen){.window = window};
    if (strcmp(driver, "x11") == 0 || strcmp(driver, "dummy") == 0) {
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0"); // no detour over a graphics card
        return true;
    }
    if (strcmp(driver, "wayland") == 0)
        show_again(window);
    screen->wayland = wayland_open(window);
    if (!screen->wayland)
        screen->renderer = SDL_CreateRenderer(window, -1, 0);
    return screen->wayland || screen->renderer ||
           error_set(err, TELL(DISPLAY_NO_PICTURES), library_text("SDL", SDL_GetError()));
}

static void drop_surface(Screen *screen)
{
    if (screen->texture)
        SDL_DestroyTexture(screen->texture);
    SDL_FreeSurface(screen->surface);
    free(screen->pixels);
    screen->texture = NULL;
    screen->surface = NULL;
    screen->pixels = NULL;
}

SDL_Surface *screen_surface(Screen *screen)
{
    int width, height;
    if (!screen->renderer && !screen->wayland)
        return SDL_GetWindowSurface(screen->window);
    SDL_GetWindowSizeInPixels(screen->window, &width, &height);
    if (screen->surface && screen->surface->w == width && screen->surface->h == height)
        return screen->surface;
    drop_surface(screen);
    screen->pixels =
        calloc((size_t)height, (size_t)width * 4); // SDL's own would be touched as a whole
    if (screen->pixels)
        screen->surface = SDL_CreateRGBSurfaceWithFormatFrom(screen->pixels, width, height, 32,
                                                             width * 4, SDL_PIXELFORMAT_RGB888);
    if (screen->renderer)
        screen->texture = SDL_CreateTexture(screen->renderer, SDL_PIXELFORMAT_RGB888,
                                            SDL_TEXTUREACCESS_STREAMING, width, height);
    if (screen->renderer && !screen->texture)
        drop_surface(screen);
    return screen->surface;
}

static void put_on_texture(Screen *screen, const SDL_Rect *parts, int count)
{
    const SDL_Surface *surface = screen->surface;
    for (int i = 0; i < count; i++)
        SDL_UpdateTexture(screen->texture, &parts[i],
                          (const char *)surface->pixels + parts[i].y * surface->pitch +
                              parts[i].x * surface->format->BytesPerPixel,
                          surface->pitch);
}

void screen_put(Screen *screen, const SDL_Rect *parts, int count)
{
    if (screen->wayland)
        wayland_put(screen->wayland, screen->surface, parts, count);
    else if (screen->renderer)
        put_on_texture(screen, parts, count);
    else
        SDL_UpdateWindowSurfaceRects(screen->window, parts, count);
}

void screen_show(Screen *screen)
{
    if (screen->wayland)
        wayland_show(screen->wayland);
    if (!screen->renderer)
        return;
    SDL_RenderCopy(screen->renderer, screen->texture, NULL, NULL);
    SDL_RenderPresent(screen->renderer);
}

static size_t rows_bytes(const SDL_Surface *surface, int rows)
{
    return (size_t)rows * (size_t)surface->pitch;
}

int screen_band(const SDL_Surface *surface)
{
    int rows = PAGES_BAND / surface->pitch;
    return rows_bytes(surface, surface->h) <= PAGES_KEPT || rows == 0 ? surface->h : rows;
}

void screen_leave(const SDL_Surface *surface, const SDL_Rect *band)
{
    if (rows_bytes(surface, surface->h) > PAGES_KEPT)
        pages_forget((char *)surface->pixels + rows_bytes(surface, band->y),
                     rows_bytes(surface, band->h));
}

void screen_close(Screen *screen)
{
    drop_surface(screen);
    wayland_close(screen->wayland);
    if (screen->renderer)
        SDL_DestroyRenderer(screen->renderer);
    *screen = (Screen){.window = NULL};
}

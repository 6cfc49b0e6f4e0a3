// canvas_scale: see canvas_scale.h.
#include "canvas_scale.h"

#include <SDL_syswm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ordinary_density = 96.0, dense_from = 132.0;

static double within(double scale)
{
    return scale < 1.0 ? 1.0 : scale > 4.0 ? 4.0 : scale;
}

// The desktop's setting; 0 where it has none. SDL has loaded libX11 by then, and links it no more than
// this does.
static double desktop_density(SDL_Window *window)
{
    double density = 0.0;
#ifdef SDL_VIDEO_DRIVER_X11
    char *(*get_default)(Display *, const char *, const char *);
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    void *library = SDL_LoadObject("libX11.so.6");
    void *found = library ? SDL_LoadFunction(library, "XGetDefault") : NULL;
    if (found && SDL_GetWindowWMInfo(window, &info) && info.subsystem == SDL_SYSWM_X11) {
        memcpy(&get_default, &found, sizeof get_default);
        const char *said = get_default(info.info.x11.display, "Xft", "dpi");
        density = said ? strtod(said, NULL) : 0.0;
    }
    SDL_UnloadObject(library);
#else
    (void)window;
#endif
    return density;
}

// What the screen says of itself is rounded to quarters, and believed from where it matters.
static double x11_scale(SDL_Window *window)
{
    float told = 0.0f;
    double density = desktop_density(window);
    if (density > 0.0)
        return density / ordinary_density;
    SDL_GetDisplayDPI(SDL_GetWindowDisplayIndex(window), &told, NULL, NULL);
    density = (double)told;
    return density >= dense_from ? floor(density / ordinary_density * 4.0 + 0.5) / 4.0 : 1.0;
}

double scale_of(SDL_Window *window)
{
    int points, pixels, height;
    const char *named = getenv("ATTNSCOPE_SCALE");
    if (named && strtod(named, NULL) > 0.0)
        return within(strtod(named, NULL));
    if (strcmp(SDL_GetCurrentVideoDriver(), "x11") == 0)
        return within(x11_scale(window));
    SDL_GetWindowSize(window, &points, &height);
    SDL_GetWindowSizeInPixels(window, &pixels, &height);
    return within(points > 0 ? (double)pixels / points : 1.0);
}

// A window's pixels, how dense its screen is, and what a person does in it; see canvas.h.
#include <SDL_syswm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "canvas.h"
#include "canvas_messages.h"
#include "library_text.h"
#include "utf8.h"

// --- density

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

// --- keys and the mouse, as messages

bool tell_fonts(TextFonts *fonts)
{
    int metrics[FONT_METRICS];
    if (!text_metrics(fonts, metrics))
        return false;
    tell_metrics(metrics);
    return true;
}

void tell_size(SDL_Window *window)
{
    int width, height;
    SDL_GetWindowSizeInPixels(window, &width, &height);
    tell("size %d %d %d", width, height, (int)(scale_of(window) * 1000.0 + 0.5));
}

void tell_key(const SDL_KeyboardEvent *key)
{
    SDL_Keycode code = key->keysym.sym;
    bool control = (key->keysym.mod & KMOD_CTRL) != 0, shift = (key->keysym.mod & KMOD_SHIFT) != 0;
    bool prints = code >= ' ' && code <= '~' && !control;
    if ((prints && code != ' ') || code == SDLK_LSHIFT || code == SDLK_RSHIFT ||
        code == SDLK_LCTRL || code == SDLK_RCTRL || code == SDLK_LALT || code == SDLK_RALT)
        return; // letters come as text, as the keyboard's layout has them
    const char *name = code == SDLK_SPACE      ? "Space"
                       : code == SDLK_KP_ENTER ? "Return"
                                               : SDL_GetKeyName(code);
    char word[64];
    snprintf(word, sizeof word, "%s%s%s", control ? "Ctrl+" : "", shift ? "Shift+" : "", name);
    for (char *at = word; *at; at++)
        *at = *at == ' ' ? '-' : *at;
    tell("key %s", word);
}

// A syllable is the keys of its letters. The space bar has come as a key, and so has what is pressed with
// Ctrl, which X sends as text, too; with Alt beside it that is how keyboards reach their third letters.
void tell_text(const char *text)
{
    SDL_Keymod held = SDL_GetModState();
    uint32_t character;
    if ((held & KMOD_CTRL) && !(held & KMOD_ALT))
        return;
    for (size_t bytes; (bytes = utf8_next(text, &character)) > 0; text += bytes) {
        HangulLetters pressed = hangul_letters(text);
        for (int i = 0; i < pressed.count; i++)
            tell("key %s", pressed.letters[i]);
        if (pressed.count == 0 && character != ' ')
            tell("key %.*s", (int)bytes, text);
    }
}

// A window that opens under the pointer is told where that is. The person has pointed at nothing yet, and
// what the window opens with stays.
static bool is_only_there(const SDL_Event *event)
{
    return event->type == SDL_MOUSEMOTION && event->motion.xrel == 0 && event->motion.yrel == 0;
}

void tell_pointer(SDL_Window *window, const SDL_Event *event)
{
    if (is_only_there(event))
        return;
    int points, pixels, height;
    SDL_GetWindowSize(window, &points, &height);
    SDL_GetWindowSizeInPixels(window, &pixels, &height);
    double dense = points > 0 ? (double)pixels / points : 1.0;
    const SDL_MouseMotionEvent *motion = &event->motion;
    if (event->type == SDL_MOUSEMOTION && motion->state & SDL_BUTTON_LMASK)
        tell("drag %d %d", (int)(motion->xrel * dense), (int)(motion->yrel * dense));
    else if (event->type == SDL_MOUSEMOTION)
        tell("move %d %d", (int)(motion->x * dense), (int)(motion->y * dense));
    else if (event->type == SDL_MOUSEBUTTONDOWN)
        tell("press %d %d %d", (int)(event->button.x * dense), (int)(event->button.y * dense),
             event->button.button);
    else if (event->type == SDL_MOUSEWHEEL)
        tell("wheel %d %d %d", (int)(event->wheel.mouseX * dense),
             (int)(event->wheel.mouseY * dense), event->wheel.y);
}

// --- the way to the screen

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

bool screen_open(WindowScreen *screen, SDL_Window *window, Error *err)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    *screen = (WindowScreen){.window = window};
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

static void drop_surface(WindowScreen *screen)
{
    if (screen->texture)
        SDL_DestroyTexture(screen->texture);
    SDL_FreeSurface(screen->surface);
    free(screen->pixels);
    screen->texture = NULL;
    screen->surface = NULL;
    screen->pixels = NULL;
}

SDL_Surface *screen_surface(WindowScreen *screen)
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

static void put_on_texture(WindowScreen *screen, const SDL_Rect *parts, int count)
{
    const SDL_Surface *surface = screen->surface;
    for (int i = 0; i < count; i++)
        SDL_UpdateTexture(screen->texture, &parts[i],
                          (const char *)surface->pixels + parts[i].y * surface->pitch +
                              parts[i].x * surface->format->BytesPerPixel,
                          surface->pitch);
}

void screen_put(WindowScreen *screen, const SDL_Rect *parts, int count)
{
    if (screen->wayland)
        wayland_put(screen->wayland, screen->surface, parts, count);
    else if (screen->renderer)
        put_on_texture(screen, parts, count);
    else
        SDL_UpdateWindowSurfaceRects(screen->window, parts, count);
}

void screen_show(WindowScreen *screen)
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

void screen_close(WindowScreen *screen)
{
    drop_surface(screen);
    wayland_close(screen->wayland);
    if (screen->renderer)
        SDL_DestroyRenderer(screen->renderer);
    *screen = (WindowScreen){.window = NULL};
}

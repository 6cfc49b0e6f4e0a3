// A window's pixels, its scale, and its input; see canvas.h.
#define _GNU_SOURCE // memfd_create
#include <SDL_syswm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "canvas.h"
#include "canvas_shared.h"
#include "utf8.h"
#include "words.h"

// --- Wayland
//
// Pixels in shared memory (wl_shm), without OpenGL: SDL 2 uses some 100 MB of OpenGL per Wayland window,
// unless its flags say that Vulkan draws there. Then SDL leaves the window's surface to us. The only question
// that SDL asks of Vulkan, which surfaces it supports, is answered here, so Vulkan is not needed.

#if defined(CANVAS_WAYLAND) && SDL_BYTEORDER == SDL_LIL_ENDIAN

#include <SDL_vulkan.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

// --- SDL's question to Vulkan

typedef void VulkanFunction(void);

typedef struct VulkanExtension {
    char name[256];
    uint32_t version;
} VulkanExtension;

// vkEnumerateInstanceExtensionProperties: the number of extensions, and if there is room, the extensions.
static int32_t list_extensions(const char *layer, uint32_t *count, VulkanExtension *extensions)
{
    static const VulkanExtension surfaces[] = {{"VK_KHR_surface", 25},
                                               {"VK_KHR_wayland_surface", 6}};
    (void)layer;
    *count = sizeof surfaces / sizeof *surfaces;
    if (extensions)
        memcpy(extensions, surfaces, sizeof surfaces);
    return 0;
}

// SDL finds it by name.
VulkanFunction *vkGetInstanceProcAddr(VkInstance instance, const char *name);

VulkanFunction *vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    bool is_known = strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0;
    (void)instance;
    return is_known ? (VulkanFunction *)list_extensions : NULL;
}

// The flag for SDL_CreateWindow that avoids OpenGL. 0 on other displays, without Wayland support, or if SDL
// rejects the answer. Call after SDL_Init.
static Uint32 wayland_flag(void)
{
    const char *this_program = ""; // for the loader of libraries
    bool is_wayland = strcmp(SDL_GetCurrentVideoDriver(), "wayland") == 0;
    return is_wayland && SDL_Vulkan_LoadLibrary(this_program) == 0 ? SDL_WINDOW_VULKAN : 0;
}

// --- the pixels

// Most compositors copy them when they hear that they are shown; one that reads them later may show a frame that is half
// painted, until the next. `earlier` has another size; the compositor may need it until then.
struct Wayland {
    struct wl_display *display; // SDL's, like the surface
    struct wl_surface *surface;
    struct wl_event_queue *queue; // of our own requests, which SDL does not know
    struct wl_registry *registry;
    struct wl_shm *memory;
    struct wl_buffer *buffer, *earlier; // may be NULL
    void *pixels;
    size_t bytes;
};

static void drop_pixels(Wayland *wayland)
{
    if (wayland->earlier)
        wl_buffer_destroy(wayland->earlier);
    if (wayland->pixels)
        munmap(wayland->pixels, wayland->bytes);
    wayland->earlier = wayland->buffer;
    wayland->buffer = NULL;
    wayland->pixels = NULL;
}

// Zeroed pixels of this size (XRGB, without gaps), in place of those before. NULL without memory.
static void *wayland_pixels(Wayland *wayland, int width, int height)
{
    size_t bytes = (size_t)width * (size_t)height * 4;
    int file = bytes <= INT32_MAX ? memfd_create("attnscope", MFD_CLOEXEC) : -1;
    drop_pixels(wayland);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        close(file);
        return NULL;
    }
    struct wl_shm_pool *pool = wl_shm_create_pool(wayland->memory, file, (int32_t)bytes);
    void *pixels = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (pool) {
        wayland->buffer =
            wl_shm_pool_create_buffer(pool, 0, width, height, width * 4, WL_SHM_FORMAT_XRGB8888);
        wl_shm_pool_destroy(pool);
    }
    if (pixels == MAP_FAILED)
        return NULL;
    wayland->pixels = pixels;
    wayland->bytes = bytes;
    return wayland->buffer ? pixels : NULL;
}

// Waits until the compositor has heard of the frame before. Events of other queues are SDL's.
static void wayland_wait(Wayland *wayland)
{
    wl_display_roundtrip_queue(wayland->display, wayland->queue);
}

static void wayland_put(Wayland *wayland, const SDL_Rect *parts, int count)
{
    bool by_pixels =
        wl_surface_get_version(wayland->surface) >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION;
    for (int i = 0; by_pixels && i < count; i++)
        wl_surface_damage_buffer(wayland->surface, parts[i].x, parts[i].y, parts[i].w, parts[i].h);
    if (!by_pixels) // in points, which are no finer than pixels
        wl_surface_damage(wayland->surface, 0, 0, INT32_MAX, INT32_MAX);
}

static void wayland_show(Wayland *wayland)
{
    wl_surface_attach(wayland->surface, wayland->buffer, 0, 0);
    wl_surface_commit(wayland->surface);
    wl_display_flush(wayland->display);
}

// --- the compositor

static void handle_global(void *context, struct wl_registry *registry, uint32_t name,
                          const char *interface, uint32_t version)
{
    Wayland *wayland = context;
    (void)version;
    if (!wayland->memory && strcmp(interface, wl_shm_interface.name) == 0)
        wayland->memory = wl_registry_bind(registry, name, &wl_shm_interface, 1);
}

static void handle_removal(void *context, struct wl_registry *registry, uint32_t name)
{
    (void)context;
    (void)registry;
    (void)name;
}

static const struct wl_registry_listener registry_listener = {handle_global, handle_removal};

// The registry, on our own queue.
static struct wl_registry *ask_registry(Wayland *wayland)
{
    struct wl_display *asker = wl_proxy_create_wrapper(wayland->display);
    if (!asker)
        return NULL;
    wl_proxy_set_queue((struct wl_proxy *)asker, wayland->queue);
    struct wl_registry *registry = wl_display_get_registry(asker);
    wl_proxy_wrapper_destroy(asker);
    return registry;
}

// Accepts NULL. Call before the window is destroyed.
static void wayland_close(Wayland *wayland)
{
    if (!wayland)
        return;
    drop_pixels(wayland);
    drop_pixels(wayland);
    if (wayland->memory)
        wl_shm_destroy(wayland->memory);
    if (wayland->registry)
        wl_registry_destroy(wayland->registry);
    if (wayland->queue)
        wl_event_queue_destroy(wayland->queue);
    free(wayland);
}

// NULL if the window lacks that flag or something is missing; then SDL draws itself.
static Wayland *wayland_open(SDL_Window *window)
{
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    if (!(SDL_GetWindowFlags(window) & SDL_WINDOW_VULKAN) || !SDL_GetWindowWMInfo(window, &info) ||
        info.subsystem != SDL_SYSWM_WAYLAND)
        return NULL;
    Wayland *wayland = calloc(1, sizeof *wayland);
    if (!wayland)
        return NULL;
    wayland->display = info.info.wl.display;
    wayland->surface = info.info.wl.surface;
    wayland->queue = wl_display_create_queue(wayland->display);
    wayland->registry = wayland->queue ? ask_registry(wayland) : NULL;
    if (wayland->registry) {
        wl_registry_add_listener(wayland->registry, &registry_listener, wayland);
        wl_display_roundtrip_queue(wayland->display, wayland->queue);
    }
    if (!wayland->memory) {
        wayland_close(wayland);
        return NULL;
    }
    return wayland;
}

#else

static Uint32 wayland_flag(void)
{
    return 0;
}

static Wayland *wayland_open(SDL_Window *window)
{
    (void)window;
    return NULL;
}

static void *wayland_pixels(Wayland *wayland, int width, int height)
{
    (void)wayland, (void)width, (void)height;
    return NULL;
}

static void wayland_wait(Wayland *wayland)
{
    (void)wayland;
}

static void wayland_put(Wayland *wayland, const SDL_Rect *parts, int count)
{
    (void)wayland, (void)parts, (void)count;
}

static void wayland_show(Wayland *wayland)
{
    (void)wayland;
}

static void wayland_close(Wayland *wayland)
{
    (void)wayland;
}

#endif

// --- density

static const double ordinary_density = 96.0, dense_from = 132.0;

static double within(double scale)
{
    return scale < 1.0 ? 1.0 : scale > 4.0 ? 4.0 : scale;
}

// The desktop's setting, or 0. SDL has loaded libX11 and does not link it either.
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

// Rounds the screen's own density to quarters, and ignores small ones.
static double x11_scale(SDL_Window *window)
{
    float dpi = 0.0f;
    double density = desktop_density(window);
    if (density > 0.0)
        return density / ordinary_density;
    SDL_GetDisplayDPI(SDL_GetWindowDisplayIndex(window), &dpi, NULL, NULL);
    density = (double)dpi;
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

// --- keys and mouse, as messages

void send_size(SDL_Window *window)
{
    int width, height;
    SDL_GetWindowSizeInPixels(window, &width, &height);
    send_message("size %d %d %d", width, height, (int)(scale_of(window) * 1000.0 + 0.5));
}

void send_key(const SDL_KeyboardEvent *key)
{
    SDL_Keycode code = key->keysym.sym;
    bool control = (key->keysym.mod & KMOD_CTRL) != 0, shift = (key->keysym.mod & KMOD_SHIFT) != 0;
    bool prints = code >= ' ' && code <= '~' && !control;
    if ((prints && code != ' ') || code == SDLK_LSHIFT || code == SDLK_RSHIFT ||
        code == SDLK_LCTRL || code == SDLK_RCTRL || code == SDLK_LALT || code == SDLK_RALT)
        return; // letters come as text, in the keyboard's layout
    const char *name = code == SDLK_SPACE      ? "Space"
                       : code == SDLK_KP_ENTER ? "Return"
                                               : SDL_GetKeyName(code);
    char word[64];
    snprintf(word, sizeof word, "%s%s%s", control ? "Ctrl+" : "", shift ? "Shift+" : "", name);
    for (char *at = word; *at; at++)
        *at = *at == ' ' ? '-' : *at;
    send_message("key %s", word);
}

// Sends a syllable as the keys of its letters. Space was sent as a key, and so were keys with Ctrl, which X
// sends as text, too; Ctrl+Alt is how keyboards reach third letters.
void send_text(const char *text)
{
    SDL_Keymod held = SDL_GetModState();
    uint32_t character;
    if ((held & KMOD_CTRL) && !(held & KMOD_ALT))
        return;
    for (size_t bytes; (bytes = utf8_next(text, &character)) > 0; text += bytes) {
        HangulLetters pressed = hangul_letters(text);
        for (int i = 0; i < pressed.count; i++)
            send_message("key %s", pressed.letters[i]);
        if (pressed.count == 0 && character != ' ')
            send_message("key %.*s", (int)bytes, text);
    }
}

// True for the event of a window that opens under the pointer: the user has pointed at nothing.
static bool is_only_there(const SDL_Event *event)
{
    return event->type == SDL_MOUSEMOTION && event->motion.xrel == 0 && event->motion.yrel == 0;
}

void send_pointer(SDL_Window *window, const SDL_Event *event)
{
    if (is_only_there(event))
        return;
    int points, pixels, height;
    SDL_GetWindowSize(window, &points, &height);
    SDL_GetWindowSizeInPixels(window, &pixels, &height);
    double dense = points > 0 ? (double)pixels / points : 1.0;
    const SDL_MouseMotionEvent *motion = &event->motion;
    if (event->type == SDL_MOUSEMOTION && motion->state & SDL_BUTTON_LMASK)
        send_message("drag %d %d", (int)(motion->xrel * dense), (int)(motion->yrel * dense));
    else if (event->type == SDL_MOUSEMOTION)
        send_message("move %d %d", (int)(motion->x * dense), (int)(motion->y * dense));
    else if (event->type == SDL_MOUSEBUTTONDOWN)
        send_message("press %d %d %d", (int)(event->button.x * dense),
                     (int)(event->button.y * dense), event->button.button);
    else if (event->type == SDL_MOUSEWHEEL)
        send_message("wheel %d %d %d", (int)(event->wheel.mouseX * dense),
                     (int)(event->wheel.mouseY * dense), event->wheel.y);
}

// --- pixels to the screen

// Shows the window again: where the compositor leaves frames to windows and their library is missing, SDL
// 2.26 loses its window.
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
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0"); // avoids the graphics card
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
    if (screen->wayland)
        wayland_wait(screen->wayland);
    SDL_GetWindowSizeInPixels(screen->window, &width, &height);
    if (screen->surface && screen->surface->w == width && screen->surface->h == height)
        return screen->surface;
    drop_surface(screen);
    if (screen->renderer) // SDL would touch its own pixels as a whole
        screen->pixels = calloc((size_t)height, (size_t)width * 4);
    void *pixels =
        screen->wayland ? wayland_pixels(screen->wayland, width, height) : screen->pixels;
    if (pixels)
        screen->surface = SDL_CreateRGBSurfaceWithFormatFrom(pixels, width, height, 32, width * 4,
                                                             SDL_PIXELFORMAT_RGB888);
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
        wayland_put(screen->wayland, parts, count);
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

void screen_leave(const WindowScreen *screen, const SDL_Surface *surface, const SDL_Rect *band)
{
    char *pixels = (char *)surface->pixels + rows_bytes(surface, band->y);
    if (rows_bytes(surface, surface->h) <= PAGES_KEPT)
        return;
    if (screen->wayland) // the compositor shows them for longer
        pages_leave(surface->pixels, rows_bytes(surface, band->y + band->h));
    else
        pages_forget(pixels, rows_bytes(surface, band->h));
}

void screen_close(WindowScreen *screen)
{
    drop_surface(screen);
    wayland_close(screen->wayland);
    if (screen->renderer)
        SDL_DestroyRenderer(screen->renderer);
    *screen = (WindowScreen){.window = NULL};
}

// canvas_wayland: see canvas.h.
#define _GNU_SOURCE // memfd_create
#include "canvas.h"

#if defined(CANVAS_WAYLAND) && SDL_BYTEORDER == SDL_LIL_ENDIAN

#include "canvas_messages.h"

#include <SDL_syswm.h>
#include <SDL_vulkan.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

// --- what SDL asks of Vulkan

typedef void VulkanFunction(void);

typedef struct VulkanExtension {
    char name[256];
    uint32_t version;
} VulkanExtension;

// vkEnumerateInstanceExtensionProperties: how many there are, and where there is room, which.
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

// SDL finds it by its name.
VulkanFunction *vkGetInstanceProcAddr(VkInstance instance, const char *name);

VulkanFunction *vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    bool is_known = strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0;
    (void)instance;
    return is_known ? (VulkanFunction *)list_extensions : NULL;
}

Uint32 wayland_flag(void)
{
    const char *this_program = ""; // to the loader of libraries
    bool is_wayland = strcmp(SDL_GetCurrentVideoDriver(), "wayland") == 0;
    return is_wayland && SDL_Vulkan_LoadLibrary(this_program) == 0 ? SDL_WINDOW_VULKAN : 0;
}

// --- buffers

// A buffer's worth of pixels, which the compositor holds from when it is shown until it says so.
typedef struct Buffer {
    struct Buffer *next;
    struct wl_buffer *buffer;
    char *pixels;
    size_t bytes;
    int width, height;
    bool held;
    SDL_Rect behind; // what others have shown since this one was brought up to date
} Buffer;

// More than one that is shown, one that is about to be, and one to write on is not needed.
enum { BUFFERS_MAX = 3 };

struct Wayland {
    struct wl_display *display; // SDL's, as the surface is
    struct wl_surface *surface;
    struct wl_event_queue *queue; // of what is asked for here: SDL does not know what to do with it
    struct wl_registry *registry;
    struct wl_shm *memory;
    Buffer *buffers;
    Buffer *shown, *written; // either may be NULL
};

static void hear_release(void *context, struct wl_buffer *buffer)
{
    (void)buffer;
    ((Buffer *)context)->held = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = hear_release};

static void free_buffer(Buffer *buffer)
{
    if (buffer->buffer)
        wl_buffer_destroy(buffer->buffer);
    if (buffer->pixels)
        munmap(buffer->pixels, buffer->bytes);
    free(buffer);
}

// Memory for its pixels, and the compositor's word for it.
static bool fill_buffer(Wayland *wayland, Buffer *buffer)
{
    int file = memfd_create("attnscope", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)buffer->bytes) != 0) {
        close(file);
        return false;
    }
    void *pixels = mmap(NULL, buffer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    buffer->pixels = pixels == MAP_FAILED ? NULL : pixels;
    struct wl_shm_pool *pool = wl_shm_create_pool(wayland->memory, file, (int32_t)buffer->bytes);
    close(file);
    if (!pool)
        return false;
    buffer->buffer = wl_shm_pool_create_buffer(pool, 0, buffer->width, buffer->height,
                                               buffer->width * 4, WL_SHM_FORMAT_XRGB8888);
    wl_shm_pool_destroy(pool);
    return buffer->pixels && buffer->buffer &&
           wl_buffer_add_listener(buffer->buffer, &buffer_listener, buffer) == 0;
}

static Buffer *make_buffer(Wayland *wayland, int width, int height)
{
    size_t bytes = (size_t)width * (size_t)height * 4;
    Buffer *buffer = bytes <= INT32_MAX ? calloc(1, sizeof *buffer) : NULL;
    if (!buffer)
        return NULL;
    *buffer = (Buffer){.bytes = bytes, .width = width, .height = height};
    buffer->behind = (SDL_Rect){0, 0, width, height};
    if (!fill_buffer(wayland, buffer)) {
        free_buffer(buffer);
        return NULL;
    }
    buffer->next = wayland->buffers;
    wayland->buffers = buffer;
    return buffer;
}

static bool fits(const Buffer *buffer, const SDL_Surface *surface)
{
    return buffer && buffer->width == surface->w && buffer->height == surface->h;
}

// Those of a size that the window had before.
static void drop_others(Wayland *wayland, const SDL_Surface *surface)
{
    for (Buffer **link = &wayland->buffers; *link;) {
        Buffer *buffer = *link;
        if (fits(buffer, surface) || buffer->held) {
            link = &buffer->next;
            continue;
        }
        *link = buffer->next;
        if (buffer == wayland->shown)
            wayland->shown = NULL;
        free_buffer(buffer);
    }
}

// One that is not shown; NULL when another has to be made. Where `wanted`, one that the compositor
// still holds is better than none: at worst it shows some of the next picture too early.
static Buffer *find_buffer(Wayland *wayland, const SDL_Surface *surface, bool wanted)
{
    int count = 0;
    Buffer *held = NULL;
    for (Buffer *buffer = wayland->buffers; buffer; buffer = buffer->next) {
        if (!fits(buffer, surface))
            continue;
        if (!buffer->held)
            return buffer;
        count++;
        if (buffer != wayland->shown)
            held = buffer;
    }
    return wanted && count >= BUFFERS_MAX ? held : NULL;
}

// Events of another queue are left to SDL.
static Buffer *take_buffer(Wayland *wayland, const SDL_Surface *surface)
{
    wl_display_dispatch_queue_pending(wayland->display, wayland->queue);
    drop_others(wayland, surface);
    Buffer *buffer = find_buffer(wayland, surface, false);
    if (!buffer && wayland->shown) { // perhaps it has been said, and not been read
        wl_display_roundtrip_queue(wayland->display, wayland->queue);
        buffer = find_buffer(wayland, surface, true);
    }
    return buffer ? buffer : make_buffer(wayland, surface->w, surface->h);
}

// --- pixels

static void copy_part(Buffer *to, const char *pixels, int pitch, const SDL_Rect *part)
{
    for (int y = part->y; y < part->y + part->h; y++) {
        size_t row = (size_t)y * (size_t)to->width * 4 + (size_t)part->x * 4;
        memcpy(to->pixels + row, pixels + (ptrdiff_t)y * pitch + (ptrdiff_t)part->x * 4,
               (size_t)part->w * 4);
    }
}

// Memory that the compositor holds, too, is not held longer than it is worked on.
static void leave(const Buffer *buffer)
{
    pages_leave(buffer->pixels, buffer->bytes);
}

// What the one that is shown has and this one has not, a band at a time.
static void catch_up(const Wayland *wayland, Buffer *buffer)
{
    SDL_Rect band = buffer->behind;
    int below = band.y + band.h, rows = PAGES_BAND / (buffer->width * 4) + 1;
    for (; band.y < below; band.y += rows) {
        band.h = below - band.y < rows ? below - band.y : rows;
        copy_part(buffer, wayland->shown->pixels, buffer->width * 4, &band);
        leave(wayland->shown);
        leave(buffer);
    }
}

static bool start_writing(Wayland *wayland, const SDL_Surface *surface)
{
    if (fits(wayland->written, surface))
        return true;
    wayland->written = NULL;
    Buffer *buffer = take_buffer(wayland, surface);
    if (!buffer)
        return false;
    if (buffer != wayland->shown && fits(wayland->shown, surface))
        catch_up(wayland, buffer);
    buffer->behind = (SDL_Rect){0, 0, 0, 0};
    wayland->written = buffer;
    return true;
}

static void mark_part(Wayland *wayland, const SDL_Rect *part)
{
    for (Buffer *buffer = wayland->buffers; buffer; buffer = buffer->next)
        if (buffer != wayland->written)
            SDL_UnionRect(&buffer->behind, part, &buffer->behind);
    if (wl_surface_get_version(wayland->surface) >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION)
        wl_surface_damage_buffer(wayland->surface, part->x, part->y, part->w, part->h);
    else // in points, which are no finer than pixels
        wl_surface_damage(wayland->surface, 0, 0, INT32_MAX, INT32_MAX);
}

bool wayland_put(Wayland *wayland, const SDL_Surface *surface, const SDL_Rect *parts, int count)
{
    if (!start_writing(wayland, surface))
        return false;
    for (int i = 0; i < count; i++) {
        copy_part(wayland->written, surface->pixels, surface->pitch, &parts[i]);
        mark_part(wayland, &parts[i]);
    }
    leave(wayland->written);
    return true;
}

void wayland_show(Wayland *wayland)
{
    Buffer *buffer = wayland->written;
    if (!buffer)
        return;
    wl_surface_attach(wayland->surface, buffer->buffer, 0, 0);
    wl_surface_commit(wayland->surface);
    wl_display_flush(wayland->display);
    buffer->held = true;
    wayland->shown = buffer;
    wayland->written = NULL;
}

// --- the compositor

static void hear_global(void *context, struct wl_registry *registry, uint32_t name,
                        const char *interface, uint32_t version)
{
    Wayland *wayland = context;
    (void)version;
    if (!wayland->memory && strcmp(interface, wl_shm_interface.name) == 0)
        wayland->memory = wl_registry_bind(registry, name, &wl_shm_interface, 1);
}

static void hear_removal(void *context, struct wl_registry *registry, uint32_t name)
{
    (void)context;
    (void)registry;
    (void)name;
}

static const struct wl_registry_listener registry_listener = {hear_global, hear_removal};

// The registry, with a queue of its own.
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

Wayland *wayland_open(SDL_Window *window)
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

void wayland_close(Wayland *wayland)
{
    if (!wayland)
        return;
    while (wayland->buffers) {
        Buffer *buffer = wayland->buffers;
        wayland->buffers = buffer->next;
        free_buffer(buffer);
    }
    if (wayland->memory)
        wl_shm_destroy(wayland->memory);
    if (wayland->registry)
        wl_registry_destroy(wayland->registry);
    if (wayland->queue)
        wl_event_queue_destroy(wayland->queue);
    free(wayland);
}

#else

Uint32 wayland_flag(void)
{
    return 0;
}

Wayland *wayland_open(SDL_Window *window)
{
    (void)window;
    return NULL;
}

bool wayland_put(Wayland *wayland, const SDL_Surface *surface, const SDL_Rect *parts, int count)
{
    (void)wayland, (void)surface, (void)parts, (void)count;
    return false;
}

void wayland_show(Wayland *wayland)
{
    (void)wayland;
}

void wayland_close(Wayland *wayland)
{
    (void)wayland;
}

#endif

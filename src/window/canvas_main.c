// attnscope-window: draws, in a separate process. Keeps only the last list. Reports input without
// interpreting it, except F11. window.h describes the other side.
//
//   attnscope-window TITLE WIDTH HEIGHT [DRIVER]   a window, with that video driver of SDL;
//                                                  descriptor 3 is a socket, 4 the shared memory
//   attnscope-window                               no window, only pictures
//
// Ends when the socket closes.
#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "canvas.h"
#include "canvas_shared.h"
#include "words.h"

typedef struct Child {
    SDL_Window *window;  // NULL: only pictures
    WindowScreen screen; // the pixels of the window
    TextFonts *fonts;
    DisplayList list; // in the shared memory
    bool has_list;
    bool was_closed;      // by the user
    Change change;        // since the last list on `surface`
    SDL_Surface *surface; // the window's, when it was painted last
    Uint32 message_event; // a message from the socket, in data1
} Child;

// --- the screen

// Paints the whole list on a new surface; NULL without memory.
static SDL_Surface *paint_apart(const Child *child, int width, int height)
{
    SDL_Surface *canvas =
        SDL_CreateRGBSurfaceWithFormat(0, width, height, 32, SDL_PIXELFORMAT_RGB888);
    if (canvas)
        paint_list(canvas, &child->list, child->fonts, (SDL_Rect){0, 0, width, height}, NULL);
    return canvas;
}

// Paints apart and converts, for screens with another pixel layout.
static void paint_foreign(Child *child, SDL_Surface *surface)
{
    SDL_Surface *canvas = paint_apart(child, surface->w, surface->h);
    if (canvas)
        SDL_BlitSurface(canvas, NULL, surface, NULL);
    SDL_FreeSurface(canvas);
    screen_put(&child->screen, &(SDL_Rect){0, 0, surface->w, surface->h}, 1);
}

static void paint_parts(Child *child, SDL_Surface *surface)
{
    const Change *change = &child->change;
    for (int i = 0; i < change->part_count; i++)
        paint_list(surface, &child->list, child->fonts, change->parts[i], change->boxes);
    if (change->part_count > 0)
        screen_put(&child->screen, change->parts, change->part_count);
}

static void paint_bands(Child *child, SDL_Surface *surface)
{
    const Change *change = &child->change;
    for (int i = 0; i < change->part_count; i++) {
        SDL_Rect part = change->parts[i], band = part;
        int below = part.y + part.h, rows = screen_band(surface);
        for (; band.y < below; band.y += rows) {
            band.h = below - band.y < rows ? below - band.y : rows;
            paint_list(surface, &child->list, child->fonts, band, change->boxes);
            screen_put(&child->screen, &band, 1);
            screen_leave(&child->screen, surface, &band);
            canvas_list_leave();
        }
    }
}

// Paints what changed, or everything if the surface is new.
static void paint(Child *child)
{
    SDL_Surface *surface = child->has_list ? screen_surface(&child->screen) : NULL;
    if (!surface)
        return;
    if (surface->format->BytesPerPixel != 4 || surface->format->Rmask != 0xff0000) {
        paint_foreign(child, surface);
        screen_show(&child->screen);
        return;
    }
    if (surface != child->surface)
        change_forget(&child->change);
    child->surface = surface;
    if (!change_find(&child->change, &child->list, child->fonts)) {
        child->change.parts[0] = (SDL_Rect){0, 0, surface->w, surface->h};
        child->change.part_count = 1;
    }
    if (child->change.known) { // the next list overwrites this one
        child->list.items = child->change.items;
        child->list.texts = child->change.texts;
    }
    SDL_Rect whole = {0, 0, surface->w, surface->h};
    for (int i = 0; i < child->change.part_count; i++)
        SDL_IntersectRect(&child->change.parts[i], &whole, &child->change.parts[i]);
    if (screen_band(surface) < surface->h)
        paint_bands(child, surface);
    else
        paint_parts(child, surface);
    screen_show(&child->screen);
    canvas_list_leave();
}

static void save(Child *child, FilmPlace place, const char *path)
{
    Error err = {.text = ""};
    SDL_Surface *canvas = paint_apart(child, child->list.width, child->list.height);
    bool saved = false;
    if (!canvas)
        error_set(&err, TELL(PICTURE_PIXELS), child->list.width, child->list.height);
    else if (text_failed(child->fonts))
        error_set(&err, TELL(PICTURE_LETTERS));
    else
        saved = place.rate > 0 ? film_add(canvas, place, path, &err)
                               : picture_write(canvas, path, &err);
    SDL_FreeSurface(canvas);
    send_missing(text_faces(child->fonts));
    if (saved)
        send_message("saved %s", path);
    else
        send_message("failed %s", err.text);
}

// --- messages

static void handle_message(Child *child, char *message)
{
    size_t bytes;
    FilmPlace place;
    const char *path = picture_asked(message, &bytes, &place);
    if (strncmp(message, "frame ", 6) == 0) {
        child->has_list = canvas_list(strtoull(message + 6, NULL, 10), &child->list);
        if (child->window)
            paint(child);
        if (!child->has_list)
            send_message("note %s", TELL(NO_MEMORY_TO_DRAW));
        else if (text_failed(child->fonts))
            send_message("note %s", TELL(NO_MEMORY_LETTERS));
        else
            send_missing(text_faces(child->fonts));
        send_message("shown");
    } else if (path) {
        child->has_list = false; // the memory holds the picture's list now
        if (canvas_list(bytes, &child->list))
            save(child, place, path);
        else
            send_message("failed %s", TELL(NO_MEMORY_PICTURE));
    } else if (strncmp(message, "title ", 6) == 0 && child->window) {
        SDL_SetWindowTitle(child->window, message + 6);
    }
}

static void handle_window(Child *child, Uint8 event)
{
    child->was_closed |= event == SDL_WINDOWEVENT_CLOSE;
    if (event == SDL_WINDOWEVENT_LEAVE)
        send_message("leave");
    if (event == SDL_WINDOWEVENT_SIZE_CHANGED || event == SDL_WINDOWEVENT_DISPLAY_CHANGED)
        send_size(child->window);
    if (event == SDL_WINDOWEVENT_EXPOSED) {
        change_forget(&child->change);
        paint(child);
    }
}

// Returns false if the window is to close.
static bool handle(Child *child, const SDL_Event *event)
{
    switch (event->type) {
    case SDL_QUIT: // without a request: Wayland is gone
        if (child->was_closed)
            send_message("closed");
        else
            send_message("lost %s", TELL(WINDOW_LOST_DISPLAY));
        return false;
    case SDL_KEYDOWN:
        if (event->key.keysym.sym == SDLK_F11)
            SDL_SetWindowFullscreen(child->window, SDL_GetWindowFlags(child->window) &
                                                           SDL_WINDOW_FULLSCREEN_DESKTOP
                                                       ? 0
                                                       : SDL_WINDOW_FULLSCREEN_DESKTOP);
        else
            send_key(&event->key);
        break;
    case SDL_TEXTINPUT:
        send_text(event->text.text);
        break;
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEWHEEL:
        send_pointer(child->window, event);
        break;
    case SDL_WINDOWEVENT:
        handle_window(child, event->window.event);
        break;
    default:
        if (event->type == child->message_event) {
            bool ends = event->user.data1 == NULL;
            if (!ends)
                handle_message(child, event->user.data1);
            free(event->user.data1);
            return !ends;
        }
    }
    return true;
}

// Messages become events, so that one wait serves both screen and socket.
static int listen_to_socket(void *context)
{
    Child *child = context;
    char message[WINDOW_MESSAGE_MAX];
    for (bool more = true; more;) {
        more = receive_message(message);
        SDL_Event event = {.user = {.type = child->message_event}};
        event.user.data1 = more ? strdup(message) : NULL;
        while (SDL_PushEvent(&event) == 0)
            SDL_Delay(1);
    }
    return 0;
}

static void run(Child *child)
{
    SDL_Event event;
    char message[WINDOW_MESSAGE_MAX];
    bool real = child->window && strcmp(SDL_GetCurrentVideoDriver(), "dummy") != 0;
    if (!real) { // only the socket matters
        while (receive_message(message))
            handle_message(child, message);
        return;
    }
    child->message_event = SDL_RegisterEvents(1);
    SDL_DetachThread(SDL_CreateThread(listen_to_socket, "socket", child));
    while (SDL_WaitEvent(&event))
        if (!handle(child, &event))
            return;
}

// Chooses a video driver: SDL would fall back to one that shows nothing. `asked` may be NULL.
static bool choose_driver(const char *asked, Error *err)
{
    const char *named = asked ? asked : getenv("SDL_VIDEODRIVER");
    const char *wayland = getenv("WAYLAND_DISPLAY"), *x11 = getenv("DISPLAY");
    if (asked)
        SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, asked, SDL_HINT_OVERRIDE);
    if (named && named[0] != '\0')
        return true;
#ifdef __linux__
    if (!wayland && !x11)
        return error_set(err, TELL(NO_DISPLAY));
    SDL_SetHint(SDL_HINT_VIDEODRIVER, wayland && x11 ? "wayland,x11" : wayland ? "wayland" : "x11");
#else
    (void)wayland;
    (void)x11;
#endif
    return true;
}

// Enlarges the window by the scale if windows are measured in pixels, and limits it to the display.
static void fit_display(SDL_Window *window)
{
    enum { BORDERS = 64 };
    int width, height, pixels;
    SDL_Rect room;
    SDL_GetWindowSizeInPixels(window, &pixels, &height);
    SDL_GetWindowSize(window, &width, &height);
    double scale = width == pixels ? scale_of(window) : 1.0;
    width = (int)(width * scale);
    height = (int)(height * scale);
    if (SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(window), &room) == 0) {
        width = width < room.w ? width : room.w;
        height = height < room.h - BORDERS ? height : room.h - BORDERS;
    }
    SDL_SetWindowSize(window, width, height > BORDERS ? height : BORDERS);
    SDL_SetWindowPosition(window, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
}

static bool open_window(Child *child, char **argv, Error *err)
{
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (!choose_driver(argv[4], err))
        return false;
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return error_set(err, TELL(DISPLAY_FAILED), library_text("SDL", SDL_GetError()));
    SDL_EnableScreenSaver();
    child->window =
        SDL_CreateWindow(argv[1], SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, atoi(argv[2]),
                         atoi(argv[3]), SDL_WINDOW_RESIZABLE | screen_flags());
    if (!child->window)
        return error_set(err, TELL(NO_WINDOW), library_text("SDL", SDL_GetError()));
    if (strcmp(SDL_GetCurrentVideoDriver(), "dummy") != 0)
        fit_display(child->window);
    SDL_StartTextInput();
    return screen_open(&child->screen, child->window, err);
}

int main(int argc, char **argv)
{
    Child child = {.window = NULL};
    Error err = {.text = ""};
    int stranger =
        canvas_handshake("attnscope-window is started by attnscope: try attnscope heatmap "
                         "padded-batch\n");
    if (stranger)
        return stranger;
    bool seen = argc >= 4;
    child.fonts =
        room_on_stack(&err) && (!seen || open_window(&child, argv, &err)) ? text_open(&err) : NULL;
    if (!child.fonts) {
        send_message("failed %s", err.text);
        return 1;
    }
    if (!send_metrics(text_faces(child.fonts))) {
        send_message("failed %s", TELL(NO_MEMORY_MEASURE));
        return 1;
    }
    if (seen)
        send_size(child.window);
    send_message("shown");
    run(&child);
    film_drop();
    change_finish(&child.change);
    screen_close(&child.screen);
    text_close(child.fonts);
    SDL_Quit();
    return 0;
}

// canvas_tell: messages to the other process; see canvas_tell.h.
#include "canvas_tell.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "canvas_scale.h"
#include "hangul.h"
#include "utf8.h"
#include "window_wire.h"

void tell(const char *format, ...)
{
    char message[WINDOW_MESSAGE_MAX], frame[WINDOW_FRAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t left = window_wire_frame(message, frame);
    for (const char *at = frame; left > 0;) {
        ssize_t sent = send(TELL_SOCKET, at, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            exit(0); // nobody is there any more
        at += sent;
        left -= (size_t)sent;
    }
}

bool tell_fonts(TextFonts *fonts)
{
    char words[1024] = "";
    int metrics[97];
    size_t used = 0;
    if (!text_metrics(fonts, metrics))
        return false;
    for (int i = 0; i < 97; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, " %d", metrics[i]);
    tell("fonts%s", words);
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

// A syllable is the keys of its letters. The space bar has come as a key.
void tell_text(const char *text)
{
    uint32_t character;
    for (size_t bytes; (bytes = utf8_next(text, &character)) > 0; text += bytes) {
        HangulLetters pressed = hangul_letters(text);
        for (int i = 0; i < pressed.count; i++)
            tell("key %s", pressed.letters[i]);
        if (pressed.count == 0 && character != ' ')
            tell("key %.*s", (int)bytes, text);
    }
}

void tell_pointer(SDL_Window *window, const SDL_Event *event)
{
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

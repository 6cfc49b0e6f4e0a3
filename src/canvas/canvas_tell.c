// canvas_tell: what a person did in the window, as messages; see canvas_tell.h.
#include "canvas_tell.h"

#include <stdio.h>
#include "canvas_scale.h"
#include "hangul.h"
#include "utf8.h"

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

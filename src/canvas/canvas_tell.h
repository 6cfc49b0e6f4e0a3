// What a person does in the window, told to the process that opened it; see window_hear.c for who reads
// it.
#ifndef CANVAS_TELL_H
#define CANVAS_TELL_H

#include <SDL.h>
#include "canvas_messages.h"
#include "canvas_text.h"

// False, and nothing told: there is no memory for measuring letters.
bool tell_fonts(TextFonts *fonts);

void tell_size(SDL_Window *window);

// Keys that print are told as the text they give, by the caller; all others here.
void tell_key(const SDL_KeyboardEvent *key);
void tell_text(const char *text);
void tell_pointer(SDL_Window *window, const SDL_Event *event);

#endif

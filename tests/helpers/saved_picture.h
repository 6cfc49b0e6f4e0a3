// A PNG file as pixels, for tests that look at what was saved.
#ifndef SAVED_PICTURE_H
#define SAVED_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct SavedPicture {
    int width, height;
    unsigned char *pixels; // red, green, blue; row after row
} SavedPicture;

// False, and a picture of no size, when it cannot be read.
bool saved_picture_read(SavedPicture *picture, const char *path);
void saved_picture_finish(SavedPicture *picture);

// 0xrrggbb
uint32_t saved_picture_pixel(const SavedPicture *picture, int x, int y);

#endif

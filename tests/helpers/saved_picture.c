// saved_picture: see saved_picture.h.
#include "saved_picture.h"

#include <assert.h>
#include <png.h>
#include <stdlib.h>

bool saved_picture_read(SavedPicture *picture, const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    *picture = (SavedPicture){.pixels = NULL};
    if (!png_image_begin_read_from_file(&image, path))
        return false;
    image.format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
    if (!pixels || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
        png_image_free(&image);
        free(pixels);
        return false;
    }
    *picture = (SavedPicture){(int)image.width, (int)image.height, pixels};
    return true;
}

void saved_picture_finish(SavedPicture *picture)
{
    free(picture->pixels);
    *picture = (SavedPicture){.pixels = NULL};
}

uint32_t saved_picture_pixel(const SavedPicture *picture, int x, int y)
{
    assert(x >= 0 && x < picture->width && y >= 0 && y < picture->height);
    const unsigned char *bytes =
        picture->pixels + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    return (uint32_t)(bytes[0] << 16 | bytes[1] << 8 | bytes[2]);
}

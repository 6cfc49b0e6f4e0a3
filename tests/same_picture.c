// same-picture ONE.png OTHER.png: 0 when both have the same size and the same colour in every pixel, 1
// with a sentence when not, 2 when one of them cannot be read.
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Picture {
    png_image image;
    unsigned char *pixels; // red, green, blue
} Picture;

static int read_picture(const char *path, Picture *picture)
{
    *picture = (Picture){.image = {.version = PNG_IMAGE_VERSION}};
    if (!png_image_begin_read_from_file(&picture->image, path))
        return 0;
    picture->image.format = PNG_FORMAT_RGB;
    picture->pixels = malloc(PNG_IMAGE_SIZE(picture->image));
    return picture->pixels &&
           png_image_finish_read(&picture->image, NULL, picture->pixels, 0, NULL);
}

static int compare(const Picture *one, const Picture *other)
{
    unsigned width = one->image.width, height = one->image.height, differ = 0;
    if (other->image.width != width || other->image.height != height) {
        printf("%u x %u pixels are not %u x %u\n", width, height, other->image.width,
               other->image.height);
        return 1;
    }
    for (size_t pixel = 0; pixel < (size_t)width * height; pixel++)
        differ += memcmp(one->pixels + 3 * pixel, other->pixels + 3 * pixel, 3) != 0;
    if (differ > 0)
        printf("%u of %u x %u pixels differ\n", differ, width, height);
    return differ > 0;
}

int main(int argc, char **argv)
{
    Picture one = {.pixels = NULL}, other = {.pixels = NULL};
    int code = 2;
    if (argc == 3 && read_picture(argv[1], &one) && read_picture(argv[2], &other))
        code = compare(&one, &other);
    else
        printf("usage: same-picture ONE.png OTHER.png, both readable\n");
    free(one.pixels);
    free(other.pixels);
    return code;
}

// same-picture ONE.png OTHER.png: 0 when both have the same size and the same colour in every pixel, 1
// with a sentence when not, 2 when one of them cannot be read.
#include <stdio.h>
#include "saved_picture.h"

static int compare(const SavedPicture *one, const SavedPicture *other)
{
    int differ = 0;
    if (other->width != one->width || other->height != one->height) {
        printf("%d x %d pixels are not %d x %d\n", one->width, one->height, other->width,
               other->height);
        return 1;
    }
    for (int y = 0; y < one->height; y++)
        for (int x = 0; x < one->width; x++)
            differ += saved_picture_pixel(one, x, y) != saved_picture_pixel(other, x, y);
    if (differ > 0)
        printf("%d of %d x %d pixels differ\n", differ, one->width, one->height);
    return differ > 0;
}

int main(int argc, char **argv)
{
    SavedPicture one = {.pixels = NULL}, other = {.pixels = NULL};
    int code = 2;
    if (argc == 3 && saved_picture_read(&one, argv[1]) && saved_picture_read(&other, argv[2]))
        code = compare(&one, &other);
    else
        printf("usage: same-picture ONE.png OTHER.png, both readable\n");
    saved_picture_finish(&one);
    saved_picture_finish(&other);
    return code;
}

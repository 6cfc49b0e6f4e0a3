// A form that pictures are written in: a row of picture_forms.def and one heatmap_NAME.c.
#ifndef HEATMAP_FORMS_H
#define HEATMAP_FORMS_H

#include <stddef.h>
#include "heatmap.h"

typedef bool PictureSave(const Session *session, PictureView *view, const char *path, Error *err);

typedef struct PictureForm {
    const char *ending; // of a file's name: ".png"
    size_t option;      // the place in AppOptions of the option that asks for it
    PictureSave *save;  // whole or not at all
} PictureForm;

#define PICTURE_FORM(name) extern const PictureForm heatmap_##name;
#include "picture_forms.def"
#undef PICTURE_FORM

#endif

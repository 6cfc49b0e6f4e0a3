// The picture of a session as an SVG file.
#ifndef PICTURE_SVG_H
#define PICTURE_SVG_H

#include "picture_view.h"

// Writes it whole or not at all, drawn by `view` with the usual letters. False, with a sentence, when
// there is nothing to draw or it cannot be written.
bool picture_svg_save(const Session *session, PictureView *view, const char *path, Error *err);

#endif

// heatmap_svg: a picture for pages of the web, to be scaled.
#include "heatmap_forms.h"
#include "picture_svg.h"

const PictureForm heatmap_svg = {".svg", offsetof(AppOptions, svg), picture_svg_save};

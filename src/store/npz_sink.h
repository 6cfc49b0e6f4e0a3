// An archive that libzip writes straight into an open file. By itself it would write to a file of its
// own beside that one, which stays behind when the program is killed.
#ifndef NPZ_SINK_H
#define NPZ_SINK_H

#include <stdio.h>
#include <zip.h>
#include "error.h"

// An empty archive; zip_close writes it and flushes the file, which stays open and must be able to
// seek. NULL with a sentence.
zip_t *npz_sink_open(FILE *file, Error *err);

#endif

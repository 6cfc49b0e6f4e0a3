// The stages in double precision, to show how far float32 is from the truth.
//
// This is not a second pipeline: each stage's file is compiled twice, once unchanged and once with double
// in place of float (widen.h). These functions call the second version. Tensors of DTYPE_F32 passed to
// it store doubles; everything else is unchanged.
#ifndef EXACT_H
#define EXACT_H

#include "stage.h"

// The options of the second version.
typedef struct ExactOptions {
#define EXACT_TYPE_FLAG bool
#define EXACT_TYPE_WHOLE int64_t
#define EXACT_TYPE_SIZE ptrdiff_t
#define EXACT_TYPE_NUMBER double
#define EXACT_TYPE_EXACT double
#define EXACT_TYPE_SEED uint64_t
#define EXACT_TYPE_NAME const char *
#define STAGE_OPTION(name, KIND) EXACT_TYPE_##KIND name;
#include "options.def"
} ExactOptions;

// The exact values behind float32 options: 0.1 becomes one tenth instead of the nearest float32, and
// a scale of sqrt(d_k) that root.
ExactOptions exact_options(const StageOptions *options);

// `shapes` and `run` of the stage with this name. `args` is a StageArgs with tensors as above and
// ExactOptions. The stage must exist.
bool exact_shapes(const char *stage, void *args, Error *err);
bool exact_run(const char *stage, void *args, Error *err);

#endif

// The stages in double precision, for whoever asks how far float32 is from the truth.
//
// It is no second pipeline: each stage's file is compiled twice, once as it stands and once with double
// in place of float (widen.h). These functions are the door to the second ones. The numbers of tensors
// of DTYPE_F32 that come through it are doubles in storage; everything else is as it is.
#ifndef EXACT_H
#define EXACT_H

#include "stage.h"

// The options as the second ones have them.
typedef struct ExactOptions {
#define KEYED_OPTION(name, KIND, ...) STAGE_OPTION(name, KIND)
#define EXACT_TYPE_FLAG bool
#define EXACT_TYPE_WHOLE int64_t
#define EXACT_TYPE_SIZE ptrdiff_t
#define EXACT_TYPE_NUMBER double
#define EXACT_TYPE_EXACT double
#define EXACT_TYPE_SEED uint64_t
#define EXACT_TYPE_NAME const char *
#define STAGE_OPTION(name, KIND) EXACT_TYPE_##KIND name;
#include "options.def"
#undef STAGE_OPTION
#undef KEYED_OPTION
} ExactOptions;

// What was meant by options that are float32: 0.1 is the tenth that somebody wrote, and no longer the
// float32 next to it; a scale that is called a root is that root.
ExactOptions exact_options(const StageOptions *options);

// `shapes` and `run` of the stage with this name. `args` is a StageArgs whose tensors are as said
// above, and whose options are ExactOptions. The stage must be one of the pipeline.
bool exact_shapes(const char *stage, void *args, Error *err);
bool exact_run(const char *stage, void *args, Error *err);

#endif

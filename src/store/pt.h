// PyTorch's .pt, .pth, .bin and .ckpt, as torch.save writes them. Since version 1.6: a zip archive of a
// pickle, which says what there is (pickle.h), and of an entry for each storage. Before: pickles one
// behind another, and then the storages. Read from untrusted bytes; nothing of the pickle is run.
// Source: torch/serialization.py, _legacy_save and _legacy_load.
//
// Opening reads the pickle alone; a storage is read when one of its tensors is asked for.
#ifndef PT_H
#define PT_H

#include "arena.h"
#include "error.h"
#include "raw_numbers.h"
#include "tensor.h"
#include "tensor_file.h"

typedef struct Pt Pt; // in the arena; pt_close gives back what is not

// The file at `path`; or bytes in memory, which must outlive it and which `path` names in messages.
// NULL with a sentence.
Pt *pt_open(const char *path, Arena *arena, Error *err);
Pt *pt_open_bytes(const unsigned char *bytes, size_t length, const char *path, Arena *arena,
                  Error *err);
void pt_close(Pt *pt);

// The names in the order of the dicts (NULL-terminated); "" where the file is one tensor.
const char **pt_names(const Pt *pt, int *count);

// The tensor of names[number], with the strides that it has in PyTorch.
bool pt_read(Pt *pt, int number, Arena *arena, Tensor *out, Error *err);

// The lists of texts beside the tensors.
FileWords *pt_words(const Pt *pt, int *count);

// How it is stored.
RawKind pt_kind(const Pt *pt, int number);

// Its shape, without reading it; false where it has more axes than are read.
bool pt_shape(const Pt *pt, int number, int *rank, ptrdiff_t shape[TENSOR_RANK_MAX]);

// A whole number beside the tensors ("model_args.n_head"); false where there is none.
bool pt_number(const Pt *pt, const char *name, int64_t *number);

// The classes of objects beside the tensors, which are not read; or those of modules that were pickled
// whole, whose tensors are. "" where there are none, NULL when memory is short.
const char *pt_beside(const Pt *pt, bool modules, Arena *arena, Error *err);

// Whether a file begins as those of before version 1.6.
bool pt_is_old(const unsigned char *bytes, size_t length);

#endif

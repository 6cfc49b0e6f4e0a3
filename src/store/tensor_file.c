// tensor_file: which format a path names, and the names inside; see tensor_file.h. The formats are
// in npy.c, npz.c and safetensors.c.
#include "tensor_file.h"
#include "input_file.h"
#include "nearest.h"
#include "new_file.h"
#include "npy.h"
#include "npz.h"
#include "pt.h"
#include "safetensors.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "store_words.h"

struct TensorFile {
    const char *path;           // or what names the bytes
    const unsigned char *bytes; // NULL: they are in the file
    size_t length;
    Npz *npz;                 // NULL unless it is one
    Safetensors *safetensors; // NULL unless it is one
    Pt *pt;                   // NULL unless it is one
    const char **names;       // NULL-terminated
    int count;
    RawKind kind; // of the tensor that was read last
};

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcasecmp(path + length - end, ending) == 0;
}

// A .npy file is opened only to see that it is there; its bytes wait until they are asked for.
static bool open_npy(TensorFile *file, Arena *arena, Error *err)
{
    size_t length;
    int descriptor = file->bytes ? -1 : input_file_open(file->path, &length, err);
    if (descriptor < 0 && !file->bytes)
        return false;
    if (descriptor >= 0)
        close(descriptor);
    file->names = arena_take(arena, 2, sizeof *file->names, err);
    if (!file->names)
        return false;
    file->names[0] = "";
    file->count = 1;
    return true;
}

static bool open_npz(TensorFile *file, Arena *arena, Error *err)
{
    file->npz = file->bytes ? npz_open_bytes(file->bytes, file->length, file->path, arena, err)
                            : npz_open(file->path, arena, err);
    if (file->npz)
        file->names = npz_names(file->npz, &file->count);
    return file->npz != NULL;
}

static bool open_safetensors(TensorFile *file, Arena *arena, Error *err)
{
    file->safetensors =
        file->bytes ? safetensors_open_bytes(file->bytes, file->length, file->path, arena, err)
                    : safetensors_open(file->path, arena, err);
    if (file->safetensors)
        file->names = safetensors_names(file->safetensors, &file->count);
    return file->safetensors != NULL;
}

static bool open_pt(TensorFile *file, Arena *arena, Error *err)
{
    file->pt = file->bytes ? pt_open_bytes(file->bytes, file->length, file->path, arena, err)
                           : pt_open(file->path, arena, err);
    if (file->pt)
        file->names = pt_names(file->pt, &file->count);
    return file->pt != NULL;
}

// The formats by their endings, NULL-terminated.
typedef bool OpenFormat(TensorFile *file, Arena *arena, Error *err);
static const struct {
    const char *ending;
    OpenFormat *open;
} formats[] = {
    {".npz", open_npz}, {".safetensors", open_safetensors},
    {".npy", open_npy}, {".pt", open_pt},
    {".pth", open_pt},  {".bin", open_pt},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static OpenFormat *format_of(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (ends_with(path, formats[i].ending))
            return formats[i].open;
    return NULL;
}

bool tensor_file_is(const char *path)
{
    return format_of(path) != NULL;
}

TensorFile *tensor_file_open_bytes(const unsigned char *bytes, size_t length, const char *name,
                                   Arena *arena, Error *err)
{
    TensorFile *file = arena_take(arena, 1, sizeof *file, err);
    if (!file || !(file->path = arena_text(arena, name, err)))
        return NULL;
    file->bytes = bytes;
    file->length = length;
    OpenFormat *open_format = format_of(name);
    if (!open_format) {
        error_set(err, TELL(TENSOR_ENDING), name);
        return NULL;
    }
    return open_format(file, arena, err) ? file : NULL;
}

TensorFile *tensor_file_open(const char *path, Arena *arena, Error *err)
{
    return tensor_file_open_bytes(NULL, 0, path, arena, err);
}

void tensor_file_close(TensorFile *file)
{
    if (file && file->npz)
        npz_close(file->npz);
    if (file && file->safetensors)
        safetensors_close(file->safetensors);
    if (file && file->pt)
        pt_close(file->pt);
}

int tensor_file_count(const TensorFile *file)
{
    return file->count;
}

const char *tensor_file_name(const TensorFile *file, int number)
{
    return file->names[number];
}

static bool missing(const TensorFile *file, const char *name, Error *err)
{
    if (file->names[0] && *file->names[0] == '\0')
        return error_set(err, TELL(TENSOR_NAMELESS), file->path, name);
    const char *near = nearest_name(name, file->names);
    if (near)
        return error_set(err, TELL(TENSOR_MEANT), file->path, name, near);
    if (file->count == 0)
        return error_set(err, TELL(TENSOR_NONE), file->path, name);
    return error_set(err, TELL(TENSOR_NOT), file->path, name, file->count, file->names[0]);
}

static bool read_npy(TensorFile *file, Arena *arena, Tensor *out, Error *err)
{
    Arena scratch = {0};
    NpyHeader header = {.kind = RAW_OTHER};
    unsigned char *copy = NULL;
    size_t length = file->length;
    bool good =
        file->bytes || input_file_all(file->path, PTRDIFF_MAX, &scratch, &copy, &length, err);
    const unsigned char *bytes = file->bytes ? file->bytes : copy;
    good = good && npy_header(bytes, length, file->path, &header, err) &&
           npy_read(bytes, length, file->path, arena, out, err);
    file->kind = header.kind;
    arena_finish(&scratch);
    return good;
}

static bool read_number(TensorFile *file, int number, Arena *arena, Tensor *out, Error *err)
{
    if (file->npz) {
        bool good = npz_read(file->npz, number, arena, out, err);
        file->kind = npz_kind(file->npz);
        return good;
    }
    if (file->safetensors) {
        file->kind = safetensors_kind(file->safetensors, number);
        return safetensors_read(file->safetensors, number, arena, out, err);
    }
    if (file->pt) {
        file->kind = pt_kind(file->pt, number);
        return pt_read(file->pt, number, arena, out, err);
    }
    return read_npy(file, arena, out, err);
}

bool tensor_file_read(TensorFile *file, const char *name, Arena *arena, Tensor *out, Error *err)
{
    int number = 0;
    while (number < file->count && strcmp(file->names[number], name) != 0)
        number++;
    return number < file->count ? read_number(file, number, arena, out, err)
                                : missing(file, name, err);
}

const char *tensor_file_conversion(const TensorFile *file)
{
    return raw_conversion(file->kind);
}

static bool npz_all_words(const TensorFile *file, Arena *arena, FileWords **lists, int *count,
                          Error *err)
{
    *lists = arena_take(arena, (size_t)file->count + 1, sizeof **lists, err);
    for (int number = 0; *lists && number < file->count; number++) {
        if (!npz_words(file->npz, number, arena, &(*lists)[*count], err))
            return false;
        *count += (*lists)[*count].words != NULL;
    }
    return *lists != NULL;
}

bool tensor_file_words(TensorFile *file, Arena *arena, FileWords **lists, int *count, Error *err)
{
    *lists = NULL;
    *count = 0;
    if (file->pt)
        *lists = pt_words(file->pt, count);
    return !file->npz || npz_all_words(file, arena, lists, count, err);
}

static bool check_ending(const char *path, Error *err)
{
    return ends_with(path, ".npz") || ends_with(path, ".safetensors") ||
           error_set(err, TELL(TENSOR_WRITE_ENDING), path);
}

bool tensor_file_try(const char *path, Error *err)
{
    if (!check_ending(path, err))
        return false;
    Arena scratch = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &scratch, err);
    if (good)
        new_file_drop(&file);
    arena_finish(&scratch);
    return good;
}

bool tensor_file_write(const char *path, const NamedTensor tensors[], int count, Error *err)
{
    return tensor_file_write_noted(path, tensors, count, &(FileNote){.name = NULL}, err);
}

bool tensor_file_write_noted(const char *path, const NamedTensor tensors[], int count,
                             const FileNote notes[], Error *err)
{
    if (!check_ending(path, err))
        return false;
    if (count == 0)
        return error_set(err, TELL(TENSOR_NOTHING), path);
    Arena scratch = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &scratch, err);
    if (good) {
        good = ends_with(path, ".npz")
                   ? npz_write(file.temporary, tensors, count, notes, err)
                   : safetensors_write(file.temporary, tensors, count, notes, err);
        if (good) {
            good = new_file_keep(&file, err);
        } else {
            new_file_drop(&file);
            error_prefix(err, TELL(TENSOR_UNWRITTEN), path);
        }
    }
    arena_finish(&scratch);
    return good;
}

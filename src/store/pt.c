// pt: the archive around a pickle; see pt.h.
#include "pt.h"
#include "archive.h"
#include "input_file.h"
#include "pickle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "store_words.h"

static const ArchiveFormat pt_format = {"PyTorch", "torch.save", WORDS("torch.save", "torch.save")};

struct Pt {
    Archive archive;
    const char *folder; // of the entries: "model/"
    Pickled pickled;
    const char **names;
};

// torch.save of before 1.6 wrote a number for itself first, as a pickle of protocol 2.
static const unsigned char old_beginning[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9};

static bool is_old(const unsigned char *bytes, size_t length)
{
    return length >= sizeof old_beginning &&
           memcmp(bytes, old_beginning, sizeof old_beginning) == 0;
}

static bool refuse_old(const char *path, Error *err)
{
    return error_set(err, TELL(PT_OLD), path);
}

// The entry that is the pickle, and the folder in which it lies.
static bool find_pickle(Pt *pt, zip_uint64_t *index, Arena *arena, Error *err)
{
    zip_int64_t total = zip_get_num_entries(pt->archive.zip, 0);
    for (zip_int64_t entry = 0; entry < total; entry++) {
        const char *name = zip_get_name(pt->archive.zip, (zip_uint64_t)entry, 0);
        const char *slash = name ? strchr(name, '/') : NULL;
        if (!slash || strcmp(slash, "/data.pkl") != 0)
            continue;
        *index = (zip_uint64_t)entry;
        pt->folder = arena_format(arena, err, "%.*s", (int)(slash + 1 - name), name);
        return pt->folder != NULL;
    }
    return error_set(err, TELL(PT_NO_PICKLE), pt->archive.path);
}

// The bytes of a whole entry in the arena; `limit` is how many it may have. NULL with a sentence.
static unsigned char *read_entry(const Pt *pt, zip_uint64_t index, ArchiveEntry *entry,
                                 size_t limit, Arena *arena, Error *err)
{
    unsigned char *bytes = NULL;
    bool good = archive_entry_open(&pt->archive, index, entry, err);
    if (good && entry->bytes > limit)
        good = error_set(err, TELL(PT_LARGE), entry->label, entry->bytes, limit);
    if (good && !(bytes = arena_take(arena, entry->bytes, 1, err)))
        good = error_prefix(err, "%s: ", entry->label);
    good = good && archive_entry_read(entry, bytes, entry->bytes, err) &&
           archive_entry_ends(entry, err);
    archive_entry_close(entry);
    return good ? bytes : NULL;
}

// Some versions say in which order the bytes of a number lie.
static bool check_byte_order(const Pt *pt, Arena *scratch, Error *err)
{
    ArchiveEntry entry = {.label = arena_format(scratch, err, "%sbyteorder", pt->folder)};
    zip_int64_t index = entry.label ? zip_name_locate(pt->archive.zip, entry.label, 0) : -1;
    if (!entry.label || index < 0)
        return entry.label != NULL;
    unsigned char *bytes = read_entry(pt, (zip_uint64_t)index, &entry, 16, scratch, err);
    if (!bytes)
        return error_prefix(err, "%s: ", pt->archive.path);
    return (entry.bytes == 6 && memcmp(bytes, "little", 6) == 0) ||
           error_set(err, TELL(PT_BIG_ENDIAN), pt->archive.path);
}

static bool read_pickle(Pt *pt, Arena *arena, Error *err)
{
    Arena scratch = {0};
    ArchiveEntry entry = {.label = "data.pkl"};
    zip_uint64_t index = 0;
    unsigned char *bytes = NULL;
    bool good = find_pickle(pt, &index, arena, err) && check_byte_order(pt, &scratch, err);
    if (good && (!(bytes = read_entry(pt, index, &entry, PICKLE_BYTES_MAX, &scratch, err)) ||
                 !pickle_tensors(bytes, entry.bytes, arena, &pt->pickled, err)))
        good = error_prefix(err, "%s: ", pt->archive.path);
    size_t count = (size_t)pt->pickled.count;
    good = good && (pt->names = arena_take(arena, count + 1, sizeof *pt->names, err));
    for (size_t i = 0; good && i < count; i++)
        pt->names[i] = pt->pickled.tensors[i].name;
    arena_finish(&scratch);
    return good;
}

static Pt *begin(const char *path, Arena *arena, Error *err)
{
    Pt *pt = arena_take(arena, 1, sizeof *pt, err);
    if (pt)
        pt->archive = (Archive){.format = &pt_format, .path = arena_text(arena, path, err)};
    return pt && pt->archive.path ? pt : NULL;
}

// What is open is read or closed again.
static Pt *list(Pt *pt, Arena *arena, Error *err)
{
    if (read_pickle(pt, arena, err))
        return pt;
    pt_close(pt);
    return NULL;
}

// False with a sentence for the format that is no archive.
static bool check_beginning(const char *path, Error *err)
{
    unsigned char bytes[sizeof old_beginning] = {0};
    size_t length;
    int descriptor = input_file_open(path, &length, err);
    if (descriptor < 0)
        return false;
    size_t count = length < sizeof bytes ? length : sizeof bytes;
    bool good = input_file_read(descriptor, path, 0, bytes, count, err);
    close(descriptor);
    return good && (!is_old(bytes, count) || refuse_old(path, err));
}

Pt *pt_open(const char *path, Arena *arena, Error *err)
{
    Pt *pt = begin(path, arena, err);
    return pt && check_beginning(path, err) && archive_open(&pt->archive, err)
               ? list(pt, arena, err)
               : NULL;
}

Pt *pt_open_bytes(const unsigned char *bytes, size_t length, const char *path, Arena *arena,
                  Error *err)
{
    Pt *pt = begin(path, arena, err);
    if (pt && is_old(bytes, length)) {
        refuse_old(path, err);
        return NULL;
    }
    return pt && archive_open_bytes(&pt->archive, bytes, length, err) ? list(pt, arena, err) : NULL;
}

void pt_close(Pt *pt)
{
    if (pt)
        archive_close(&pt->archive);
}

const char **pt_names(const Pt *pt, int *count)
{
    *count = pt->pickled.count;
    return pt->names;
}

FileWords *pt_words(const Pt *pt, int *count)
{
    *count = pt->pickled.words_count;
    return pt->pickled.words;
}

// --- one tensor

// How many elements of its storage a view needs; false when that is more than it has.
static bool fits(const PickledTensor *tensor)
{
    ptrdiff_t last = 0, step;
    for (int axis = 0; axis < tensor->rank; axis++) {
        if (tensor->shape[axis] == 0)
            return true;
        if (__builtin_mul_overflow(tensor->shape[axis] - 1, tensor->stride[axis], &step) ||
            __builtin_add_overflow(last, step, &last))
            return false;
    }
    return tensor->offset < tensor->storage_count &&
           (size_t)last < tensor->storage_count - tensor->offset;
}

static bool check_tensor(const PickledTensor *tensor, Error *err)
{
    ptrdiff_t count;
    if (tensor->kind == RAW_OTHER)
        return error_set(err, TELL(PT_NOT_READ), tensor->type);
    if (tensor->rank < 0)
        return error_set(err, TELL(PT_AXES), TENSOR_RANK_MAX);
    if (!tensor_count_of(tensor->rank, tensor->shape, &count))
        return error_set(err, TELL(PT_SHAPE_LARGE));
    if (count > 0 && (size_t)count > tensor->storage_count)
        return error_set(err, TELL(PT_REPEATS), count, tensor->storage_count);
    return fits(tensor) || error_set(err, TELL(PT_BEYOND), tensor->storage_count);
}

// The whole storage as a tensor with one axis.
static bool read_storage(const Pt *pt, const PickledTensor *tensor, Arena *arena, Tensor *out,
                         Error *err)
{
    Arena scratch = {0};
    ArchiveEntry entry = {.label =
                              arena_format(&scratch, err, "%sdata/%s", pt->folder, tensor->key)};
    ptrdiff_t shape[] = {(ptrdiff_t)tensor->storage_count};
    size_t wanted;
    unsigned char *bytes = NULL;
    bool good = entry.label != NULL;
    if (good && !raw_bytes_of(raw_element_bytes(tensor->kind), 1, shape, &wanted))
        good = error_set(err, TELL(PT_STORAGE_LARGE));
    zip_int64_t index = good ? zip_name_locate(pt->archive.zip, entry.label, 0) : 0;
    if (index < 0)
        good = error_set(err, TELL(PT_MISSING), entry.label);
    good = good &&
           (bytes = read_entry(pt, (zip_uint64_t)index, &entry, wanted, &scratch, err)) != NULL;
    if (good && entry.bytes != wanted)
        good =
            error_set(err, TELL(PT_BYTES), entry.label, entry.bytes, tensor->storage_count, wanted);
    good = good && raw_read(&(RawNumbers){tensor->kind, bytes, 1, shape}, arena, out, err);
    arena_finish(&scratch);
    return good;
}

bool pt_read(Pt *pt, int number, Arena *arena, Tensor *out, Error *err)
{
    const PickledTensor *tensor = &pt->pickled.tensors[number];
    if (!check_tensor(tensor, err) || !read_storage(pt, tensor, arena, out, err))
        return error_prefix(err, "%s: %s: ", pt->archive.path, tensor->name);
    out->rank = tensor->rank;
    out->offset = (ptrdiff_t)tensor->offset;
    memcpy(out->shape, tensor->shape, sizeof out->shape);
    memcpy(out->stride, tensor->stride, sizeof out->stride);
    return true;
}

RawKind pt_kind(const Pt *pt, int number)
{
    return pt->pickled.tensors[number].kind;
}

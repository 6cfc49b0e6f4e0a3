// foreign: see foreign.h. A row of the table is a format; its sentence is in store_words.def.
#include "foreign.h"

#include <string.h>
#include <strings.h>
#include "utf8.h"
#include "store_words.h"

typedef enum Format {
    FORMAT_LFS,
    FORMAT_GGUF,
    FORMAT_HDF5,
    FORMAT_ONNX,
    FORMAT_TENSORFLOW,
    FORMAT_TFLITE,
    FORMAT_FLAX,
    FORMAT_TAR,
    FORMAT_PACKED,
    FORMAT_PICKLE,
} Format;

// What a format's files have at a place; an ending; or both.
typedef struct Foreign {
    size_t place;
    const char *bytes;  // "": any
    const char *ending; // "": any
    Format format;
} Foreign;

// Sources: what `file` knows of them, and the formats' own pages.
static const Foreign rows[] = {
    {0, "version https://git-lfs", "", FORMAT_LFS},
    {0, "GGUF", "", FORMAT_GGUF},
    {0, "lmgg", "", FORMAT_GGUF},
    {0, "tjgg", "", FORMAT_GGUF},
    {0, "\x89HDF\r\n\x1a\n", "", FORMAT_HDF5},
    {0, "\x08", ".onnx", FORMAT_ONNX},
    {0, "", ".pb", FORMAT_TENSORFLOW},
    {0, "", ".meta", FORMAT_TENSORFLOW},
    {0, "", ".data-00000-of-00001", FORMAT_TENSORFLOW},
    {4, "TFL3", "", FORMAT_TFLITE},
    {0, "", ".msgpack", FORMAT_FLAX},
    {257, "ustar", "", FORMAT_TAR},
    {0, "\x1f\x8b", "", FORMAT_PACKED},
    {0, "BZh", "", FORMAT_PACKED},
    {0,
     "\xfd"
     "7zXZ",
     "", FORMAT_PACKED},
    {0, "\x28\xb5\x2f\xfd", "", FORMAT_PACKED},
    {0, "7z\xbc\xaf\x27\x1c", "", FORMAT_PACKED},
    {0, "Rar!", "", FORMAT_PACKED},
    {0, "\x80\x02", "", FORMAT_PICKLE},
    {0, "\x80\x03", "", FORMAT_PICKLE},
    {0, "\x80\x04", "", FORMAT_PICKLE},
    {0, "\x80\x05", "", FORMAT_PICKLE},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcasecmp(path + length - end, ending) == 0;
}

static bool is_of(const Foreign *row, const char *path, const unsigned char *bytes, size_t count)
{
    size_t length = strlen(row->bytes);
    return row->place + length <= count && memcmp(bytes + row->place, row->bytes, length) == 0 &&
           (!*row->ending || ends_with(path, row->ending));
}

// A file of letters, blanks and line ends. A binary format has other bytes within its first hundreds.
static bool is_text(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((bytes[i] < ' ' && !strchr("\t\r\n", bytes[i])) || bytes[i] == 0 || bytes[i] == 0x7f)
            return false;
    size_t whole = count; // a character may be cut at the end
    while (count == FOREIGN_BYTES && whole > count - 4 && bytes[whole - 1] >= 0x80)
        whole--;
    return utf8_valid((const char *)bytes, whole);
}

static bool begins_as(const char *text, const char *beginning)
{
    return strncasecmp(text, beginning, strlen(beginning)) == 0;
}

// Pages and messages that servers send in place of a file.
static bool refuse_text(const char *path, const unsigned char *bytes, size_t count, Error *err)
{
    char line[64];
    size_t blank = 0, length = 0;
    bool marked = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    for (blank = marked ? 3 : 0; blank < count && strchr(" \t\r\n", bytes[blank]); blank++)
        ;
    for (; blank + length < count && length < sizeof line - 1; length++) {
        unsigned char byte = bytes[blank + length];
        if (byte < ' ')
            break;
        line[length] = (char)(byte < 0x7f ? byte : '?');
    }
    line[length] = '\0';
    if (begins_as(line, "<!doctype") || begins_as(line, "<html") || begins_as(line, "<?xml") ||
        begins_as(line, "<head"))
        return error_set(err, TELL(FOREIGN_PAGE), path);
    return error_set(err, TELL(FOREIGN_TEXT), path, line);
}

static bool refuse(const char *path, Format format, Error *err)
{
    switch (format) {
    case FORMAT_LFS:
        return error_set(err, TELL(FOREIGN_LFS), path);
    case FORMAT_GGUF:
        return error_set(err, TELL(FOREIGN_GGUF), path);
    case FORMAT_HDF5:
        return error_set(err, TELL(FOREIGN_HDF5), path);
    case FORMAT_ONNX:
        return error_set(err, TELL(FOREIGN_ONNX), path);
    case FORMAT_TENSORFLOW:
        return error_set(err, TELL(FOREIGN_TENSORFLOW), path);
    case FORMAT_TFLITE:
        return error_set(err, TELL(FOREIGN_TFLITE), path);
    case FORMAT_FLAX:
        return error_set(err, TELL(FOREIGN_FLAX), path);
    case FORMAT_TAR:
        return error_set(err, TELL(FOREIGN_TAR), path);
    case FORMAT_PACKED:
        return error_set(err, TELL(FOREIGN_PACKED), path);
    default:
        return error_set(err, TELL(FOREIGN_PICKLE), path);
    }
}

bool foreign_check(const char *path, const unsigned char *bytes, size_t count, Error *err)
{
    for (size_t i = 0; i < ROWS; i++)
        if (is_of(&rows[i], path, bytes, count))
            return refuse(path, rows[i].format, err);
    return !is_text(bytes, count) || refuse_text(path, bytes, count, err);
}

bool foreign_ending(const char *path)
{
    static const char *const others[] = {".gguf",  ".ggml",   ".h5",  ".hdf5",
                                         ".keras", ".tflite", ".pkl", ".pickle"};
    for (size_t i = 0; i < ROWS; i++)
        if (*rows[i].ending && ends_with(path, rows[i].ending))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ends_with(path, others[i]))
            return true;
    return false;
}

// session_save: the visible slice as a file: CSV with its words for a spreadsheet, npy for NumPy. A
// file that exists is replaced only by `save-over`.
#include "session_actions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "new_file.h"
#include "npy.h"
#include "number_text.h"
#include "session_words.h"

// --- the slice

// Rows and columns as they are on screen; a vector where there is only one axis.
static Tensor matrix_on_screen(const Session *session)
{
    ptrdiff_t base[TENSOR_RANK_MAX];
    const SessionView *view = session_view(session);
    Tensor matrix = session_slice(session, base);
    for (int axis = matrix.rank - 1; axis >= 0; axis--)
        if (session_axis_is_picked(session, axis))
            matrix = tensor_squeeze(&matrix, axis);
    bool is_flipped = view->row_axis >= 0 && view->row_axis > view->column_axis;
    return matrix.rank == 2 && is_flipped ? tensor_transpose(&matrix, 0, 1) : matrix;
}

// --- CSV

// Quoted where the text needs it. Source: RFC 4180.
static void write_field(const char *text, FILE *out)
{
    bool plain = strpbrk(text, ",\"\r\n") == NULL;
    if (!plain)
        fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (!plain)
        fputc('"', out);
}

// "3 very": the index comes first, so that no word is taken for a formula.
static void write_header(const Session *session, int axis, ptrdiff_t index, FILE *out)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    char word[64], bare[24], field[96];
    if (axis < 0)
        return;
    memcpy(at, session_view(session)->at, sizeof at);
    at[axis] = index;
    snprintf(bare, sizeof bare, "%td", index);
    trace_label(&session->run.trace, session->cursor.tensor, axis, at, word);
    snprintf(field, sizeof field, strcmp(word, bare) == 0 ? "%s" : "%s %s", bare, word);
    write_field(field, out);
}

static ptrdiff_t length_of(const Session *session, int axis)
{
    return axis < 0 ? 1 : session_tensor(session)->tensor.shape[axis];
}

static void write_csv(const Session *session, FILE *out)
{
    const SessionView *view = session_view(session);
    const Tensor *tensor = &session_tensor(session)->tensor;
    ptrdiff_t at[TENSOR_RANK_MAX];
    char text[NUMBER_FULL_TEXT_MAX];
    memcpy(at, view->at, sizeof at);
    for (ptrdiff_t column = 0; column < length_of(session, view->column_axis); column++) {
        fputc(',', out);
        write_header(session, view->column_axis, column, out);
    }
    fputs("\r\n", out);
    for (ptrdiff_t row = 0; row < length_of(session, view->row_axis); row++) {
        write_header(session, view->row_axis, row, out);
        for (ptrdiff_t column = 0; column < length_of(session, view->column_axis); column++) {
            if (view->row_axis >= 0)
                at[view->row_axis] = row;
            if (view->column_axis >= 0)
                at[view->column_axis] = column;
            fprintf(out, ",%s", number_text(tensor, at, text));
        }
        fputs("\r\n", out);
    }
}

// --- files

static bool write_npy(const Session *session, Arena *arena, FILE *out, Error *err)
{
    Tensor matrix = matrix_on_screen(session);
    unsigned char *bytes;
    size_t length;
    if (!npy_write(&matrix, arena, &bytes, &length, err))
        return false;
    fwrite(bytes, 1, length, out);
    return true;
}

static bool fill(const Session *session, const char *path, bool is_csv, Arena *arena, Error *err)
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return error_set(err, "%s: %s", path, error_reason(errno));
    bool good = true;
    if (is_csv)
        write_csv(session, out);
    else
        good = write_npy(session, arena, out, err);
    bool lost = ferror(out) != 0;
    lost = fclose(out) != 0 || lost;
    return good && lost ? error_set(err, "%s: %s", path, error_reason(errno)) : good;
}

static bool write_file(const Session *session, const char *path, bool is_csv, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &arena, err);
    if (good && !fill(session, file.temporary, is_csv, &arena, err)) {
        new_file_drop(&file);
        good = false;
    }
    good = good && new_file_keep(&file, err);
    arena_finish(&arena);
    return good;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

bool session_save(Session *session, const Command *command, Error *err)
{
    const char *path = command->name, *name = session_tensor(session)->name;
    const SessionView *view = session_view(session);
    bool is_csv = ends_with(path, ".csv"), exists = access(path, F_OK) == 0;
    if (!is_csv && !ends_with(path, ".npy"))
        return error_set(err, TELL(SAVE_ENDING), path);
    if (!session_has_values(session))
        return error_set(err, TELL(SAVE_NO_VALUES), name);
    if (exists && command->kind != COMMAND_SAVE_OVER)
        return error_set(err, TELL(SAVE_EXISTS), path, path);
    if (!write_file(session, path, is_csv, err))
        return false;
    session_say(session, TELL(SAVE_DONE), exists ? TELL(SAVE_REPLACED) : TELL(SAVE_SAVED), path,
                name, length_of(session, view->row_axis), length_of(session, view->column_axis));
    return true;
}

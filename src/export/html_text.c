// html_text: see html_text.h.
#include "html_text.h"

#include <errno.h>
#include <string.h>
#include "html_style.h"
#include "new_file.h"
#include "utf8.h"
#include "export_words.h"

static void put_character(FILE *out, const char *text, size_t bytes, uint32_t character)
{
    switch (character) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        if ((character < 0x20 && character != '\n') || (character >= 0x7f && character < 0xa0))
            fputs("\uFFFD", out);
        else
            fwrite(text, 1, bytes, out);
    }
}

void html_text_part(FILE *out, const char *text, size_t length)
{
    uint32_t character;
    const char *end = text + length;
    for (size_t bytes; text < end && (bytes = utf8_next(text, &character)) > 0; text += bytes)
        put_character(out, text, bytes, character);
}

void html_text(FILE *out, const char *text)
{
    html_text_part(out, text, strlen(text));
}

// --- screens

static bool same_look(const Cell *a, const Cell *b)
{
    return a->role == b->role && a->shade.front == b->shade.front && a->shade.back == b->shade.back;
}

static void open_look(FILE *out, const Cell *cell)
{
    static const char *const names[ROLE_COUNT] = {
        [ROLE_TEXT] = "",       [ROLE_QUIET] = "quiet", [ROLE_HEADING] = "heading",
        [ROLE_TITLE] = "title", [ROLE_RULE] = "rule",   [ROLE_CURRENT] = "current",
        [ROLE_KEY] = "key",     [ROLE_ALARM] = "alarm", [ROLE_MARKED] = "marked",
    };
    fprintf(out, "<span class=\"%s\"", names[cell->role]);
    if (cell->shade.front || cell->shade.back) {
        fputs(" style=\"", out);
        if (cell->shade.front & SHADE_SET)
            fprintf(out, "color:#%06x;", (unsigned)(cell->shade.front & 0xffffff));
        if (cell->shade.back & SHADE_SET)
            fprintf(out, "background:#%06x;", (unsigned)(cell->shade.back & 0xffffff));
        fputc('"', out);
    }
    fputc('>', out);
}

static bool is_plain(const Cell *cell)
{
    return cell->role == ROLE_TEXT && !cell->shade.front && !cell->shade.back;
}

// Where the last cell of a row is that shows anything.
static int row_end(const Cells *cells, int row)
{
    int end = cells->columns;
    while (end > 0 && strcmp(cells_at(cells, row, end - 1)->text, " ") == 0 &&
           is_plain(cells_at(cells, row, end - 1)))
        end--;
    return end;
}

static void put_row(FILE *out, const Cells *cells, int row)
{
    int end = row_end(cells, row);
    for (int column = 0; column < end;) {
        const Cell *first = cells_at(cells, row, column);
        bool plain = is_plain(first);
        if (!plain)
            open_look(out, first);
        for (; column < end && same_look(first, cells_at(cells, row, column)); column++) {
            const Cell *cell = cells_at(cells, row, column);
            // Not every font has Korean letters that are exactly as wide as two others.
            fputs(cell->columns == 2 ? "<i>" : "", out);
            html_text(out, cell->text);
            fputs(cell->columns == 2 ? "</i>" : "", out);
        }
        fputs(plain ? "" : "</span>", out);
    }
    fputc('\n', out);
}

void html_cells(FILE *out, const Cells *cells, int first_row, int end_row)
{
    bool blank = true; // the row before
    while (end_row > first_row && row_end(cells, end_row - 1) == 0)
        end_row--;
    for (int row = first_row; row < end_row; row++) {
        if (!blank || row_end(cells, row) > 0)
            put_row(out, cells, row);
        blank = row_end(cells, row) == 0;
    }
}

void html_element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    html_text(out, text);
    fputs(close, out);
}

void html_head(FILE *out, const Lecture *lecture)
{
    fprintf(out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
            language_name(lecture->language));
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", out);
    html_element(out, "<title>", lecture->title, "</title>\n");
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

static bool write_all(const NewFile *file, HtmlWrite *write, const void *what, Error *err)
{
    FILE *out = fopen(file->temporary, "w");
    bool good = out || error_set(err, "%s: %s", file->path, error_reason(errno));
    good = good && write(what, out, err);
    bool arrived = out && !ferror(out);
    if (out && fclose(out) != 0)
        arrived = false;
    if (good && !arrived)
        error_set(err, TELL(HTML_UNWRITTEN), file->path, error_reason(errno));
    return good && arrived;
}

bool html_save(const char *path, HtmlWrite *write, const void *what, Error *err)
{
    Arena arena = {0};
    NewFile file;
    bool good = new_file_begin(&file, path, &arena, err);
    if (good && !write_all(&file, write, what, err)) {
        new_file_drop(&file);
        good = false;
    }
    good = good && new_file_keep(&file, err);
    arena_finish(&arena);
    return good;
}

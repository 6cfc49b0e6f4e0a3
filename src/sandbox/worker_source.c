// Reads a learner's file and the files it includes, and checks what they ask the compiler to read.
//
// Reads as C does: comments removed, lines with a backslash joined. Macros are not expanded; the sandbox and the
// compiler's list of files cover those.
#define _GNU_SOURCE // memmem
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_file.h"
#include "worker_build.h"
#include "worker_internal.h"

// --- the copy

enum { DEPTH_MAX = 6, ENTRIES_MAX = 4096, COPY_BYTES_MAX = 2 << 20 };

// True if a canonical path is below a canonical folder.
static bool lies_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || strcmp(folder, "/") == 0);
}

// Why a link does not belong to the submission.
static const char *link_refusal(const WorkerCopy *copy, const char *path)
{
    struct stat about;
    char whole[PATH_MAX];
    if (!realpath(path, whole) || stat(whole, &about) != 0)
        return TELL(COPY_LINK_NOWHERE);
    if (!lies_in(copy->root, whole))
        return TELL(COPY_LINK_OUT);
    return S_ISDIR(about.st_mode) ? TELL(COPY_LINK_FOLDER) : NULL;
}

// Why a file in a folder of the submission does not belong to it; NULL: it does. Sets `is_folder` for one to search.
static const char *refusal_of(const WorkerCopy *copy, const char *path, bool *is_folder)
{
    struct stat about;
    *is_folder = false;
    if (lstat(path, &about) != 0)
        return TELL(COPY_UNREADABLE);
    const char *refusal = S_ISLNK(about.st_mode) ? link_refusal(copy, path) : NULL;
    if (refusal)
        return refusal;
    if (stat(path, &about) != 0)
        return TELL(COPY_UNREADABLE);
    *is_folder = S_ISDIR(about.st_mode);
    if (!*is_folder && !S_ISREG(about.st_mode))
        return TELL(COPY_NO_TEXT);
    return !*is_folder && about.st_size > COPY_FILE_BYTES_MAX ? TELL(COPY_LARGE) : NULL;
}

static bool add(WorkerCopy *copy, const char *path, const char *refusal, Error *err)
{
    const char *kept = arena_text(&copy->arena, path, err);
    if (kept && copy->count < COPY_FILES_MAX)
        copy->files[copy->count++] = (CopyFile){.path = kept, .refusal = refusal};
    return kept != NULL;
}

// Lists all files below a folder ("exercises/", ""), except hidden ones; stops at the limit.
static bool look_into(WorkerCopy *copy, const char *below, int depth, int *entries, Error *err)
{
    const char *path = arena_format(&copy->arena, err, "%s/%s", copy->root, below);
    DIR *folder = path ? opendir(path) : NULL;
    bool good = path != NULL;
    if (path && !folder) {
        error_number(err, errno, TELL(CANNOT_OPEN), path, error_reason(errno));
        return !err->of_machine; // unreadable folders count as missing
    }
    for (struct dirent *entry; good && folder && (entry = readdir(folder)) != NULL;) {
        bool is_folder;
        if (entry->d_name[0] == '.' || ++*entries > ENTRIES_MAX)
            continue;
        const char *name = arena_format(&copy->arena, err, "%s%s", below, entry->d_name);
        path = name ? arena_format(&copy->arena, err, "%s/%s", copy->root, name) : NULL;
        good = path != NULL;
        const char *refusal = good ? refusal_of(copy, path, &is_folder) : NULL;
        if (good && is_folder) {
            name = arena_format(&copy->arena, err, "%s/", name);
            good = name && (depth == DEPTH_MAX || look_into(copy, name, depth + 1, entries, err));
        } else if (good && strcmp(name, copy->files[0].path) != 0) {
            good = add(copy, name, refusal, err);
        }
    }
    if (folder)
        closedir(folder);
    return good;
}

// Reads a file into the copy. An unreadable one becomes a refusal; `err` tells whether the machine failed.
static bool take_file(WorkerCopy *copy, CopyFile *file, Error *err)
{
    const char *path = arena_format(&copy->arena, err, "%s/%s", copy->root, file->path);
    file->belongs = path && input_file_source(path, COPY_FILE_BYTES_MAX, &copy->arena, &file->bytes,
                                              &file->length, err);
    if (!file->belongs)
        file->refusal = TELL(COPY_UNREADABLE);
    return file->belongs;
}

// Takes all files named in this file's text. Returns false if the machine failed.
static bool search(WorkerCopy *copy, CopyFile *file, Error *err)
{
    file->was_searched = true;
    for (int i = 0; i < copy->count; i++) {
        CopyFile *named = &copy->files[i];
        const char *name = path_name(named->path);
        if (named->belongs || named->refusal || copy->bytes >= COPY_BYTES_MAX ||
            !memmem(file->bytes, file->length, name, strlen(name)))
            continue;
        if (take_file(copy, named, err))
            copy->bytes += named->length;
        else if (err->of_machine)
            return false;
    }
    return true;
}

// Repeats that for the files taken, until none is added.
static bool take_named(WorkerCopy *copy, Error *err)
{
    for (int i = 0; i < copy->count; i++)
        if (copy->files[i].belongs && !copy->files[i].was_searched) {
            if (!search(copy, &copy->files[i], err))
                return false;
            i = -1; // from the start: it may name a file that was skipped
        }
    return true;
}

// Splits the source's path into the submission's folder, canonical and as shown, and the rest.
static bool place_source(WorkerCopy *copy, const WorkerBuild *build, Error *err)
{
    const char *name = path_name(build->source);
    size_t length = (size_t)(name - build->source);
    if (build->root && strncmp(build->source, build->root, strlen(build->root)) == 0)
        length = strlen(build->root);
    while (build->source[length] == '/')
        length++;
    copy->shown = arena_format(&copy->arena, err, "%.*s", (int)length, build->source);
    if (!copy->shown)
        return false;
    char root[PATH_MAX];
    if (!realpath(length > 0 ? copy->shown : ".", root))
        return error_number(err, errno, TELL(CANNOT_OPEN), copy->shown, error_reason(errno));
    copy->root = arena_text(&copy->arena, root, err);
    return copy->root && add(copy, build->source + length, NULL, err);
}

bool worker_copy_open(WorkerCopy *copy, const WorkerBuild *build, Error *err)
{
    bool is_folder = false;
    int entries = 0;
    copy->count = 0;
    copy->bytes = 0;
    copy->arena = (Arena){0};
    if (!place_source(copy, build, err))
        return false;
    const char *path = arena_format(&copy->arena, err, "%s/%s", copy->root, copy->files[0].path);
    if (!path)
        return false;
    const char *refusal = refusal_of(copy, path, &is_folder);
    char whole[PATH_MAX];
    if (!refusal && (!realpath(path, whole) || !lies_in(copy->root, whole)))
        refusal = TELL(COPY_BEHIND_LINK);
    if (refusal || is_folder)
        return error_set(err, TELL(COPY_REFUSED), copy->shown, copy->files[0].path,
                         refusal ? refusal : TELL(COPY_FOLDER));
    if (!take_file(copy, &copy->files[0], err))
        return false;
    if (input_file_is_wide(copy->files[0].bytes, copy->files[0].length))
        return error_set(err, TELL(COPY_REFUSED), copy->shown, copy->files[0].path,
                         TELL(COPY_WIDE));
    return look_into(copy, "", 0, &entries, err) && take_named(copy, err);
}

void worker_copy_close(WorkerCopy *copy)
{
    arena_finish(&copy->arena);
    copy->count = 0;
}

// --- lookups

// The file with this path, or NULL.
static const CopyFile *worker_copy_find(const WorkerCopy *copy, const char *path)
{
    for (int i = 0; i < copy->count; i++)
        if (strcmp(copy->files[i].path, path) == 0)
            return &copy->files[i];
    return NULL;
}

// The refusal of `path`, or of a folder on the way to it; NULL: none.
static const CopyFile *worker_copy_refused(const WorkerCopy *copy, const char *path)
{
    for (int i = 0; i < copy->count; i++) {
        const CopyFile *file = &copy->files[i];
        size_t length = strlen(file->path);
        if (file->refusal && strncmp(path, file->path, length) == 0 &&
            (path[length] == '\0' || path[length] == '/'))
            return file;
    }
    return NULL;
}

// --- writing

bool worker_write_file(const char *path, const void *bytes, size_t length, Error *err)
{
    FILE *file = fopen(path, "wbx");
    bool written = file && fwrite(bytes, 1, length, file) == length;
    if (file && fclose(file) != 0)
        written = false;
    return written || error_unwritten(err, errno, path);
}

bool worker_copy_write(const WorkerCopy *copy, const char *folder, Error *err)
{
    Arena arena = {0};
    bool good = true;
    for (int i = 0; good && i < copy->count; i++) {
        if (!copy->files[i].belongs)
            continue;
        char *path = arena_format(&arena, err, "%s/%s", folder, copy->files[i].path);
        char *slash = path ? strchr(path + strlen(folder) + 1, '/') : NULL;
        for (; slash; slash = strchr(slash + 1, '/')) { // "FOLDER/exercises/"
            *slash = '\0';
            mkdir(path, 0700);
            *slash = '/';
        }
        good = path && worker_write_file(path, copy->files[i].bytes, copy->files[i].length, err);
    }
    arena_finish(&arena);
    return good;
}

// --- #include and #line

enum { LINE_MAX_BYTES = 4096, NAME_MAX_BYTES = 1024 };

// A line as the compiler sees it.
typedef struct Logical {
    char text[LINE_MAX_BYTES]; // truncated if longer
    size_t length;
    int number;           // of its first physical line
    unsigned char *first; // its first byte in the file
} Logical;

typedef struct Reader {
    unsigned char *at, *end;
    int number;
} Reader;

static Reader reader_of(const CopyFile *file)
{
    static const char mark[] = "\xEF\xBB\xBF"; // the byte order mark of UTF-8, which compilers skip
    bool has_mark = file->length > 3 && memcmp(file->bytes, mark, 3) == 0;
    return (Reader){
        .at = file->bytes + (has_mark ? 3 : 0), .end = file->bytes + file->length, .number = 1};
}

// --- lines

// The length of a backslash here, which may be the trigraph "?\?/"; 0: none.
static size_t backslash(const Reader *reader)
{
    if (reader->at < reader->end && *reader->at == '\\')
        return 1;
    return reader->end - reader->at >= 3 && memcmp(reader->at, "?\?/", 3) == 0 ? 3 : 0;
}

// True for bytes that compilers skip before a line's end and before a directive.
static bool is_blank(int character)
{
    return character == '\0' || strchr(" \t\r\f\v", character);
}

// Skips backslashes before line ends; compilers allow blanks between them.
static void join_lines(Reader *reader)
{
    for (size_t length; (length = backslash(reader)) > 0;) {
        unsigned char *at = reader->at + length;
        while (at < reader->end && is_blank(*at))
            at++;
        if (at == reader->end || *at != '\n')
            return;
        reader->at = at + 1;
        reader->number++;
    }
}

// The next character after joined lines; '\0' at the end. A carriage return before a line feed belongs to the line
// end, even in an open string.
static int peek(Reader *reader)
{
    join_lines(reader);
    if (reader->end - reader->at >= 2 && memcmp(reader->at, "\r\n", 2) == 0)
        reader->at++;
    if (reader->at >= reader->end)
        return '\0';
    return backslash(reader) ? '\\' : *reader->at;
}

static int take(Reader *reader)
{
    int character = peek(reader);
    size_t length = backslash(reader);
    reader->number += character == '\n';
    reader->at += length ? length : reader->at < reader->end;
    return character;
}

static void put(Logical *line, int character)
{
    if (line->length + 1 < sizeof line->text)
        line->text[line->length++] = (char)(character ? character : '?');
    line->text[line->length] = '\0';
}

static void skip_comment(Reader *reader)
{
    int before = 0;
    while (reader->at < reader->end) {
        int character = take(reader);
        if (before == '*' && character == '/')
            return;
        before = character;
    }
}

// Copies a string or character up to its closing quote or the line's end.
static void take_quoted(Reader *reader, Logical *line, int quote)
{
    while (reader->at < reader->end && peek(reader) != '\n') {
        int character = take(reader);
        put(line, character);
        if (character == quote)
            return;
        if (character == '\\' && reader->at < reader->end && peek(reader) != '\n')
            put(line, take(reader));
    }
}

// Returns false at the end of the file.
static bool next_line(Reader *reader, Logical *line)
{
    line->length = 0;
    line->text[0] = '\0';
    line->number = reader->number;
    line->first = reader->at;
    if (reader->at >= reader->end)
        return false;
    while (reader->at < reader->end) {
        int character = take(reader), next = peek(reader);
        if (character == '\n')
            break;
        if (character == '/' && next == '*') {
            take(reader);
            skip_comment(reader);
            put(line, ' ');
        } else if (character == '/' && next == '/') {
            while (reader->at < reader->end && peek(reader) != '\n')
                take(reader);
        } else if (!is_blank(character)) {
            put(line, character);
            if (character == '"' || character == '\'')
                take_quoted(reader, line, character);
        } else if (line->length > 0 && line->text[line->length - 1] != ' ') {
            put(line, ' '); // one for many, so that a long line keeps its start
        }
    }
    return true;
}

// --- requests: #include and the like

typedef enum Access { ACCESS_INCLUDES, ACCESS_ASKS, ACCESS_ASSEMBLES } Access;

typedef struct Asked {
    Access access;
    char name[NAME_MAX_BYTES];
    bool is_quoted; // looked for next to the file first
    int line;
} Asked;

// Parses a name in quotes or angle brackets. Returns what follows, or NULL.
static const char *take_name(const char *text, Asked *asked)
{
    while (*text == ' ' || *text == '\t' || *text == '(' || *text == '\\')
        text++;
    if (*text != '"' && *text != '<')
        return NULL;
    asked->is_quoted = *text == '"';
    size_t length = strcspn(text + 1, asked->is_quoted ? "\"\\" : ">");
    snprintf(asked->name, sizeof asked->name, "%.*s", (int)length, text + 1);
    return text + 1 + length;
}

// True if the text starts with exactly this word.
static bool begins(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
           !(isalnum((unsigned char)text[length]) || text[length] == '_');
}

// The text after a directive's '#', or NULL.
static const char *directive(const char *line)
{
    static const char *const marks[] = {"#", "%:", "?\?="};
    line += strspn(line, " ");
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
        if (strncmp(line, marks[m], strlen(marks[m])) == 0) {
            line += strlen(marks[m]);
            return line + strspn(line, " ");
        }
    return NULL;
}

static bool includes(const char *line, Asked *asked)
{
    static const char *const words[] = {"include", "include_next", "import", "embed"};
    const char *word = directive(line);
    for (size_t w = 0; word && w < sizeof words / sizeof *words; w++)
        if (begins(word, words[w])) {
            asked->access = ACCESS_INCLUDES;
            return take_name(word + strlen(words[w]), asked) != NULL;
        }
    return false;
}

// The next request within a line, or NULL.
static const char *next_within(const char *text, Asked *asked)
{
    static const struct {
        const char *word;
        Access access;
    } words[] = {{"__has_include", ACCESS_ASKS}, {"__has_include_next", ACCESS_ASKS},
                 {"__has_embed", ACCESS_ASKS},   {"GCC dependency", ACCESS_ASKS},
                 {".incbin", ACCESS_ASSEMBLES},  {".include", ACCESS_ASSEMBLES}};
    for (; *text; text++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (!begins(text, words[i].word))
                continue;
            asked->access = words[i].access;
            const char *rest = take_name(text + strlen(words[i].word), asked);
            if (rest)
                return rest;
        }
    return NULL;
}

// --- paths

// Resolves `name` relative to the folder of `from`, textually. Returns false if it leaves the submission on the way.
static bool follow(const char *from, const char *name, char place[NAME_MAX_BYTES * 2])
{
    const char *slash = strrchr(from, '/');
    size_t used =
        (size_t)snprintf(place, NAME_MAX_BYTES * 2, "%.*s", slash ? (int)(slash - from) : 0, from);
    while (*name) {
        size_t length = strcspn(name, "/");
        if (length == 2 && strncmp(name, "..", 2) == 0) {
            if (used == 0)
                return false;
            while (used > 0 && place[--used] != '/')
                continue;
            place[used] = '\0';
        } else if (length > 0 && !(length == 1 && *name == '.')) {
            if (used + length + 2 > NAME_MAX_BYTES * 2)
                return false;
            used += (size_t)snprintf(place + used, NAME_MAX_BYTES * 2 - used, "%s%.*s",
                                     used ? "/" : "", (int)length, name);
        }
        name += length + (name[length] == '/');
    }
    return true;
}

// Why a request is forbidden, to follow "which"; NULL if it is allowed, or missing, which the compiler reports.
static const char *objection(const WorkerCopy *copy, const CopyFile *file, const Asked *asked)
{
    char place[NAME_MAX_BYTES * 2];
    if (asked->access == ACCESS_ASSEMBLES)
        return TELL(NOT_NEEDED);
    if (asked->name[0] == '/' || !follow(asked->is_quoted ? file->path : "", asked->name, place))
        return TELL(LIES_OUTSIDE);
    const CopyFile *refused = asked->is_quoted ? worker_copy_refused(copy, place) : NULL;
    if (refused)
        return refused->refusal;
    return asked->access == ACCESS_ASKS && text_ends(place, ".c") && !worker_copy_find(copy, place)
               ? TELL(NO_FILE_OF_SUBMISSION)
               : NULL;
}

static bool object(const WorkerCopy *copy, const CopyFile *file, const Asked *asked,
                   const char *why, char line[WORKER_TEXT_MAX], Error *err)
{
    char what[WORKER_TEXT_MAX / 2], name[NAME_MAX_BYTES + 2]; // longer names are cut
    const char *const ways[] = {[ACCESS_INCLUDES] = TELL(WHICH_INCLUDED),
                                [ACCESS_ASKS] = TELL(WHICH_ASKED),
                                [ACCESS_ASSEMBLES] = TELL(WHICH_ASSEMBLED)};
    snprintf(name, sizeof name, asked->is_quoted ? "\"%s\"" : "<%s>", asked->name);
    words_format(what, sizeof what, ways[asked->access], name, why);
    snprintf(line, WORKER_TEXT_MAX, "%s%s:%d: error: %s", copy->shown, file->path, asked->line,
             what);
    worker_words_printable(line);
    return error_set(err, "%s%s:%d %s", copy->shown, file->path, asked->line, what);
}

static bool check_file(const WorkerCopy *copy, const CopyFile *file, char said[WORKER_TEXT_MAX],
                       Error *err)
{
    Reader reader = reader_of(file);
    Logical line;
    Asked asked;
    while (next_line(&reader, &line)) {
        asked.line = line.number;
        const char *why = includes(line.text, &asked) ? objection(copy, file, &asked) : NULL;
        for (const char *at = line.text; !why && (at = next_within(at, &asked)) != NULL;)
            why = objection(copy, file, &asked);
        if (why)
            return object(copy, file, &asked, why, said, err);
    }
    return true;
}

bool worker_includes_check(const WorkerCopy *copy, char line[WORKER_TEXT_MAX], Error *err)
{
    for (int i = 0; i < copy->count; i++)
        if (copy->files[i].belongs && !check_file(copy, &copy->files[i], line, err))
            return false;
    return true;
}

// --- #line directives

// Compilers treat a lone carriage return as a line end, but disagree on what follows it; a line feed is safe. Lines
// that say where they are become blanks, which keeps line numbers.
static void settle_lines(const CopyFile *file)
{
    for (size_t i = 0; i < file->length; i++)
        if (file->bytes[i] == '\r' && (i + 1 == file->length || file->bytes[i + 1] != '\n'))
            file->bytes[i] = '\n';
    Reader reader = reader_of(file);
    for (Logical line; next_line(&reader, &line);) {
        const char *word = directive(line.text);
        bool says_place = word && (begins(word, "line") || isdigit((unsigned char)*word));
        for (unsigned char *at = line.first; says_place && at < reader.at; at++)
            *at = *at == '\n' || *at == '\r' ? *at : ' ';
    }
}

void worker_includes_place(WorkerCopy *copy)
{
    for (int i = 0; i < copy->count; i++)
        if (copy->files[i].belongs)
            settle_lines(&copy->files[i]);
}

// Finds lectures, and stores which page is presented; see lecture.h.
#include "lecture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input_file.h"
#include "new_file.h"
#include "lesson_words.def"
#include "place.h"
#include "shown_name.h"
#include "state_file.h"

// --- lectures

// The file name of a lecture in a language.
static const char *file_in(Language language)
{
    return language == LANGUAGE_KOREAN ? "lecture.ko.md" : "lecture.md";
}

static bool is_readable(const char *folder, const char *file)
{
    char path[PLACE_PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    return length < PLACE_PATH_MAX && access(path, R_OK) == 0;
}

static bool has_lecture(const char *folder)
{
    return is_readable(folder, file_in(LANGUAGE_ENGLISH)) ||
           is_readable(folder, file_in(LANGUAGE_KOREAN));
}

static bool add(LectureList *list, const char *lessons, const char *name, Error *err)
{
    const char *folder = arena_format(&list->arena, err, "%s/%s", lessons, name);
    if (!folder)
        return false;
    if (name[0] == '.' || !has_lecture(folder) || list->count == LECTURE_ENTRIES_MAX)
        return true;
    LectureEntry *entry = &list->entries[list->count++];
    *entry = (LectureEntry){arena_text(&list->arena, name, err), folder};
    return entry->name != NULL;
}

static bool look_into(LectureList *list, const char *lessons, Error *err)
{
    DIR *folder = opendir(lessons);
    bool good = true;
    if (!folder && errno != ENOENT && errno != ENOTDIR)
        good = error_number(err, errno, TELL(LIST_CLOSED), lessons, error_reason(errno));
    for (const struct dirent *entry; folder && good && (entry = readdir(folder)) != NULL;)
        good = add(list, lessons, entry->d_name, err);
    if (folder)
        closedir(folder);
    return good;
}

static int by_name(const void *left, const void *right)
{
    const LectureEntry *a = left, *b = right;
    return strcmp(a->name, b->name);
}

bool lecture_list_open(LectureList *list, Error *err)
{
    char lessons[PLACE_PATH_MAX];
    bool good = true;
    *list = (LectureList){.count = 0};
    for (int i = 0; good && list->count == 0 && place_folder(PLACE_LESSONS, i, lessons); i++)
        good = look_into(list, lessons, err);
    if (good && list->count == 0)
        good = place_missing(PLACE_LESSONS, "lecture", err);
    qsort(list->entries, (size_t)list->count, sizeof *list->entries, by_name);
    if (!good)
        lecture_list_close(list);
    return good;
}

void lecture_list_close(LectureList *list)
{
    Arena arena = list->arena;
    *list = (LectureList){.count = 0};
    arena_finish(&arena);
}

int lecture_list_find(const LectureList *list, const char *name, Error *err)
{
    const char *names[LECTURE_ENTRIES_MAX + 1] = {NULL};
    for (int i = 0; i < list->count; i++) {
        const char *entry = names[i] = list->entries[i].name, *hyphen = strchr(entry, '-');
        size_t before = hyphen ? (size_t)(hyphen - entry) : strlen(entry);
        if (strcmp(entry, name) == 0 || (hyphen && strcmp(hyphen + 1, name) == 0) ||
            (strlen(name) == before && strncmp(entry, name, before) == 0))
            return i;
    }
    const char *near = nearest_word(name, names);
    if (near)
        error_set(err, TELL(NO_LECTURE_MEANT), name, near);
    else
        error_set(err, TELL(NO_LECTURE), name);
    return -1;
}

bool lecture_list_is_path(const char *what)
{
    return strchr(what, '/') || text_ends(what, ".md");
}

bool lecture_list_add_own(LectureList *list, Error *err)
{
    int known = list->count;
    bool good = look_into(list, ".", err);
    qsort(list->entries + known, (size_t)(list->count - known), sizeof *list->entries, by_name);
    return good;
}

// "mine" for "./mine/" and "./mine.ko.md".
static const char *name_of(Arena *arena, const char *path, Error *err)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    const char *name = arena_format(arena, err, "%.*s", (int)(end - start), path + start);
    const char *ending = name && text_ends(name, ".ko.md") ? ".ko.md" : ".md";
    if (name && text_ends(name, ending))
        name = arena_format(arena, err, "%.*s", (int)(strlen(name) - strlen(ending)), name);
    return name;
}

static const LectureEntry *own(LectureList *list, const char *path, Error *err)
{
    LectureEntry *entry = arena_take(&list->arena, 1, sizeof *entry, err);
    const char *folder = strchr(path, '/') ? arena_text(&list->arena, path, err)
                                           : arena_format(&list->arena, err, "./%s", path);
    if (!entry || !folder)
        return NULL;
    if (!text_ends(folder, ".md") && !has_lecture(folder)) {
        error_set(err, TELL(NO_OWN_LECTURE), path, path);
        return NULL;
    }
    *entry = (LectureEntry){name_of(&list->arena, path, err), folder};
    return entry->name ? entry : NULL;
}

const LectureEntry *lecture_list_choose(LectureList *list, const char *what, Error *err)
{
    if (lecture_list_is_path(what))
        return own(list, what, err);
    int number = lecture_list_find(list, what, err);
    if (number >= 0)
        return &list->entries[number];
    return *what && has_lecture(what) ? own(list, what, err) : NULL;
}

bool lecture_path(const char *folder, Language language, char *path)
{
    Language other = language == LANGUAGE_KOREAN ? LANGUAGE_ENGLISH : LANGUAGE_KOREAN;
    Language written = is_readable(folder, file_in(language)) ? language : other;
    bool is_file = text_ends(folder, ".md");
    int length = snprintf(path, PLACE_PATH_MAX, "%s%s%s", folder, is_file ? "" : "/",
                          is_file ? "" : file_in(written));
    return length < PLACE_PATH_MAX;
}

bool lecture_open(Lecture *lecture, const char *name, const char *folder, Language language,
                  Error *err)
{
    char path[PLACE_PATH_MAX];
    *lecture = (Lecture){.page_count = 0};
    if (!lecture_path(folder, language, path))
        return error_number(err, ENAMETOOLONG, TELL(LIST_CLOSED), folder,
                            error_reason(ENAMETOOLONG));
    return lecture_read(lecture, name, path, err);
}

// --- creating one

static bool copy_to(const char *from, const char *to, Error *err)
{
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    enum { BEGINNING_BYTES_MAX = 1 << 16 };
    bool good = input_file_all(from, BEGINNING_BYTES_MAX, &arena, &bytes, &length, err);
    FILE *out = good ? fopen(to, "wx") : NULL;
    if (good && !out)
        good = errno == EEXIST ? error_set(err, TELL(OWN_LECTURE_THERE), to)
                               : error_unwritten(err, errno, to);
    bool written = out && fwrite(bytes, 1, length, out) == length;
    if (out && (fclose(out) != 0 || !written))
        good = error_unwritten(err, errno, to);
    arena_finish(&arena);
    return good;
}

bool lecture_begin(const char *folder, Language language, Error *err)
{
    static const char scenario[] = "my-sentence.yaml";
    char beginning[PLACE_PATH_MAX];
    Arena arena = {0};
    if (!place_find(PLACE_LESSONS, "own-lecture", beginning, err))
        return false;
    const char *file = file_in(language);
    const char *paths[] = {
        arena_format(&arena, err, "%s/%s", beginning,
                     language == LANGUAGE_KOREAN ? "beginning.ko.md" : "beginning.md"),
        arena_format(&arena, err, "%s/%s", folder, file),
        arena_format(&arena, err, "%s/%s", beginning,
                     language == LANGUAGE_KOREAN ? "my-sentence.ko.yaml" : scenario),
        arena_format(&arena, err, "%s/%s", folder, scenario),
    };
    bool good = paths[0] && paths[1] && paths[2] && paths[3];
    if (good && mkdir(folder, 0777) != 0 && errno != EEXIST)
        good = error_unwritten(err, errno, folder);
    good = good && copy_to(paths[0], paths[1], err);
    // A translation uses the scenario of the first language.
    if (good && access(paths[3], F_OK) != 0)
        good = copy_to(paths[2], paths[3], err);
    arena_finish(&arena);
    return good;
}

// --- the presented page: one line with lecture, page and language, separated by tabs

const char *presenting_path(Arena *arena, Error *err)
{
    char path[STATE_PATH_MAX];
    return state_file_path("presenting", path, err) ? arena_text(arena, path, err) : NULL;
}

// True if its name finds it; own lectures are identified by path.
static bool is_known(const Lecture *lecture)
{
    Error unknown;
    LectureList list;
    if (!lecture_list_open(&list, &unknown))
        return false;
    int number = lecture_list_find(&list, lecture->name, &unknown);
    const char *folder = number >= 0 ? list.entries[number].folder : "\n";
    bool known = strncmp(lecture->file, folder, strlen(folder)) == 0;
    lecture_list_close(&list);
    return known || lecture->file[0] == '\0' || access(lecture->file, R_OK) != 0;
}

bool presenting_note(const char *path, const Lecture *lecture, const char *page, Error *err)
{
    Arena arena = {0};
    char file[PRESENTING_NAME_MAX] = "";
    if (!is_known(lecture) && !realpath(lecture->file, file))
        return error_number(err, errno, TELL(LIST_CLOSED), lecture->file, error_reason(errno));
    const char *line = arena_format(&arena, err, "%s\t%s\t%s\n", *file ? file : lecture->name, page,
                                    language_name(lecture->language));
    int lock = line && state_file_make_folders(path, err) ? state_file_lock(path, err) : -1;
    bool good = lock >= 0 && new_file_write_bytes(path, false, line, strlen(line), err);
    state_file_unlock(lock);
    arena_finish(&arena);
    return good;
}

// A field of the line, up to a tab; false if it is empty or too long.
static bool take(const char **text, char part[PRESENTING_NAME_MAX])
{
    size_t length = strcspn(*text, "\t");
    bool fits = length > 0 && length < PRESENTING_NAME_MAX;
    snprintf(part, PRESENTING_NAME_MAX, "%.*s", (int)(fits ? length : 0), *text);
    *text += length + ((*text)[length] == '\t');
    return fits;
}

bool presenting_read(const char *path, Presenting *presenting, Error *err)
{
    Arena arena = {0};
    StateText text = {.count = 0};
    char language[PRESENTING_NAME_MAX];
    *presenting = (Presenting){.language = LANGUAGE_ENGLISH};
    bool good = state_file_read(path, &arena, &text, err);
    if (good && (text.count != 1 || !text.lines[0].is_text))
        good = error_set(err, TELL(NOBODY_PRESENTS));
    const char *rest = good ? text.lines[0].text : "";
    if (good && !(take(&rest, presenting->lecture) && take(&rest, presenting->page) &&
                  take(&rest, language)))
        good = error_set(err, TELL(PRESENTING_UNKNOWN), path);
    if (good && strcmp(language, language_name(LANGUAGE_KOREAN)) == 0)
        presenting->language = LANGUAGE_KOREAN;
    arena_finish(&arena);
    return good;
}

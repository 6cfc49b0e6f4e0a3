// Workspaces: finding, creating and repairing one, the state of its exercises, and the hints used; see workspace.h.
#include "workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exercise.h"
#include "input_file.h"
#include "lesson_words.def"
#include "new_file.h"
#include "shown_name.h"
#include "state_file.h"
#include "error.h"
#include "yaml_tree.h"

// --- files that are not text

ExerciseWord workspace_odd(const Workspace *workspace, int number)
{
    Arena arena = {0};
    Error err;
    struct stat what;
    const char *path = workspace_path(workspace, number, &arena, &err);
    ExerciseWord odd = SAY_COUNT;
    if (!path || lstat(path, &what) != 0)
        odd = path && (errno == EACCES || errno == ELOOP) ? SAY_FILE_CLOSED : odd;
    else if (stat(path, &what) != 0)
        odd = SAY_FILE_LINK_NOWHERE;
    else if (S_ISDIR(what.st_mode))
        odd = SAY_FILE_FOLDER;
    else if (!S_ISREG(what.st_mode))
        odd = SAY_FILE_NO_TEXT;
    else if (what.st_size > WORKSPACE_BYTES_MAX)
        odd = SAY_FILE_LARGE;
    else if (access(path, R_OK) != 0 && errno == EACCES)
        odd = SAY_FILE_CLOSED;
    arena_finish(&arena);
    return odd;
}

// --- finding one

enum { DEPTH_MAX = 64 };

static bool is_workspace(const char *folder, Arena *arena, Error *err)
{
    const char *mark = arena_format(arena, err, "%s.attnscope", folder);
    return mark && access(mark, F_OK) == 0;
}

static bool is_root(const char *folder, Arena *arena, Error *err)
{
    struct stat here, above;
    const char *parent = arena_format(arena, err, "%s..", folder);
    return !parent || stat(*folder ? folder : ".", &here) != 0 || stat(parent, &above) != 0 ||
           (here.st_dev == above.st_dev && here.st_ino == above.st_ino);
}

// The path to the nearest workspace at or above the current folder: "", "../" and so on; NULL: none.
static const char *find_above(Arena *arena, Error *err)
{
    const char *folder = "";
    for (int depth = 0; folder && depth < DEPTH_MAX; depth++) {
        if (is_workspace(folder, arena, err))
            return folder;
        if (is_root(folder, arena, err))
            break;
        folder = arena_format(arena, err, "%s../", folder);
    }
    error_set(err, TELL(NO_WORKSPACE));
    return NULL;
}

static const char *find(const char *folder, Arena *arena, Error *err)
{
    if (!folder)
        return find_above(arena, err);
    size_t length = strlen(folder);
    bool ends = length == 0 || folder[length - 1] == '/';
    const char *named = arena_format(arena, err, ends ? "%s" : "%s/", folder);
    if (!named || is_workspace(named, arena, err))
        return named;
    char word[SHELL_PATH_ROOM];
    error_set(err, TELL(NO_WORKSPACE_THERE), folder, shell_path(folder, word));
    return NULL;
}

bool workspace_is_near(const char *folder)
{
    Arena arena = {0};
    Error err;
    bool found = folder || find_above(&arena, &err) != NULL;
    arena_finish(&arena);
    return found;
}

static bool read_mark(Workspace *workspace, Error *err)
{
    int64_t version;
    const char *path = arena_format(&workspace->arena, err, "%s.attnscope", workspace->folder);
    const YamlNode *root = path ? yaml_read_file(path, &workspace->arena, err) : NULL;
    if (!root)
        return false;
    const YamlNode *number = yaml_get(root, "version"), *language = yaml_get(root, "language");
    if (!number)
        return yaml_error(root, err, TELL(WORKSPACE_VERSIONLESS));
    if (!yaml_integer(number, 1, INT32_MAX, &version, err))
        return false;
    if (version > WORKSPACE_VERSION)
        return yaml_error(number, err, TELL(WORKSPACE_NEWER), (int)version, WORKSPACE_VERSION);
    bool korean = language && language->text && strcmp(language->text, "ko") == 0;
    workspace->language = workspace->own_language = korean ? LANGUAGE_KOREAN : LANGUAGE_ENGLISH;
    return true;
}

bool workspace_read_progress(Workspace *workspace, Error *err)
{
    progress_finish(&workspace->progress);
    if (!workspace->progress_path)
        return error_set(err, TELL(PROGRESS_NO_PLACE));
    return progress_read(&workspace->progress, workspace->progress_path, err);
}

// The file that stores its path. NULL and err if there is no home.
static const char *remembered_path(Arena *arena, Error *err)
{
    const char *progress = progress_path(arena, err);
    return progress ? arena_format(arena, err, "%s-workspace", progress) : NULL;
}

bool workspace_remember(const Workspace *workspace, Error *err)
{
    Arena arena = {0};
    const char *path = remembered_path(&arena, err);
    char *whole = path ? realpath(*workspace->folder ? workspace->folder : ".", NULL) : NULL;
    if (path && !whole)
        error_number(err, errno, "%s: %s", workspace->folder, error_reason(errno));
    const char *line = whole ? arena_format(&arena, err, "%s\n", whole) : NULL;
    bool kept = line && state_file_make_folders(path, err) &&
                new_file_write_bytes(path, false, line, strlen(line), err);
    free(whole);
    arena_finish(&arena);
    return kept;
}

const char *workspace_remembered(Arena *arena)
{
    Error err;
    unsigned char *bytes;
    size_t length;
    const char *path = remembered_path(arena, &err);
    if (!path || !input_file_all(path, WORKSPACE_BYTES_MAX, arena, &bytes, &length, &err) ||
        length < 2)
        return NULL;
    const char *folder = arena_format(arena, &err, "%.*s", (int)length - 1, (const char *)bytes);
    const char *mark = folder ? arena_format(arena, &err, "%s/.attnscope", folder) : NULL;
    return mark && access(mark, R_OK) == 0 ? folder : NULL;
}

bool workspace_open(Workspace *workspace, const char *folder, const char *language, Error *err)
{
    *workspace = (Workspace){.files = "exercises/"};
    workspace->folder = find(folder, &workspace->arena, err);
    bool good = workspace->folder && read_mark(workspace, err);
    if (good && language)
        workspace->language = strcmp(language, "ko") == 0 ? LANGUAGE_KOREAN : LANGUAGE_ENGLISH;
    good = good && exercise_list_open(&workspace->exercises, workspace->language, err);
    Error none = {.text = ""}; // without a home nothing was stored, which is not an error
    workspace->progress_path = good ? progress_path(&workspace->arena, &none) : NULL;
    if (workspace->progress_path)
        progress_read(&workspace->progress, workspace->progress_path, &workspace->not_read);
    else if (none.of_machine)
        workspace->not_read = none;
    if (!good)
        workspace_close(workspace);
    return good;
}

void workspace_close(Workspace *workspace)
{
    exercise_list_close(&workspace->exercises);
    progress_finish(&workspace->progress);
    arena_finish(&workspace->arena);
    workspace->folder = NULL;
}

// True if the text, after removing carriage returns, is the stub below nothing but comments.
static bool is_untouched(const Exercise *exercise, char *text, size_t length)
{
    size_t stub = strlen(exercise->stub), kept = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] != '\r' || i + 1 == length || text[i + 1] != '\n')
            text[kept++] = text[i];
    length = kept;
    if (length < stub || memcmp(text + length - stub, exercise->stub, stub) != 0)
        return false;
    for (const char *end = text + length - stub, *at = text; at < end;) {
        if (*at != '\n' && strncmp(at, "//", 2) != 0)
            return false;
        const char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    return true;
}

static bool workspace_is_stub(const Workspace *workspace, int number, const char *path)
{
    Arena arena = {0};
    Error err;
    unsigned char *bytes;
    size_t length;
    bool is_stub = input_file_all(path, WORKSPACE_BYTES_MAX, &arena, &bytes, &length, &err) &&
                   is_untouched(&workspace->exercises.exercises[number], (char *)bytes, length);
    arena_finish(&arena);
    return is_stub;
}

bool workspace_look(const Workspace *workspace, int number, WorkspaceFile *file, Error *err)
{
    const Exercise *exercise = &workspace->exercises.exercises[number];
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    *file = (WorkspaceFile){.state = WORKSPACE_MISSING};
    const char *path = workspace_path(workspace, number, &arena, err);
    bool missing = path && access(path, F_OK) != 0 && errno == ENOENT;
    bool good = path && (missing ||
                         input_file_all(path, WORKSPACE_BYTES_MAX, &arena, &bytes, &length, err));
    if (good && !missing) {
        bytes_digest(bytes, length, file->digest);
        const ProgressLine *check =
            progress_check(&workspace->progress, exercise->name, file->digest);
        file->points = check ? check->number : 0;
        file->state = check ? check->passed ? WORKSPACE_DONE : WORKSPACE_FAILED
                      : is_untouched(exercise, (char *)bytes, length) ? WORKSPACE_NEW
                      : progress_has_passed(&workspace->progress, exercise->name)
                          ? WORKSPACE_CHANGED
                          : WORKSPACE_BEGUN;
    }
    arena_finish(&arena);
    return good;
}

static bool is_done(const Workspace *workspace, int number, Error *unknown)
{
    WorkspaceFile file;
    Error err = {.text = ""};
    if (workspace_look(workspace, number, &file, &err))
        return file.state == WORKSPACE_DONE;
    if (err.of_machine)
        *unknown = err;
    return false;
}

int workspace_next(const Workspace *workspace, int number, Error *unknown)
{
    int count = workspace->exercises.count;
    for (int i = 1; i <= count; i++)
        if (!is_done(workspace, (number + i) % count, unknown))
            return (number + i) % count;
    return -1;
}

int workspace_current(const Workspace *workspace, Error *unknown)
{
    const ProgressLine *last = progress_last(&workspace->progress, PROGRESS_CHECK, NULL);
    for (int i = 0; last && i < workspace->exercises.count; i++)
        if (strcmp(workspace->exercises.exercises[i].name, last->name) == 0)
            return is_done(workspace, i, unknown) ? workspace_next(workspace, i, unknown) : i;
    return workspace_next(workspace, -1, unknown);
}

// --- files clearly for an exercise, under another name

// A candidate.
typedef struct Candidate {
    const char *name;
    bool is_stub; // unchanged
    long version; // from its name
    long long changed;
} Candidate;

static bool look_below(const Workspace *workspace, int number, const char *below, Candidate *found,
                       bool *is_there, Error *err)
{
    struct stat what;
    Arena arena = {0};
    const char *path = arena_format(&arena, err, "%s%s", workspace->folder, below);
    *is_there = path && lstat(path, &what) == 0;
    if (*is_there)
        *found = (Candidate){.name = path_name(below),
                             .is_stub = S_ISREG(what.st_mode) &&
                                        workspace_is_stub(workspace, number, path),
                             .version = exercise_name_version(path_name(below)),
                             .changed = (long long)what.st_mtime};
    arena_finish(&arena);
    return path;
}

static bool look_at(const Workspace *workspace, int number, const char *name, Candidate *found,
                    bool *is_there, Error *err)
{
    Arena arena = {0};
    const char *below = arena_format(&arena, err, "%s%s", workspace->files, name);
    bool good = below && look_below(workspace, number, below, found, is_there, err);
    found->name = good && *is_there ? name : NULL;
    arena_finish(&arena);
    return good;
}

// True if `other` is preferred to `one`, which comes first by name; `why` is the loser's reason.
static bool is_meant(const Candidate *one, const Candidate *other, ExerciseWord *why)
{
    *why = SAY_HANDED_NOT_STUB;
    if (one->is_stub != other->is_stub)
        return one->is_stub;
    *why = SAY_HANDED_VERSION;
    if (one->version != other->version)
        return other->version > one->version;
    *why = SAY_HANDED_CHANGED_LAST;
    if (one->changed != other->changed)
        return other->changed > one->changed;
    *why = SAY_HANDED_FIRST;
    return false;
}

// Considers a candidate. The file of the exercise's own name wins, unless it is a stub.
static bool take(Workspace *workspace, const char *name, Candidate best[EXERCISES_MAX], Error *err)
{
    int number = exercise_name_find(&workspace->exercises, name);
    WorkspaceOther *other = number < 0 ? NULL : &workspace->others[number];
    Candidate now = {.name = NULL}, *known = &best[number < 0 ? 0 : number];
    bool is_there = false;
    if (number < 0 || (known->name && workspace_is_own(workspace, number, name)))
        return true;
    const char *kept = arena_text(&workspace->arena, name, err);
    if (!kept || !look_at(workspace, number, kept, &now, &is_there, err))
        return false;
    if (!is_there)
        return true;
    if (!known->name) {
        *known = now;
    } else if (workspace_is_own(workspace, number, known->name) &&
               (!known->is_stub || now.is_stub)) {
        return true;
    } else if (is_meant(known, &now, &other->why)) {
        other->passed_over = known->name;
        *known = now;
    } else {
        other->passed_over = now.name;
    }
    bool is_own = workspace_is_own(workspace, number, known->name);
    other->name = is_own ? NULL : known->name;
    return true;
}

bool workspace_file_defines(const char *path, const ExerciseList *list, bool defined[EXERCISES_MAX])
{
    Arena arena = {0};
    Error err;
    const char *dot = strrchr(path, '.');
    bool is_source = dot && strcasecmp(dot, ".c") == 0, any = false;
    const char *text = is_source ? input_file_text(path, WORKSPACE_BYTES_MAX, &arena, &err) : NULL;
    for (int i = 0; i < list->count; i++) {
        defined[i] = text && exercise_name_defines(text, list->exercises[i].name);
        any = any || defined[i];
    }
    arena_finish(&arena);
    return any;
}

// Of files with foreign names, the first that defines the function; `name` is its name.
static bool take_defining(Workspace *workspace, const char *folder, const char *name, Error *err)
{
    bool defined[EXERCISES_MAX];
    const char *path =
        arena_format(&workspace->arena, err, "%s%s%s", workspace->folder, folder, name);
    const char *kept = path ? arena_text(&workspace->arena, name, err) : NULL;
    if (!kept || !workspace_file_defines(path, &workspace->exercises, defined))
        return kept;
    for (int i = 0; i < workspace->exercises.count; i++)
        if (defined[i] && !workspace->others[i].name)
            workspace->others[i].name = kept;
    return true;
}

// Own-name files are known before others are considered.
static bool take_own(Workspace *workspace, Candidate best[EXERCISES_MAX], Error *err)
{
    for (int i = 0; i < workspace->exercises.count; i++) {
        bool is_there = false;
        const char *name =
            arena_format(&workspace->arena, err, "%s.c", workspace->exercises.exercises[i].name);
        if (!name || !look_at(workspace, i, name, &best[i], &is_there, err))
            return false;
    }
    return true;
}

bool workspace_is_own(const Workspace *workspace, int number, const char *name)
{
    const char *own = workspace->exercises.exercises[number].name;
    size_t length = strlen(own);
    return strncmp(name, own, length) == 0 && strcmp(name + length, ".c") == 0;
}

// Finds candidates by name (exercise.h) for exercises whose own file is missing or a stub. Of several, one that is not a
// stub counts, then the later version by name, then the latest change. If no name mentions any exercise, files count for
// the functions that they define. Returns false and sets err if the machine fails.
static bool workspace_find_others(Workspace *workspace, Error *err)
{
    Candidate best[EXERCISES_MAX] = {{.name = NULL}};
    struct dirent **entries = NULL;
    const char *folder =
        arena_format(&workspace->arena, err, "%s%s", workspace->folder, workspace->files);
    int count = folder ? scandir(folder, &entries, NULL, alphasort) : 0;
    bool good = folder && take_own(workspace, best, err);
    if (count < 0) { // unreadable folders count as empty
        error_number(err, errno, "%s: %s", folder, error_reason(errno));
        return !err->of_machine;
    }
    for (int i = 0; i < count; i++) // skip hidden files of macOS and editors: ._scale.c
        good =
            good && (*entries[i]->d_name == '.' || take(workspace, entries[i]->d_name, best, err));
    workspace->has_names = false;
    for (int i = 0; i < workspace->exercises.count; i++)
        workspace->has_names |= best[i].name != NULL;
    int texts = workspace->has_names ? 0 : count;
    for (int i = 0; i < texts && i < WORKSPACE_TEXTS_MAX; i++)
        good = good && (*entries[i]->d_name == '.' ||
                        take_defining(workspace, workspace->files, entries[i]->d_name, err));
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return good;
}

// --- exercises in several folders

static bool is_same_folder(const char *one, const char *other)
{
    size_t length = (size_t)(path_name(one) - one);
    return length == (size_t)(path_name(other) - other) && strncmp(one, other, length) == 0;
}

// Considers a candidate in another folder.
static bool take_below(Workspace *workspace, int number, const char *below, Error *err)
{
    WorkspaceOther *other = &workspace->others[number];
    Candidate known = {.name = NULL}, now = {.name = NULL};
    bool is_known = false, is_there = false;
    const char *old = workspace_below(workspace, number, &workspace->arena, err);
    if (!old || !look_below(workspace, number, old, &known, &is_known, err) ||
        !look_below(workspace, number, below, &now, &is_there, err))
        return false;
    bool is_first = !other->name || !strchr(other->name, '/');
    bool is_own = is_known && workspace_is_own(workspace, number, known.name);
    bool goes_before = (workspace->is_main && is_first) || (is_own && is_same_folder(old, below));
    ExerciseWord why = other->why;
    if (!is_there || (is_known && !known.is_stub && goes_before))
        return true;
    if (!is_known || is_meant(&known, &now, &why))
        *other = (WorkspaceOther){.name = below,
                                  .is_own = workspace_is_own(workspace, number, now.name),
                                  .passed_over = is_known ? old : NULL,
                                  .why = why};
    else if (!other->passed_over)
        *other = (WorkspaceOther){.name = old, .is_own = is_own, .passed_over = below, .why = why};
    return true;
}

int workspace_folder_exercise(const ExerciseList *list, const char *folder, const char *path)
{
    char name[256];
    bool defined[EXERCISES_MAX];
    size_t length = strlen(folder);
    while (length > 0 && folder[length - 1] == '/')
        length--;
    const char *end = folder + length, *begin = end;
    while (begin > folder && begin[-1] != '/')
        begin--;
    if (end == begin || end - begin > 250)
        return -1;
    snprintf(name, sizeof name, "%.*s.c", (int)(end - begin), begin);
    int number = exercise_name_find(list, name);
    return number >= 0 && workspace_file_defines(path, list, defined) && defined[number] ? number
                                                                                         : -1;
}

// "10-mask/main.c": the folder names the exercise.
static bool take_of_folder(Workspace *workspace, const char *folder, const char *below, Error *err)
{
    Candidate known;
    bool is_known = false;
    const char *path = arena_format(&workspace->arena, err, "%s%s", workspace->folder, below);
    int number = path ? workspace_folder_exercise(&workspace->exercises, folder, path) : -1;
    if (!path || number < 0)
        return path;
    const char *old = workspace_below(workspace, number, &workspace->arena, err);
    if (!old || !look_below(workspace, number, old, &known, &is_known, err))
        return false;
    if (!is_known)
        workspace->others[number] = (WorkspaceOther){.name = below};
    return true;
}

// Considers the own-name files, or the others.
static bool take_entry(Workspace *workspace, const char *folder, const char *name, bool own,
                       Error *err)
{
    int number = *name == '.' ? -1 : exercise_name_find(&workspace->exercises, name);
    bool is_own = number >= 0 && workspace_is_own(workspace, number, name);
    if (*name == '.' || is_own != own)
        return true;
    const char *below = arena_format(&workspace->arena, err, "%s%s", folder, name);
    return below && (number >= 0            ? take_below(workspace, number, below, err)
                     : workspace->has_names ? take_of_folder(workspace, folder, below, err)
                                            : take_defining(workspace, "", below, err));
}

// Definitions count if the first folder has no file with an exercise's name.
static bool take_folder(Workspace *workspace, const char *folder, Error *err)
{
    struct dirent **entries = NULL;
    const char *path = arena_format(&workspace->arena, err, "%s%s", workspace->folder, folder);
    int count = path ? scandir(path, &entries, NULL, alphasort) : -1;
    if (path && count < 0) // unreadable folders count as empty
        error_number(err, errno, "%s: %s", path, error_reason(errno));
    bool good = path && (count >= 0 || !err->of_machine);
    for (int i = 0; i < count; i++)
        good = good && take_entry(workspace, folder, entries[i]->d_name, true, err);
    for (int i = 0; i < count; i++) {
        good = good && take_entry(workspace, folder, entries[i]->d_name, false, err);
        free(entries[i]);
    }
    free(entries);
    return good;
}

bool workspace_takes_from(const Workspace *workspace, const char *folder)
{
    size_t length = strlen(folder);
    for (int i = 0; i < workspace->exercises.count; i++) {
        const WorkspaceOther *other = &workspace->others[i];
        const char *names[] = {other->name, other->passed_over};
        for (int j = 0; j < 2; j++)
            if (names[j] && strncmp(names[j], folder, length) == 0 && strchr(names[j], '/') &&
                !strchr(names[j] + length, '/'))
                return true;
    }
    return false;
}

bool workspace_open_submission(Workspace *workspace, const char *folder,
                               const WorkspaceFolders *folders, const ExerciseList *exercises,
                               Error *err)
{
    const char **names = folders->names;
    *workspace = (Workspace){.language = exercises->language,
                             .is_main = folders->is_main,
                             .exercises = exercise_list_borrow(exercises)};
    workspace->folder = arena_format(&workspace->arena, err, "%s/", folder);
    const char *below = arena_format(&workspace->arena, err, "%s/exercises", folder);
    workspace->files = names ? names[0] : below && access(below, F_OK) == 0 ? "exercises/" : "";
    bool good = workspace->folder && below && workspace_find_others(workspace, err);
    for (int i = 1; good && names && names[i]; i++)
        good = take_folder(workspace, names[i], err);
    if (!good)
        workspace_close(workspace);
    return good;
}

const char *workspace_below(const Workspace *workspace, int number, Arena *arena, Error *err)
{
    const char *other = workspace->others[number].name;
    bool is_here = !other || !strchr(other, '/');
    return arena_format(arena, err, "%s%s%s", is_here ? workspace->files : "",
                        other ? other : workspace->exercises.exercises[number].name,
                        other ? "" : ".c");
}

const char *workspace_path(const Workspace *workspace, int number, Arena *arena, Error *err)
{
    const char *below = workspace_below(workspace, number, arena, err);
    return below ? arena_format(arena, err, "%s%s", workspace->folder, below) : NULL;
}

// --- creating one

enum { FILE_BYTES_MAX = 1 << 20, BACKUPS_MAX = 10000, COMMENT_COLUMNS = 96 };

// A file of a workspace.
typedef struct MadeFile {
    const char *path;
    const char *text;
} MadeFile;

enum { MADE_FILES_MAX = EXERCISES_MAX + 3 };

typedef struct Making {
    MadeFile files[MADE_FILES_MAX];
    int count;
    WorkspaceReport *report;
    void *context;
    Arena arena;
    Error *err;
} Making;

// --- files

// Copies a file to the next free name, "scale.c.1". Returns that name, or NULL.
static const char *keep_copy(const char *path, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, FILE_BYTES_MAX, arena, &bytes, &length, err))
        return NULL;
    for (int number = 1; number < BACKUPS_MAX; number++) {
        const char *name = arena_format(arena, err, "%s.%d", path, number);
        if (!name)
            return NULL;
        if (access(name, F_OK) == 0)
            continue;
        return new_file_write_bytes(name, true, bytes, length, err) ? name : NULL;
    }
    error_set(err, TELL(COPIES_MANY), path, BACKUPS_MAX - 1);
    return NULL;
}

static const char *read_text(const char *path, Arena *arena, Error *err)
{
    unsigned char *bytes;
    size_t length;
    if (!input_file_all(path, FILE_BYTES_MAX, arena, &bytes, &length, err))
        return NULL;
    return arena_format(arena, err, "%.*s", (int)length, (const char *)bytes);
}

// --- contents of a workspace

// An exercise's initial file.
static const char *stub_of(const Exercise *exercise, Arena *arena, Error *err)
{
    Written comment;
    if (!written_begin(&comment, err))
        return NULL;
    fprintf(comment.out, "// %s\n//\n", exercise->title);
    prose_print(exercise->task, "// ", COMMENT_COLUMNS, comment.out);
    const char *text = NULL;
    if (written_end(&comment, err))
        text =
            arena_format(arena, err, "%s\n%s%s", comment.text, exercise->arguments, exercise->stub);
    written_drop(&comment);
    return text;
}

static bool plan(Making *making, const char *path, const char *text)
{
    if (path && text)
        making->files[making->count++] = (MadeFile){path, text};
    return path && text;
}

static bool plan_all(Making *making, const char *folder, const ExerciseList *list,
                     Language language)
{
    Arena *arena = &making->arena;
    Error *err = making->err;
    const char *ending = language == LANGUAGE_KOREAN ? ".ko" : "", *comma = *ending ? "ko" : "en";
    const char *readme = arena_format(arena, err, "%s/workspace%s.md", list->folder, ending);
    // The mark comes first, so that after a full disk the next init completes the workspace.
    bool good = plan(making, arena_format(arena, err, "%s/.attnscope", folder),
                     arena_format(arena, err,
                                  "# This folder was made by attnscope init.\n"
                                  "version: %d\nlanguage: %s\n",
                                  WORKSPACE_VERSION, comma)) &&
                plan(making, arena_format(arena, err, "%s/exercises/attnscope.h", folder),
                     read_text(list->header, arena, err)) &&
                plan(making, arena_format(arena, err, "%s/README.md", folder),
                     readme ? read_text(readme, arena, err) : NULL);
    for (int i = 0; good && i < list->count; i++)
        good = plan(making,
                    arena_format(arena, err, "%s/exercises/%s.c", folder, list->exercises[i].name),
                    stub_of(&list->exercises[i], arena, err));
    return good;
}

// --- making

static bool make_folder(const char *path, Error *err)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return true;
    if (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return true;
    return error_set(err, TELL(FOLDER_UNMADE), path,
                     errno == EEXIST ? TELL(FOLDER_IS_FILE) : error_reason(errno));
}

static bool write_missing(const Making *making)
{
    for (int i = 0; i < making->count; i++) {
        const MadeFile *file = &making->files[i];
        if (access(file->path, F_OK) == 0)
            continue;
        if (!new_file_write_bytes(file->path, true, file->text, strlen(file->text), making->err))
            return false;
        making->report(making->context, WORKSPACE_WROTE, file->path);
    }
    return true;
}

static bool renew(Making *making, const MadeFile *file)
{
    const char *now = read_text(file->path, &making->arena, making->err);
    if (!now)
        return false;
    if (strcmp(now, file->text) == 0)
        return true;
    const char *copy = keep_copy(file->path, &making->arena, making->err);
    if (!copy ||
        !new_file_write_bytes(file->path, false, file->text, strlen(file->text), making->err))
        return false;
    making->report(making->context, WORKSPACE_KEPT, copy);
    return true;
}

bool workspace_make(const char *folder, Language language, WorkspaceReport *report, void *context,
                    Error *err)
{
    Making making = {.report = report, .context = context, .err = err};
    ExerciseList list;
    if (!exercise_list_open(&list, language, err))
        return false;
    const char *exercises = arena_format(&making.arena, err, "%s/exercises", folder);
    bool good = plan_all(&making, folder, &list, language);
    // Without a workspace, existing files belong to somebody else.
    bool is_new = good && access(making.files[0].path, F_OK) != 0;
    for (int i = 0; good && is_new && i < making.count; i++)
        if (access(making.files[i].path, F_OK) == 0)
            good = error_set(err, TELL(FILE_IN_THE_WAY), making.files[i].path);
    good = good && exercises && make_folder(folder, err) && make_folder(exercises, err) &&
           write_missing(&making) && renew(&making, &making.files[1]);
    exercise_list_close(&list);
    arena_finish(&making.arena);
    return good;
}

// --- repairing

bool workspace_reset(const Workspace *workspace, int number, WorkspaceReport *report, void *context,
                     Error *err)
{
    Arena arena = {0};
    const char *path = workspace_path(workspace, number, &arena, err);
    const char *stub = stub_of(&workspace->exercises.exercises[number], &arena, err);
    bool good = path && stub, missing = good && access(path, F_OK) != 0;
    const char *copy = good && !missing ? keep_copy(path, &arena, err) : NULL;
    good = (missing || copy) && new_file_write_bytes(path, missing, stub, strlen(stub), err);
    if (good)
        report(context, missing ? WORKSPACE_WROTE : WORKSPACE_KEPT, missing ? path : copy);
    arena_finish(&arena);
    return good;
}

bool workspace_header_differs(const Workspace *workspace)
{
    Arena arena = {0};
    Error err;
    const char *own =
        arena_format(&arena, &err, "%s%sattnscope.h", workspace->folder, workspace->files);
    const char *a = own ? read_text(own, &arena, &err) : NULL;
    const char *b = read_text(workspace->exercises.header, &arena, &err);
    bool differs = a && b && strcmp(a, b) != 0;
    arena_finish(&arena);
    return differs;
}

// --- hints

static const char *path_of(const Workspace *workspace, Arena *arena, Error *err)
{
    return arena_format(arena, err, "%s%s" HINT_FILE_NAME, workspace->folder, workspace->files);
}

static void take_line(HintFile *hints, const ExerciseList *list, const char *line)
{
    char name[64];
    int level = 0;
    if (sscanf(line, "%63s %1d", name, &level) != 2)
        return;
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->exercises[i].name, name) == 0 && level > hints->levels[i])
            hints->levels[i] = level;
}

bool hint_file_read(HintFile *hints, const Workspace *workspace, Error *err)
{
    Arena arena = {0};
    struct stat what;
    *hints = (HintFile){.is_there = false};
    err->of_machine = false;
    const char *path = path_of(workspace, &arena, err);
    if (path && lstat(path, &what) == 0 && S_ISREG(what.st_mode)) {
        char *text = input_file_text(path, HINT_FILE_BYTES_MAX, &arena, err), *rest = NULL;
        hints->is_there = text != NULL;
        for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
             line = strtok_r(NULL, "\n", &rest))
            take_line(hints, &workspace->exercises, line);
    }
    arena_finish(&arena);
    return !err->of_machine;
}

typedef struct HintNote {
    const HintFile *hints;
    const Workspace *workspace;
} HintNote;

static bool write_hints(const void *what, FILE *out, Error *err)
{
    const HintNote *note = what;
    const ExerciseList *list = &note->workspace->exercises;
    (void)err;
    fprintf(out, "%s\n", TELL_IN(note->workspace->language, HINTS_NOTED));
    for (int i = 0; i < list->count; i++)
        if (note->hints->levels[i] > 0)
            fprintf(out, "%s %d\n", list->exercises[i].name, note->hints->levels[i]);
    return true;
}

bool hint_file_note(const Workspace *workspace, int number, int level, Error *err)
{
    Arena arena = {0};
    HintFile hints;
    bool good = hint_file_read(&hints, workspace, err);
    if (!good || hints.levels[number] >= level)
        return good;
    hints.levels[number] = level;
    const char *path = path_of(workspace, &arena, err);
    good = path && new_file_write(path, write_hints, &(HintNote){&hints, workspace}, err);
    arena_finish(&arena);
    return good;
}

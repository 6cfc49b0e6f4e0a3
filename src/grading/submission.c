// Finds the submissions of a class and the exercises in them; see class.h.
#include "class.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "class_words.def"
#include "exercise.h"
#include "input_file.h"
#include "shown_name.h"
#include "unpack.h"
#include "utf8.h"
#include "workspace.h"

// --- names

static const char *shown(SubmissionList *list, const char *name, Error *err)
{
    char *room = arena_take(&list->arena, SHOWN_NAME_GROWTH * strlen(name) + 1, 1, err);
    return room ? shown_name(name, room) : NULL;
}

// Strips ".tar.gz" or the last extension.
static char *without_ending(SubmissionList *list, const char *name, Error *err)
{
    const char *dot = strrchr(name, '.');
    size_t ending = unpack_ending(name);
    size_t less = ending > 0 ? ending : dot && dot > name ? strlen(dot) : 0;
    return arena_format(&list->arena, err, "%.*s", (int)(strlen(name) - less), name);
}

// The person in a learning platform's name: "kim_LATE_12345_678_attention-1" and "kim_12345_assignsubmission_file_" are
// from kim_12345. Any other name is the person's.
static const char *person_of(SubmissionList *list, const char *name, Error *err)
{
    for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
        size_t digits = strspn(at + 1, "0123456789");
        if (digits < 3 || (at[1 + digits] != '_' && at[1 + digits] != '\0'))
            continue;
        int length = (int)(at - name);
        if (length > 5 && strncmp(at - 5, "_LATE", 5) == 0)
            length -= 5;
        return arena_format(&list->arena, err, "%.*s_%.*s", length, name, (int)digits, at + 1);
    }
    return name;
}

// --- folders with exercises in a submission

enum { DEPTH_MAX = 16, ENTRIES_MAX = 5000, PLACES_MAX = 64, OTHERS_NAMED = 3 };
enum { WHAT_COLUMNS = 240, WHAT_BYTES = 1000 }; // limits of a note's text

// A folder with files named like exercises.
typedef struct FoundPlace {
    const char *folder; // itself
    const char *path;   // as the folder of a workspace
    int files;
} FoundPlace;

typedef struct Search {
    Arena *arena;
    const ExerciseList *exercises;
    FoundPlace places[PLACES_MAX];
    const char *archives[PLACES_MAX];
    int count, archive_count, entries;
    int texts;          // files whose text was examined
    bool by_text;       // found by the functions that files define, not by names
    int beyond;         // folders beyond the limit
    const char *hidden; // the first hidden folder with C files, or NULL
} Search;

// Adds a note about an unusable exercise file; `what` is from shown_name.
static bool submission_note_of(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                               const char *what, int exercise, Error *err)
{
    Arena arena = {0};
    SubmissionNote *note = arena_take(&list->arena, 1, sizeof *note, err);
    size_t room = SHOWN_NAME_GROWTH * strlen(what) + 1;
    char *shown = arena_take(&arena, room, 1, err), *shorter = arena_take(&arena, room + 4, 1, err);
    if (note && shown && shorter) {
        char cut[WHAT_BYTES]; // accents have no width
        utf8_shorten(shown_name(what, shown), WHAT_COLUMNS, shorter);
        utf8_cut(shorter, WHAT_COLUMNS, cut, sizeof cut);
        *note = (SubmissionNote){
            .word = word, .what = arena_text(&list->arena, cut, err), .exercise = exercise};
    }
    arena_finish(&arena);
    if (!note || !note->what)
        return false;
    while (*notes)
        notes = &(*notes)->next;
    *notes = note;
    return true;
}

static bool submission_note(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                            const char *what, Error *err)
{
    return submission_note_of(list, notes, word, what, -1, err);
}

// --- archives

typedef struct NearNotes {
    SubmissionList *list;
    SubmissionNote **notes;
    bool is_whole; // all remarks could be stored
    Error *err;
} NearNotes;

// "scale.c.txt" stays in the archive; its owner should know.
static bool note_near(const NearNotes *notes, const char *path)
{
    const char *file = path_name(path);
    int near = exercise_name_near(notes->list->exercises, file);
    if (near < 0)
        return true;
    const char *what = arena_format(&notes->list->arena, notes->err, "%s -> %s.c", file,
                                    notes->list->exercises->exercises[near].name);
    return what && submission_note(notes->list, notes->notes, SAY_GRADE_NEAR, what, notes->err);
}

static void note_left_out(void *context, UnpackWhy why, const char *name)
{
    static const ExerciseWord words[] = {
        [UNPACK_OUTSIDE] = SAY_PACKED_OUTSIDE,   [UNPACK_ODD] = SAY_PACKED_ODD,
        [UNPACK_LINK] = SAY_PACKED_LINK,         [UNPACK_LARGE] = SAY_FILE_LARGE,
        [UNPACK_LOCKED] = SAY_PACKED_LOCKED,     [UNPACK_TWICE] = SAY_PACKED_TWICE,
        [UNPACK_DAMAGED] = SAY_PACKED_DAMAGED,   [UNPACK_NESTED] = SAY_PACKED_NESTED,
        [UNPACK_NAMELESS] = SAY_PACKED_NAMELESS, [UNPACK_OTHER] = SAY_COUNT,
    };
    NearNotes *notes = context;
    bool is_of_file =
        why == UNPACK_LINK || why == UNPACK_LARGE || why == UNPACK_LOCKED || why == UNPACK_DAMAGED;
    int exercise = is_of_file ? exercise_name_find(notes->list->exercises, path_name(name))
                              : -1; // whose file cannot be unpacked
    bool is_of_none = why == UNPACK_LARGE && exercise < 0;
    ExerciseWord word = is_of_none ? SAY_PACKED_LARGE : words[why];
    if (why == UNPACK_OTHER && notes->is_whole)
        notes->is_whole = note_near(notes, name);
    if (word != SAY_COUNT && notes->is_whole)
        notes->is_whole =
            submission_note_of(notes->list, notes->notes, word, name, exercise, notes->err);
}

// Creates an empty folder for unpacked files; NULL and err on failure.
static const char *submission_room(SubmissionList *list, Error *err)
{
    bool has_place = list->unpacked.path || temporary_folder(&list->unpacked, temporary_place());
    if (!has_place) {
        error_number(err, errno, TELL(SUBMISSION_NO_FOLDER), temporary_place(),
                     error_reason(errno));
        return NULL;
    }
    for (;;) { // another process may have taken the number
        const char *path =
            arena_format(&list->arena, err, "%s/%d", list->unpacked.path, list->unpacked_count++);
        if (!path || mkdir(path, 0700) == 0)
            return path;
        if (errno == EEXIST)
            continue;
        error_number(err, errno, TELL(SUBMISSION_UNMADE), path, error_reason(errno));
        return NULL;
    }
}

// Unpacks an archive into a new folder, and turns problems into notes. NULL and err if the machine fails.
static const char *unpack_one(SubmissionList *list, Submission *submission, const char *archive,
                              const char *folder, Error *err)
{
    NearNotes notes = {list, &submission->notes, true, err};
    Error why;
    bool unpacked = folder && unpack(archive, folder, false, note_left_out, &notes, &why);
    if (!folder || !notes.is_whole)
        return NULL;
    if (unpacked)
        return folder;
    if (why.of_machine) {
        error_machine(err, "%s: %s", submission->name, why.text);
        return NULL;
    }
    bool is_named = submission_note(list, &submission->notes, SAY_PACKED_BROKEN, why.text, err);
    return is_named ? folder : NULL;
}

// Unpacks the archive of a whole class; returns its folder, or NULL and err.
static const char *submissions_unpack(SubmissionList *list, const char *archive, Error *err)
{
    NearNotes notes = {list, &list->notes, true, err};
    const char *folder = submission_room(list, err);
    bool unpacked = folder && unpack(archive, folder, true, note_left_out, &notes, err);
    return unpacked && notes.is_whole ? folder : NULL;
}

// --- single files

// The exercise in a platform's file name: "kim_12_scale-1.c" is scale. `before` is the length of "kim_12". -1: none.
static int submission_exercise(const ExerciseList *exercises, const char *file, size_t *before)
{
    size_t end = strlen(file), longest = 0;
    int best = -1;
    end -= end > 2 && text_ends(file, ".c")
               ? 2
               : end; // "scale-1", "scale (2)": suffixes of platforms and browsers
    while (end > 0 && strchr("0123456789-() ", file[end - 1]))
        end--;
    for (int i = 0; i < exercises->count; i++) {
        size_t own = strlen(exercises->exercises[i].name);
        bool fits = end > own + 1 && own > longest && strchr("_- ", file[end - own - 1]) &&
                    exercise_name_begins(file + end - own, exercises->exercises[i].name);
        if (!fits)
            continue;
        longest = own;
        best = i;
        *before = end - own - 1;
    }
    if (best >= 0)
        return best;
    best = exercise_name_within(exercises, file, before);
    bool is_anybodys = *before < 2; // no person's name precedes it
    *before -= is_anybodys ? 0 : 1;
    return is_anybodys ? -1 : best;
}

// The submission of a person's single files. NULL and err on failure.
static Submission *loose_of(SubmissionList *list, const char *person, Error *err)
{
    for (int i = 0; i < list->count; i++)
        if (list->all[i].is_lost && strcmp(list->all[i].person, person) == 0)
            return &list->all[i];
    Submission *submission = &list->all[list->count];
    *submission = (Submission){.name = person,
                               .person = person,
                               .is_looked_at = true,
                               .path = submission_room(list, err),
                               .refusal = SAY_COUNT,
                               .holds_nothing = true,
                               .is_lost = true}; // for now: it collects files
    if (!submission->path)
        return NULL;
    list->count++;
    return submission;
}

// Copies a file under the exercise's name, replacing an earlier one. `whose` precedes that name.
static bool take_loose(SubmissionList *list, const char *path, const char *whose, int exercise,
                       long long when, Error *err)
{
    const char *own = list->exercises->exercises[exercise].name;
    const char *person = person_of(list, shown(list, whose, err), err);
    Submission *submission = person ? loose_of(list, person, err) : NULL;
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    const char *to =
        submission ? arena_format(&arena, err, "%s/%s.c", submission->path, own) : NULL;
    Error unread;
    bool good = to != NULL;
    if (good && when < submission->when && access(to, F_OK) == 0) {
        arena_finish(&arena);
        return true;
    }
    if (good && !input_file_all(path, UNPACK_FILE_BYTES_MAX, &arena, &bytes, &length, &unread)) {
        ExerciseWord why = access(path, R_OK) == 0 ? SAY_FILE_LARGE : SAY_FILE_CLOSED;
        good = unread.of_machine ? error_machine(err, "%s", unread.text)
                                 : submission_note_of(list, &submission->notes, why,
                                                      strrchr(path, '/') + 1, exercise, err);
    } else if (good) {
        FILE *file = fopen(to, "w");
        good = file && fwrite(bytes, 1, length, file) == length;
        if ((file && fclose(file) != 0) || !good)
            good = error_unwritten(err, errno, to);
        submission->when = when > submission->when ? when : submission->when;
        submission->holds_nothing = false;
    }
    arena_finish(&arena);
    return good;
}

// An unusable file with a person's name gets a row unless that person submitted something else, so that nobody is missing
// from the table of grades.
static bool take_odd(SubmissionList *list, const char *name, Error *err)
{
    bool is_archive = unpack_is_unread(name);
    ExerciseWord why = is_archive ? SAY_PACKED_UNREAD : SAY_HANDED_ODD;
    const char *own = without_ending(list, name, err), *whole = own ? shown(list, own, err) : NULL;
    const char *person = whole ? person_of(list, whole, err) : NULL;
    if (!person)
        return false;
    if (person == whole && !is_archive)
        return submission_note(list, &list->notes, why, name, err);
    Submission *submission = loose_of(list, person, err);
    return submission && submission_note(list, &submission->notes, why, name, err);
}

// --- the folder

static bool take_one(SubmissionList *list, const char *path, const char *name, bool is_packed,
                     long long when, Error *err)
{
    Submission *submission = &list->all[list->count++];
    const char *own = is_packed ? without_ending(list, name, err) : name;
    *submission = (Submission){
        .source = path, .path = path, .is_packed = is_packed, .when = when, .refusal = SAY_COUNT};
    submission->name = own ? shown(list, own, err) : NULL;
    submission->person = submission->name ? person_of(list, submission->name, err) : NULL;
    return submission->person;
}

static bool take(SubmissionList *list, const char *path, const char *name, Error *err)
{
    struct stat what, own;
    size_t before = 0;
    if (name[0] == '.' || strcmp(name, "__MACOSX") == 0 || strcmp(name, "course.yaml") == 0)
        return true;
    bool is_link = lstat(path, &own) == 0 && S_ISLNK(own.st_mode);
    bool is_there = stat(path, &what) == 0;
    if (is_there && S_ISDIR(what.st_mode))
        return take_one(list, path, name, false, (long long)what.st_mtime, err);
    bool is_file = is_there && !is_link && S_ISREG(what.st_mode);
    if (is_file && unpack_is_archive(name))
        return take_one(list, path, name, true, (long long)what.st_mtime, err);
    // `init` puts README.md next to a workspace's mark: then the folder is one workspace, not a class.
    const char *mark =
        arena_format(&list->arena, err, "%.*s.attnscope", (int)(strlen(path) - strlen(name)), path);
    if (is_file && mark && strcmp(name, "README.md") == 0 && access(mark, F_OK) == 0)
        return true;
    int exercise = is_file ? submission_exercise(list->exercises, name, &before) : -1;
    const char *whose = arena_format(&list->arena, err, "%.*s", (int)before, name);
    if (whose && exercise >= 0)
        return take_loose(list, path, whose, exercise, (long long)what.st_mtime, err);
    return take_odd(list, name, err);
}

static int by_name(const void *one, const void *other)
{
    return strcmp(((const Submission *)one)->name, ((const Submission *)other)->name);
}

static bool is_same_person(const Submission *one, const Submission *other)
{
    return strcmp(one->person, other->person) == 0;
}

// Of several versions the newest counts.
static void mark_others(SubmissionList *list)
{
    for (int i = 0; i < list->count; i++) {
        Submission *one = &list->all[i];
        one->is_lost = one->is_other = false;
        for (int j = 0; j < list->count; j++) {
            const Submission *other = &list->all[j];
            bool is_newer = other->when > one->when || (other->when == one->when && j > i);
            one->is_other = one->is_other || (j != i && is_newer && is_same_person(one, other));
        }
    }
}

bool submissions_note_others(SubmissionList *list, Error *err)
{
    bool good = true;
    for (int i = 0; i < list->count; i++)
        for (int j = 0; j < list->count && good && !list->all[i].is_other; j++)
            if (list->all[j].is_other && is_same_person(&list->all[i], &list->all[j]))
                good = submission_note(list, &list->all[i].notes, SAY_HANDED_OTHER,
                                       list->all[j].name, err);
    return good;
}

static bool read_folder(SubmissionList *list, const char *folder, Error *err)
{
    struct dirent **entries;
    int all = scandir(folder, &entries, NULL, alphasort);
    if (all < 0)
        return error_set(err, "%s: %s", folder, error_reason(errno));
    list->all = arena_take(&list->arena, (size_t)all + 1, sizeof *list->all, err);
    bool good = list->all != NULL;
    for (int i = 0; i < all; i++) {
        const char *name = entries[i]->d_name;
        const char *path = good ? arena_format(&list->arena, err, "%s/%s", folder, name) : NULL;
        good = path && take(list, path, name, err);
        free(entries[i]);
    }
    free(entries);
    return good;
}

bool submissions_open(SubmissionList *list, const char *folder, const ExerciseList *exercises,
                      Error *err)
{
    struct stat what;
    *list = (SubmissionList){.exercises = exercises};
    char *whole = realpath(folder, NULL);
    const char *root = whole ? arena_text(&list->arena, whole, err) : NULL;
    if (!whole)
        error_set(err, "%s: %s", folder, error_reason(errno));
    free(whole);
    if (root && unpack_is_archive(root) && stat(root, &what) == 0 && S_ISREG(what.st_mode)) {
        root = submissions_unpack(list, root, err);
        if (!root)
            error_prefix(err, "%s: ", folder);
    }
    bool good = root && read_folder(list, root, err);
    if (good && list->count == 0)
        good = error_set(err, TELL(SUBMISSION_NONE), folder);
    if (good) {
        qsort(list->all, (size_t)list->count, sizeof *list->all, by_name);
        mark_others(list);
    }
    if (!good)
        submissions_close(list);
    return good;
}

void submissions_close(SubmissionList *list)
{
    temporary_drop(&list->unpacked);
    arena_finish(&list->arena);
    list->count = 0;
}

// --- a search

// A folder called `exercises` belongs to its parent.
static const char *workspace_of(Search *search, const char *folder, Error *err)
{
    int above = (int)strlen(folder) - (int)strlen("/exercises");
    return above > 0 && text_ends(folder, "/exercises")
               ? arena_format(search->arena, err, "%.*s", above, folder)
               : folder;
}

static bool look_into(Search *search, const char *folder, int depth, Error *err);

static bool is_source_name(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && strcasecmp(name + length - 2, ".c") == 0;
}

static int is_source(const struct dirent *entry)
{
    return is_source_name(entry->d_name);
}

// Hidden folders, where editors keep files, are skipped; a note tells who put an exercise there.
static bool note_hidden(Search *search, const char *path, const char *name, Error *err)
{
    struct dirent **sources = NULL;
    int count = scandir(path, &sources, is_source, NULL);
    for (int i = 0; i < count; i++)
        free(sources[i]);
    free(sources);
    if (count > 0 && !search->hidden)
        search->hidden = arena_text(search->arena, name, err);
    return count <= 0 || search->hidden;
}

// True if a file with another name defines an exercise; without `by_text`, if its folder is named like it.
static bool shows_exercise(Search *search, const char *path, const char *name)
{
    char folder[4096];
    bool defined[EXERCISES_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen(name)), path);
    search->texts += search->by_text;
    if (search->by_text)
        return workspace_file_defines(path, search->exercises, defined);
    return workspace_folder_exercise(search->exercises, folder, path) >= 0 && ++search->texts;
}

// Examines a directory entry; a file named like an exercise counts, whatever it is.
static bool look_at(Search *search, const char *path, const char *name, int depth, int *files,
                    Error *err)
{
    struct stat what;
    bool is_here_or_above = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    if (is_here_or_above || strcmp(name, "__MACOSX") == 0 || lstat(path, &what) != 0)
        return true;
    if (name[0] == '.')
        return note_hidden(search, path, name, err);
    bool is_named = exercise_name_find(search->exercises, name) >= 0 ||
                    (S_ISREG(what.st_mode) && is_source_name(name) &&
                     search->texts < WORKSPACE_TEXTS_MAX && shows_exercise(search, path, name));
    int before = search->count + search->beyond;
    if (S_ISDIR(what.st_mode) && !look_into(search, path, depth + 1, err))
        return false;
    bool is_inside =
        search->count + search->beyond > before; // an unpacked "scale.c.zip": scale.c/scale.c
    if (is_named && !is_inside)
        ++*files;
    else if (S_ISREG(what.st_mode) && unpack_is_archive(name) && search->archive_count < PLACES_MAX)
        search->archives[search->archive_count++] = path;
    return true;
}

static bool look_into(Search *search, const char *folder, int depth, Error *err)
{
    struct dirent **entries = NULL;
    int files = 0, all = depth > DEPTH_MAX ? 0 : scandir(folder, &entries, NULL, alphasort);
    bool good = true;
    if (all < 0) { // unreadable folders count as empty
        error_number(err, errno, "%s: %s", folder, error_reason(errno));
        return !err->of_machine;
    }
    for (int i = 0; i < all; i++) {
        bool takes = good && ++search->entries <= ENTRIES_MAX;
        const char *path =
            takes ? arena_format(search->arena, err, "%s/%s", folder, entries[i]->d_name) : NULL;
        if (takes)
            good = path && look_at(search, path, entries[i]->d_name, depth, &files, err);
        free(entries[i]);
    }
    free(entries);
    if (good && files > 0 && search->count == PLACES_MAX) {
        search->beyond++;
    } else if (good && files > 0) {
        const char *workspace = workspace_of(search, folder, err);
        search->places[search->count++] =
            (FoundPlace){arena_text(search->arena, folder, err), workspace, files};
        good = workspace && search->places[search->count - 1].folder;
    }
    return good;
}

// --- the whole

static bool is_link(const char *path)
{
    struct stat what;
    return lstat(path, &what) == 0 && S_ISLNK(what.st_mode);
}

// A link may lead to another submission, or to our own files.
static ExerciseWord refusal_of(const char *path, const char *exercises)
{
    if (is_link(path))
        return SAY_HANDED_LINK;
    if (access(path, R_OK | X_OK) != 0)
        return SAY_HANDED_CLOSED;
    if (is_link(exercises))
        return SAY_HANDED_EXERCISES_LINK;
    struct stat what;
    bool is_closed = lstat(exercises, &what) == 0 && S_ISDIR(what.st_mode) &&
                     access(exercises, R_OK | X_OK) != 0;
    return is_closed ? SAY_HANDED_CLOSED : SAY_COUNT;
}

// The place with the most exercises.
static const FoundPlace *best_of(const Search *search, const char *folder)
{
    const FoundPlace *best = NULL;
    for (int i = 0; i < search->count; i++) {
        const FoundPlace *place = &search->places[i];
        bool is_top = strcmp(place->path, folder) == 0;
        if (!best || is_top || (place->files > best->files && strcmp(best->path, folder) != 0))
            best = place;
    }
    return best;
}

// True if the place is the main one: it has all exercises, or more than any other.
static bool is_main(const Search *search, const FoundPlace *best, const char *folder)
{
    bool is_most = true;
    for (int i = 0; i < search->count; i++)
        is_most = is_most && (&search->places[i] == best || search->places[i].files < best->files);
    return is_most || strcmp(best->path, folder) == 0;
}

// "09-scale/" of a place below the folder; "" for the folder itself.
static const char *name_below(Search *search, const FoundPlace *place, const char *folder,
                              Error *err)
{
    size_t length = strlen(folder);
    bool is_below = strncmp(place->folder, folder, length) == 0 && place->folder[length] == '/';
    return is_below ? arena_format(search->arena, err, "%s/", place->folder + length + 1) : "";
}

// The folders of all places, the main one first.
static bool name_folders(Submission *submission, Search *search, const char *folder, Error *err)
{
    const FoundPlace *best = best_of(search, folder);
    const char **names = arena_take(search->arena, (size_t)search->count + 1, sizeof *names, err);
    int count = 1;
    bool good = names && (names[0] = name_below(search, best, folder, err)) != NULL;
    for (int i = 0; good && i < search->count; i++)
        if (&search->places[i] != best)
            good = (names[count++] = name_below(search, &search->places[i], folder, err)) != NULL;
    submission->path = folder;
    submission->folders = (WorkspaceFolders){names, is_main(search, best, folder)};
    return good;
}

// Names the first folders from which nothing was used, and counts the others.
static bool note_others(SubmissionList *list, Submission *submission, const Search *search,
                        Error *err)
{
    Workspace workspace;
    int others = 0;
    bool good = workspace_open_submission(&workspace, submission->path, &submission->folders,
                                          list->exercises, err);
    for (int i = 1; good && submission->folders.names[i]; i++) {
        const char *name = submission->folders.names[i];
        if (workspace_takes_from(&workspace, name) || ++others > OTHERS_NAMED)
            continue;
        const char *shown =
            *name ? arena_format(&list->arena, err, "%.*s", (int)strlen(name) - 1, name) : ".";
        good = shown && submission_note(list, &submission->notes, SAY_HANDED_ALSO, shown, err);
    }
    if (good || workspace.folder)
        workspace_close(&workspace);
    char more[16];
    snprintf(more, sizeof more, "%d", others + search->beyond - OTHERS_NAMED);
    return good && (others + search->beyond <= OTHERS_NAMED ||
                    submission_note(list, &submission->notes, SAY_HANDED_ALSO_MORE, more, err));
}

// Unpacks archives that lie next to each other, each into a folder of its name; `folder` becomes their parent.
static bool look_into_archives(SubmissionList *list, Submission *submission, Search *search,
                               const char **folder, Error *err)
{
    if (search->archive_count > 0 && !(*folder = submission_room(list, err)))
        return false;
    for (int i = 0; i < search->archive_count; i++) {
        const char *slash = strrchr(search->archives[i], '/');
        const char *room = arena_format(&list->arena, err, "%s%s", *folder, slash);
        if (!room)
            return false;
        if (mkdir(room, 0700) != 0 && errno == EEXIST)
            room = submission_room(list, err);
        if (!room || !unpack_one(list, submission, search->archives[i], room, err) ||
            !look_into(search, room, 0, err))
            return false;
    }
    return true;
}

// True if an exercise's file could not be used, or nobody knows what it was.
static bool has_left_out(const Submission *submission, bool counts_unknown)
{
    for (const SubmissionNote *note = submission->notes; note; note = note->next)
        if (note->exercise >= 0 || (counts_unknown && note->word == SAY_PACKED_BROKEN))
            return true;
    return false;
}

// True if a note says why an exercise's file may have been missed.
static bool explains(ExerciseWord word)
{
    static const ExerciseWord words[] = {
        SAY_PACKED_OUTSIDE, SAY_PACKED_ODD,      SAY_PACKED_LINK,    SAY_PACKED_LOCKED,
        SAY_PACKED_NESTED,  SAY_PACKED_NAMELESS, SAY_PACKED_UNREAD,  SAY_HANDED_HIDDEN,
        SAY_GRADE_NEAR,     SAY_PACKED_BROKEN,   SAY_PACKED_DAMAGED, SAY_HANDED_ODD,
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] == word)
            return true;
    return false;
}

const SubmissionNote *submission_why_missing(const Submission *submission)
{
    const SubmissionNote *why = NULL;
    for (const SubmissionNote *note = submission->notes; note; note = note->next)
        if (note->word == SAY_PACKED_BROKEN)
            return note;
        else if (submission->holds_nothing &&
                 (!why || (explains(note->word) && !explains(why->word))))
            why = note;
    return why;
}

static bool look(SubmissionList *list, Submission *submission, const char *folder, Error *err)
{
    Search *search = arena_take(&list->arena, 1, sizeof *search, err);
    const char *exercises = arena_format(&list->arena, err, "%s/exercises", folder);
    if (!search || !exercises)
        return false;
    submission->path = folder;
    submission->refusal = refusal_of(folder, exercises);
    if (submission->refusal != SAY_COUNT)
        return true;
    search->arena = &list->arena;
    search->exercises = list->exercises;
    bool good = look_into(search, folder, 0, err);
    if (good && search->count == 0) {
        *search = (Search){.arena = &list->arena, .exercises = list->exercises, .by_text = true};
        good = look_into(search, folder, 0, err);
    }
    if (good && search->count == 0)
        good = look_into_archives(list, submission, search, &folder, err);
    if (good && search->hidden)
        good = submission_note(list, &submission->notes, SAY_HANDED_HIDDEN, search->hidden, err);
    submission->holds_nothing = search->count == 0 && !has_left_out(submission, false);
    if (good && search->count == 0)
        return has_left_out(submission, true) ||
               submission_note(list, &submission->notes, SAY_HANDED_NOTHING,
                               list->exercises->exercises[list->example].name, err);
    if (good && search->count > 1)
        return name_folders(submission, search, folder, err) &&
               note_others(list, submission, search, err);
    if (good)
        submission->path = search->places[0].path;
    return good;
}

bool submission_look(SubmissionList *list, Submission *submission, Error *err)
{
    if (submission->is_looked_at)
        return true;
    submission->notes = NULL;
    const char *folder = submission->is_packed ? unpack_one(list, submission, submission->source,
                                                            submission_room(list, err), err)
                                               : submission->source;
    submission->is_looked_at = folder && look(list, submission, folder, err);
    return submission->is_looked_at;
}

// submission_look: where in what somebody handed in the exercises lie; see class.h.
#include "class.h"

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
#include "shown_name.h"
#include "unpack.h"
#include "utf8.h"
#include "workspace.h"

enum { DEPTH_MAX = 16, ENTRIES_MAX = 5000, PLACES_MAX = 64, OTHERS_NAMED = 3 };
enum { WHAT_COLUMNS = 240, WHAT_BYTES = 1000 }; // of what a note names

// A folder in which files are named as exercises are.
typedef struct FoundPlace {
    const char *folder; // itself
    const char *path;   // what a workspace's folder would be
    int files;
} FoundPlace;

typedef struct Search {
    Arena *arena;
    const ExerciseList *exercises;
    FoundPlace places[PLACES_MAX];
    const char *archives[PLACES_MAX];
    int count, archive_count, entries;
    int texts;          // that were looked into
    bool by_text;       // no name tells of an exercise: what a file defines does
    int beyond;         // folders for which there was no place
    const char *hidden; // the first folder with C in it that begins with a dot; NULL: none
} Search;

bool submission_note(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                     const char *what, Error *err)
{
    return submission_note_of(list, notes, word, what, -1, err);
}

bool submission_note_of(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                        const char *what, int exercise, Error *err)
{
    Arena arena = {0};
    SubmissionNote *note = arena_take(&list->arena, 1, sizeof *note, err);
    size_t room = SHOWN_NAME_GROWTH * strlen(what) + 1;
    char *shown = arena_take(&arena, room, 1, err), *shorter = arena_take(&arena, room + 4, 1, err);
    if (note && shown && shorter) {
        char told[WHAT_BYTES]; // accents take no column
        utf8_shorten(shown_name(what, shown), WHAT_COLUMNS, shorter);
        utf8_cut(shorter, WHAT_COLUMNS, told, sizeof told);
        *note = (SubmissionNote){
            .word = word, .what = arena_text(&list->arena, told, err), .exercise = exercise};
    }
    arena_finish(&arena);
    if (!note || !note->what)
        return false;
    while (*notes)
        notes = &(*notes)->next;
    *notes = note;
    return true;
}

// --- archives

typedef struct Telling {
    SubmissionList *list;
    SubmissionNote **notes;
    bool is_whole; // all of it could be noted
    Error *err;
} Telling;

// "scale.c.txt" stays in the archive, and its owner is to know.
static bool note_near(const Telling *telling, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    int near = exercise_name_near(telling->list->exercises, file);
    if (near < 0)
        return true;
    const char *what = arena_format(&telling->list->arena, telling->err, "%s -> %s.c", file,
                                    telling->list->exercises->exercises[near].name);
    return what && submission_note(telling->list, telling->notes, EXERCISE_SAYS_GRADE_NEAR, what,
                                   telling->err);
}

// The exercise whose file stays in the archive, as what it is keeps it from being one; -1: none does.
static int left_out(const Telling *telling, UnpackWhy why, const char *path)
{
    const char *slash = strrchr(path, '/');
    bool is_of_file =
        why == UNPACK_LINK || why == UNPACK_LARGE || why == UNPACK_LOCKED || why == UNPACK_DAMAGED;
    return is_of_file ? exercise_name_find(telling->list->exercises, slash ? slash + 1 : path) : -1;
}

static void tell_left_out(void *context, UnpackWhy why, const char *name)
{
    static const ExerciseWord words[] = {
        [UNPACK_OUTSIDE] = EXERCISE_SAYS_PACKED_OUTSIDE,
        [UNPACK_ODD] = EXERCISE_SAYS_PACKED_ODD,
        [UNPACK_LINK] = EXERCISE_SAYS_PACKED_LINK,
        [UNPACK_LARGE] = EXERCISE_SAYS_FILE_LARGE,
        [UNPACK_LOCKED] = EXERCISE_SAYS_PACKED_LOCKED,
        [UNPACK_TWICE] = EXERCISE_SAYS_PACKED_TWICE,
        [UNPACK_DAMAGED] = EXERCISE_SAYS_PACKED_DAMAGED,
        [UNPACK_NESTED] = EXERCISE_SAYS_PACKED_NESTED,
        [UNPACK_NAMELESS] = EXERCISE_SAYS_PACKED_NAMELESS,
        [UNPACK_OTHER] = EXERCISE_SAYS_COUNT,
    };
    Telling *telling = context;
    int exercise = left_out(telling, why, name);
    bool is_of_none = why == UNPACK_LARGE && exercise < 0;
    ExerciseWord word = is_of_none ? EXERCISE_SAYS_PACKED_LARGE : words[why];
    if (why == UNPACK_OTHER && telling->is_whole)
        telling->is_whole = note_near(telling, name);
    if (word != EXERCISE_SAYS_COUNT && telling->is_whole)
        telling->is_whole =
            submission_note_of(telling->list, telling->notes, word, name, exercise, telling->err);
}

const char *submission_room(SubmissionList *list, Error *err)
{
    bool has_place = list->unpacked.path ||
                     (!list->is_beside && temporary_folder(&list->unpacked, temporary_place()));
    if (!has_place) {
        error_number(err, errno, TELL(SUBMISSION_NO_FOLDER), temporary_place(),
                     error_reason(errno));
        return NULL;
    }
    for (;;) { // a number may be taken by a process beside
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

// Unpacks an archive into a folder, which is given back; what is wrong with it becomes notes. NULL with a sentence
// when this machine cannot.
static const char *unpack_one(SubmissionList *list, Submission *submission, const char *archive,
                              const char *folder, Error *err)
{
    Telling telling = {list, &submission->notes, true, err};
    Error why;
    bool unpacked = folder && unpack(archive, folder, false, tell_left_out, &telling, &why);
    if (!folder || !telling.is_whole)
        return NULL;
    if (unpacked)
        return folder;
    if (why.of_machine) {
        error_machine(err, "%s: %s", submission->name, why.text);
        return NULL;
    }
    bool told =
        submission_note(list, &submission->notes, EXERCISE_SAYS_PACKED_BROKEN, why.text, err);
    return told ? folder : NULL;
}

const char *submissions_unpack(SubmissionList *list, const char *archive, Error *err)
{
    Telling telling = {list, &list->notes, true, err};
    const char *folder = submission_room(list, err);
    bool unpacked = folder && unpack(archive, folder, true, tell_left_out, &telling, err);
    return unpacked && telling.is_whole ? folder : NULL;
}

// --- a search

int submission_exercise(const ExerciseList *exercises, const char *file, size_t *before)
{
    size_t end = strlen(file), longest = 0;
    int best = -1;
    bool is_plain = end > 2 && strcmp(file + end - 2, ".c") == 0;
    end -= is_plain ? 2 : end; // "scale-1", "scale (2)": what platforms and browsers add
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
    bool is_anybodys = *before < 2; // no name of a person stands before it
    *before -= is_anybodys ? 0 : 1;
    return is_anybodys ? -1 : best;
}

// A folder called `exercises` belongs to the one that it lies in.
static const char *workspace_of(Search *search, const char *folder, Error *err)
{
    size_t length = strlen(folder), less = strlen("/exercises");
    bool is_part = length > less && strcmp(folder + length - less, "/exercises") == 0;
    return is_part ? arena_format(search->arena, err, "%.*s", (int)(length - less), folder)
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

// Nobody looks into folders that begin with a dot, where editors keep theirs. Who has put an exercise there
// is to know.
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

static bool defines_any(Search *search, const char *path)
{
    bool defined[EXERCISES_MAX];
    return search->texts++ < WORKSPACE_TEXTS_MAX &&
           workspace_file_defines(path, search->exercises, defined);
}

// Whether a file of another name lies in a folder that is named as the exercise which it defines.
static bool is_in_named(Search *search, const char *path, const char *name)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen(name)), path);
    return search->texts < WORKSPACE_TEXTS_MAX &&
           workspace_folder_exercise(search->exercises, folder, path) >= 0 && ++search->texts;
}

// One entry of a folder; a file that is named as an exercise counts, whatever it is.
static bool look_at(Search *search, const char *path, const char *name, int depth, int *files,
                    Error *err)
{
    struct stat what;
    bool is_here_or_above = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    if (is_here_or_above || strcmp(name, "__MACOSX") == 0 || lstat(path, &what) != 0)
        return true;
    if (name[0] == '.')
        return note_hidden(search, path, name, err);
    bool is_named =
        exercise_name_find(search->exercises, name) >= 0 ||
        (S_ISREG(what.st_mode) && is_source_name(name) &&
         (search->by_text ? defines_any(search, path) : is_in_named(search, path, name)));
    int before = search->count + search->beyond;
    if (S_ISDIR(what.st_mode) && !look_into(search, path, depth + 1, err))
        return false;
    bool is_inside =
        search->count + search->beyond > before; // "scale.c.zip" unpacked: scale.c/scale.c
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
    if (all < 0) { // one that is closed is as if it were empty
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

static bool is_closed_folder(const char *path)
{
    struct stat what;
    return lstat(path, &what) == 0 && S_ISDIR(what.st_mode) && access(path, R_OK | X_OK) != 0;
}

// A link may lead to a neighbour's files, or to ours.
static ExerciseWord refusal_of(const char *path, const char *exercises)
{
    if (is_link(path))
        return EXERCISE_SAYS_HANDED_LINK;
    if (access(path, R_OK | X_OK) != 0)
        return EXERCISE_SAYS_HANDED_CLOSED;
    if (is_link(exercises))
        return EXERCISE_SAYS_HANDED_EXERCISES_LINK;
    return is_closed_folder(exercises) ? EXERCISE_SAYS_HANDED_CLOSED : EXERCISE_SAYS_COUNT;
}

// The one that holds most.
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

// Whether it is what the submission is about: all of it, or more than any other folder holds.
static bool is_main(const Search *search, const FoundPlace *best, const char *folder)
{
    bool is_most = true;
    for (int i = 0; i < search->count; i++)
        is_most = is_most && (&search->places[i] == best || search->places[i].files < best->files);
    return is_most || strcmp(best->path, folder) == 0;
}

// "09-scale/" of a place below the folder; "" where it is that folder.
static const char *name_below(Search *search, const FoundPlace *place, const char *folder,
                              Error *err)
{
    size_t length = strlen(folder);
    bool is_below = strncmp(place->folder, folder, length) == 0 && place->folder[length] == '/';
    return is_below ? arena_format(search->arena, err, "%s/", place->folder + length + 1) : "";
}

// The folders of all places, the best one first.
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

// The first folders by name from which nothing was taken, and how many more there are.
static bool tell_others(SubmissionList *list, Submission *submission, const Search *search,
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
        good = shown &&
               submission_note(list, &submission->notes, EXERCISE_SAYS_HANDED_ALSO, shown, err);
    }
    if (good || workspace.folder)
        workspace_close(&workspace);
    char more[16];
    snprintf(more, sizeof more, "%d", others + search->beyond - OTHERS_NAMED);
    return good &&
           (others + search->beyond <= OTHERS_NAMED ||
            submission_note(list, &submission->notes, EXERCISE_SAYS_HANDED_ALSO_MORE, more, err));
}

static bool take_places(SubmissionList *list, Submission *submission, Search *search,
                        const char *folder, Error *err)
{
    if (search->count > 1)
        return name_folders(submission, search, folder, err) &&
               tell_others(list, submission, search, err);
    submission->path = search->places[0].path;
    return true;
}

// Archives that were handed in beside each other, each unpacked into a folder of its name. `folder` is then
// the one in which these lie.
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

// Whether something that is an exercise's was handed in and could not be taken, or nobody knows what was.
static bool has_left_out(const Submission *submission, bool counts_unknown)
{
    for (const SubmissionNote *note = submission->notes; note; note = note->next)
        if (note->exercise >= 0 || (counts_unknown && note->word == EXERCISE_SAYS_PACKED_BROKEN))
            return true;
    return false;
}

// Whether a note says why a file of an exercise may have stayed where nobody found it.
static bool explains(ExerciseWord word)
{
    static const ExerciseWord words[] = {
        EXERCISE_SAYS_PACKED_OUTSIDE, EXERCISE_SAYS_PACKED_ODD,     EXERCISE_SAYS_PACKED_LINK,
        EXERCISE_SAYS_PACKED_LOCKED,  EXERCISE_SAYS_PACKED_NESTED,  EXERCISE_SAYS_PACKED_NAMELESS,
        EXERCISE_SAYS_PACKED_UNREAD,  EXERCISE_SAYS_HANDED_HIDDEN,  EXERCISE_SAYS_GRADE_NEAR,
        EXERCISE_SAYS_PACKED_BROKEN,  EXERCISE_SAYS_PACKED_DAMAGED, EXERCISE_SAYS_HANDED_ODD,
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
        if (note->word == EXERCISE_SAYS_PACKED_BROKEN)
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
    if (submission->refusal != EXERCISE_SAYS_COUNT)
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
        good = submission_note(list, &submission->notes, EXERCISE_SAYS_HANDED_HIDDEN,
                               search->hidden, err);
    submission->holds_nothing = search->count == 0 && !has_left_out(submission, false);
    if (good && search->count == 0)
        return has_left_out(submission, true) ||
               submission_note(list, &submission->notes, EXERCISE_SAYS_HANDED_NOTHING,
                               list->exercises->exercises[list->example].name, err);
    return good && take_places(list, submission, search, folder, err);
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

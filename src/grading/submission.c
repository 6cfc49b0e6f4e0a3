// What a class has handed in; see class.h.
#include "class.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "class_words.def"
#include "input_file.h"
#include "shown_name.h"
#include "unpack.h"

// --- handed over by a process beside
//
// what a process beside has found in a submission, handed over in a file.
//
// Parts that end with a NUL: the path, the refusal, whether it holds nothing, how many folders there are, their
// names and whether the first is the main one, and for each note its word, its exercise and its text.
// They are of the same program a moment ago, in a folder that nobody else reads or writes.

enum { HAND_PATH_MAX = 4096 };

// False where there is no such folder.
static bool place_of(const SubmissionList *list, const Submission *submission,
                     char place[HAND_PATH_MAX])
{
    return list->unpacked.path && snprintf(place, HAND_PATH_MAX, "%s/found-%d", list->unpacked.path,
                                           (int)(submission - list->all)) < HAND_PATH_MAX;
}

void submissions_hand_begin(SubmissionList *list)
{
    // Where it cannot be made, each is looked at here, and whoever needs it says why.
    if (!list->unpacked.path && !temporary_folder(&list->unpacked, temporary_place()))
        list->unpacked.path = NULL;
}

void submission_hand(const SubmissionList *list, const Submission *submission)
{
    char place[HAND_PATH_MAX];
    FILE *file = place_of(list, submission, place) ? fopen(place, "wx") : NULL;
    if (!file)
        return;
    const WorkspaceFolders *folders = &submission->folders;
    int count = 0;
    while (folders->names && folders->names[count])
        count++;
    fprintf(file, "%s%c%d%c%d%c%d%c", submission->path, 0, (int)submission->refusal, 0,
            submission->holds_nothing, 0, count, 0);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%c", folders->names[i], 0);
    fprintf(file, "%d%c", folders->is_main, 0);
    for (const SubmissionNote *note = submission->notes; note; note = note->next)
        fprintf(file, "%d%c%d%c%s%c", (int)note->word, 0, note->exercise, 0, note->what, 0);
    bool is_whole = fputs("end", file) >= 0 && fputc(0, file) != EOF;
    if (fclose(file) != 0 || !is_whole)
        unlink(place);
}

// The next part; NULL where there is none, or no memory for it.
static const char *next(FILE *file, Arena *arena)
{
    Error err;
    char *part = NULL;
    size_t room = 0;
    const char *text = getdelim(&part, &room, 0, file) > 0 ? arena_text(arena, part, &err) : NULL;
    free(part);
    return text;
}

// False where it is not whole.
static bool take_notes(FILE *file, Arena *arena, SubmissionNote **notes)
{
    Error err;
    const char *word = next(file, arena);
    for (; word && strcmp(word, "end") != 0; word = next(file, arena)) {
        const char *exercise = next(file, arena), *what = next(file, arena);
        SubmissionNote *note = what ? arena_take(arena, 1, sizeof *note, &err) : NULL;
        if (!note)
            return false;
        *note = (SubmissionNote){
            .word = (ExerciseWord)atoi(word), .what = what, .exercise = atoi(exercise)};
        *notes = note;
        notes = &note->next;
    }
    return word;
}

// False where they are not whole.
static bool take_folders(FILE *file, Arena *arena, WorkspaceFolders *folders)
{
    Error err;
    const char *text = next(file, arena);
    int count = text ? atoi(text) : 0;
    const char **names = arena_take(arena, (size_t)count + 1, sizeof *names, &err);
    bool good = text && names;
    for (int i = 0; good && i < count; i++)
        good = (names[i] = next(file, arena)) != NULL;
    text = good ? next(file, arena) : NULL;
    *folders = (WorkspaceFolders){count > 0 ? names : NULL, text && atoi(text) != 0};
    return text;
}

void submission_take(SubmissionList *list, Submission *submission)
{
    char place[HAND_PATH_MAX];
    FILE *file = place_of(list, submission, place) ? fopen(place, "r") : NULL;
    if (!file)
        return;
    SubmissionNote *notes = NULL;
    const char *path = next(file, &list->arena), *refusal = next(file, &list->arena);
    const char *nothing = next(file, &list->arena);
    WorkspaceFolders folders;
    if (path && refusal && nothing && take_folders(file, &list->arena, &folders) &&
        take_notes(file, &list->arena, &notes)) {
        submission->folders = folders;
        submission->path = path;
        submission->refusal = (ExerciseWord)atoi(refusal);
        submission->holds_nothing = atoi(nothing) != 0;
        submission->notes = notes;
        submission->is_looked_at = true;
    }
    fclose(file);
}

// --- names

static const char *shown(SubmissionList *list, const char *name, Error *err)
{
    char *room = arena_take(&list->arena, SHOWN_NAME_GROWTH * strlen(name) + 1, 1, err);
    return room ? shown_name(name, room) : NULL;
}

// Without ".tar.gz", or what stands behind its last dot.
static char *without_ending(SubmissionList *list, const char *name, Error *err)
{
    const char *dot = strrchr(name, '.');
    size_t ending = unpack_ending(name);
    size_t less = ending > 0 ? ending : dot && dot > name ? strlen(dot) : 0;
    return arena_format(&list->arena, err, "%.*s", (int)(strlen(name) - less), name);
}

// "kim_LATE_12345_678_attention-1" and "kim_12345_assignsubmission_file_" are from kim_12345: what
// learning platforms make of names. Any other name is the person's.
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

// --- single files

// The submission of single files of this person; NULL with a sentence.
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
                               .refusal = EXERCISE_SAYS_COUNT,
                               .holds_nothing = true,
                               .is_lost = true}; // for now: it takes single files
    if (!submission->path)
        return NULL;
    list->count++;
    return submission;
}

static ExerciseWord why_unread(const char *path)
{
    return access(path, R_OK) == 0 ? EXERCISE_SAYS_FILE_LARGE : EXERCISE_SAYS_FILE_CLOSED;
}

// A copy under the exercise's name; a later one of the same takes its place. `whose` stands before that name.
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
        good = unread.of_machine ? error_machine(err, "%s", unread.text)
                                 : submission_note_of(list, &submission->notes, why_unread(path),
                                                      strrchr(path, '/') + 1, exercise, err);
    } else if (good) {
        FILE *file = fopen(to, "w");
        good = file && fwrite(bytes, 1, length, file) == length;
        if ((file && fclose(file) != 0) || !good)
            good = error_number(err, errno, TELL(SUBMISSION_UNWRITTEN), to, error_reason(errno));
        submission->when = when > submission->when ? when : submission->when;
        submission->holds_nothing = false;
    }
    arena_finish(&arena);
    return good;
}

// What is nobody's work, from somebody whom its name tells, has a row of its own unless that person has handed
// in something else: whoever is missing in a table of grades is missed by nobody.
static bool take_odd(SubmissionList *list, const char *name, Error *err)
{
    bool is_archive = unpack_is_unread(name);
    ExerciseWord why = is_archive ? EXERCISE_SAYS_PACKED_UNREAD : EXERCISE_SAYS_HANDED_ODD;
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
    *submission = (Submission){.source = path,
                               .path = path,
                               .is_packed = is_packed,
                               .when = when,
                               .refusal = EXERCISE_SAYS_COUNT};
    submission->name = own ? shown(list, own, err) : NULL;
    submission->person = submission->name ? person_of(list, submission->name, err) : NULL;
    return submission->person;
}

// The file that `init` puts beside a workspace's mark: who has one workspace graded hands in nothing else.
static bool is_of_workspace(SubmissionList *list, const char *path, const char *name, Error *err)
{
    int folder = (int)(strlen(path) - strlen(name));
    const char *mark = arena_format(&list->arena, err, "%.*s.attnscope", folder, path);
    return mark && strcmp(name, "README.md") == 0 && access(mark, F_OK) == 0;
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
    if (is_file && is_of_workspace(list, path, name, err))
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

bool submissions_tell_others(SubmissionList *list, Error *err)
{
    bool good = true;
    for (int i = 0; i < list->count; i++)
        for (int j = 0; j < list->count && good && !list->all[i].is_other; j++)
            if (list->all[j].is_other && is_same_person(&list->all[i], &list->all[j]))
                good = submission_note(list, &list->all[i].notes, EXERCISE_SAYS_HANDED_OTHER,
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

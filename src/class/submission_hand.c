// submission_hand: what a process beside has found in a submission, handed over in a file; see submission.h.
//
// Parts that end with a NUL: the path, the refusal, whether it holds nothing, how many folders there are, their
// names and whether the first is the main one, and for each note its word, its exercise and its text.
// They are of the same program a moment ago, in a folder that nobody else reads or writes.
#include "submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

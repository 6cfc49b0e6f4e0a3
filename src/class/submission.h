// What a class has handed in, found in a folder: folders with workspaces at any depth, archives, and
// single files as learning platforms name them ("kim_12345_attention.zip", "kim_12345_678_scale.c").
// Everything is read as a stranger's: no link is followed, names are shown so that they steer nothing.
//
// What is in each is found later, by whoever judges it: submission_look, in a process beside the others'
// where there is one, as an archive may take its time.
//
// Life cycle: a zeroed SubmissionList; submissions_open; submission_look of each that counts;
// submissions_close, which takes away what was unpacked.
#ifndef SUBMISSION_H
#define SUBMISSION_H

#include <sys/types.h>
#include "exercise_list.h"
#include "exercise_words.h"
#include "temporary.h"
#include "workspace.h"

// What is told about a submission besides its results: a word with a %s for `what`.
typedef struct SubmissionNote {
    ExerciseWord word;
    const char *what; // as it can be shown
    int exercise;     // whose file was handed in and could not be taken; -1: of none
    bool is_result;   // told as that exercise's result
    struct SubmissionNote *next;
} SubmissionNote;

typedef struct Submission {
    const char *source; // the folder or archive that was handed in
    bool is_packed;     // an archive
    bool is_looked_at;  // path, refusal and notes are known
    const char *path;   // of the folder that its exercises lie in, or lie in `exercises` of, or
    WorkspaceFolders folders; // in these below it; no names: in one
    const char *name;         // as it can be shown
    const char *person;       // the same for all versions that one person handed in
    long long when;           // it was handed in, in seconds since 1970, as far as its file tells
    ExerciseWord refusal;     // why nothing in it is judged; EXERCISE_SAYS_COUNT: it is
    bool holds_nothing;       // no file in it is any exercise's
    bool is_other;            // another one of the same person counts: at first, the newest
    SubmissionNote *notes;
    pid_t process; // that judges it; 0: none
    bool is_lost;  // that process was ended before it was done
} Submission;

typedef struct SubmissionList {
    Submission *all; // sorted by name
    int count;
    SubmissionNote *notes; // about what belongs to no submission
    const ExerciseList *exercises;
    int example;        // the exercise that is named where none was found
    Temporary unpacked; // a folder
    int unpacked_count;
    bool is_beside; // this is the list of a process beside, whose folder is another's
    Arena arena;
} SubmissionList;

// Finds them in `folder`, which may be an archive too. False with a sentence where there is none.
bool submissions_open(SubmissionList *list, const char *folder, const ExerciseList *exercises,
                      Error *err);
void submissions_close(SubmissionList *list);

// Finds where in a submission the exercises lie, unpacks archives on the way, and fills path, refusal and
// notes; once. False with a sentence when this machine cannot.
bool submission_look(SubmissionList *list, Submission *submission, Error *err);

// From one process to another (submission.c): the first, before they are started; what a process
// beside has found, left in the folder of what is unpacked; and taken from there. Where nothing was left,
// submission_look finds it.
void submissions_hand_begin(SubmissionList *list);
void submission_hand(const SubmissionList *list, const Submission *submission);
void submission_take(SubmissionList *list, Submission *submission);

// Why nobody knows of an exercise that is not in it whether its owner has begun it: nothing was found at all,
// or its archive broke off. NULL: it is not begun.
const SubmissionNote *submission_why_missing(const Submission *submission);

// Notes with each that counts which others of the same person do not. False: no memory.
bool submissions_tell_others(SubmissionList *list, Error *err);

// --- parts (submission_look.c)

// A new empty folder among what is unpacked; NULL with a sentence.
const char *submission_room(SubmissionList *list, Error *err);

// The folder that an archive of a whole class was unpacked into; NULL with a sentence.
const char *submissions_unpack(SubmissionList *list, const char *archive, Error *err);

// Adds a note; `what` is shown_name's. The second is of an exercise's file that could not be taken.
bool submission_note(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                     const char *what, Error *err);
bool submission_note_of(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                        const char *what, int exercise, Error *err);

// The exercise that a platform's file is named after: "kim_12_scale-1.c" is for scale. `before` is how many
// bytes are the person's: "kim_12". -1: none.
int submission_exercise(const ExerciseList *exercises, const char *file, size_t *before);

#endif

// grading_notes: what a format says at the end, gathered before; see grading.h.
#include "grading.h"

void grading_notes_begin(Grading *grading)
{
    Error err;
    if (!written_begin(&grading->notes, &err))
        grading->is_whole = false;
}

void grading_note(Grading *grading, ExerciseWord word, const char *what)
{
    if (!grading->notes.out)
        return;
    exercise_say(grading->notes.out, grading->language, word, what);
    fputc('\n', grading->notes.out);
}

const char *grading_notes_end(Grading *grading)
{
    Error err;
    if (!written_end(&grading->notes, &err))
        grading->is_whole = false;
    return grading->notes.text ? grading->notes.text : "";
}

void grading_notes_drop(Grading *grading)
{
    written_drop(&grading->notes);
}

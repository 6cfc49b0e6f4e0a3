// grading_notes: what a format says at the end, gathered before; see grading.h.
#include <stdlib.h>
#include "grading.h"

void grading_notes_begin(Grading *grading)
{
    grading->notes_text = NULL;
    grading->notes = open_memstream(&grading->notes_text, &grading->notes_length);
    grading->is_whole = grading->is_whole && grading->notes;
}

void grading_note(Grading *grading, ExerciseWord word, const char *what)
{
    if (!grading->notes)
        return;
    exercise_say(grading->notes, grading->language, word, what);
    fputc('\n', grading->notes);
}

const char *grading_notes_end(Grading *grading)
{
    bool is_whole = grading->notes && !ferror(grading->notes);
    if (grading->notes && fclose(grading->notes) != 0)
        is_whole = false;
    grading->is_whole = grading->is_whole && is_whole && grading->notes_text;
    grading->notes = NULL;
    return grading->notes_text ? grading->notes_text : "";
}

void grading_notes_drop(Grading *grading)
{
    free(grading->notes_text);
    grading->notes_text = NULL;
}

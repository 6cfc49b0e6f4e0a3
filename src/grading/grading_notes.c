// grading_notes: what is told of a submission besides its results, and what a format says at the end, gathered
// before; see grading.h.
#include "grading.h"
#include "submission.h"

enum { NOTES_OF_A_KIND = 3, ODD_OF_A_KIND = 20 };

void grading_tell_note(Grading *grading, ExerciseWord word, const char *what)
{
    if (grading->format->note)
        grading->format->note(grading, &(GradingNote){.word = word, .what = what});
}

void grading_tell_note_of(Grading *grading, ExerciseWord word, const char *what, int before)
{
    if (before < NOTES_OF_A_KIND || grading->format->has_all_notes)
        grading_tell_note(grading, word, what);
}

void grading_tell_more(Grading *grading, int count)
{
    char more[16];
    snprintf(more, sizeof more, "%d", count - NOTES_OF_A_KIND);
    if (count > NOTES_OF_A_KIND && !grading->format->has_all_notes)
        grading_tell_note(grading, EXERCISE_SAYS_GRADE_MORE, more);
}

void grading_tell_notes(Grading *grading, const SubmissionNote *notes)
{
    bool told[EXERCISE_SAYS_COUNT] = {false};
    for (; notes; notes = notes->next) {
        int count = 0;
        for (const SubmissionNote *note = notes; note && !told[notes->word]; note = note->next)
            if (note->word == notes->word && !note->is_result)
                grading_tell_note_of(grading, note->word, note->what, count++);
        told[notes->word] = true;
        grading_tell_more(grading, count);
    }
}

static void tell_one_odd(const Grading *grading, ExerciseWord word, const char *what)
{
    fputs("attnscope: ", stderr);
    exercise_say(stderr, grading->language, word, what);
    fputc('\n', stderr);
}

void grading_tell_odd(const Grading *grading, const SubmissionNote *notes)
{
    bool told[EXERCISE_SAYS_COUNT] = {false};
    for (; notes; notes = notes->next) {
        char more[16];
        int count = 0;
        for (const SubmissionNote *note = notes; note && !told[notes->word]; note = note->next)
            if (note->word == notes->word && count++ < ODD_OF_A_KIND)
                tell_one_odd(grading, note->word, note->what);
        told[notes->word] = true;
        snprintf(more, sizeof more, "%d", count - ODD_OF_A_KIND);
        if (count > ODD_OF_A_KIND)
            tell_one_odd(grading, EXERCISE_SAYS_GRADE_MORE, more);
    }
}

void grading_notes_begin(Grading *grading)
{
    Error err;
    if (!written_begin(&grading->notes, &err))
        grading->is_whole = false;
}

void grading_note(Grading *grading, const GradingNote *note)
{
    if (!grading->notes.out)
        return;
    exercise_say(grading->notes.out, grading->language, note->word, note->what, note->more[0],
                 note->more[1], note->more[2]);
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

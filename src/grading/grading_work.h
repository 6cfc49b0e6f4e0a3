// The judging of a class: what the journal lacks is judged, several submissions at a time, each in a
// process of its own that adds lines to the journal. Whatever becomes of such a process, the others go
// on, and what it has judged is kept.
#ifndef GRADING_WORK_H
#define GRADING_WORK_H

#include "grading.h"
#include "submission.h"

// Fills in what the keys of all results have in common: the programs that judge, and the fence.
void grading_work_open(Grading *grading);

// Judges what the journal lacks, grading->jobs submissions at a time, and notes in a submission when
// its process has ended without a word. Where there is no journal, or no process, nothing is done.
void grading_work(Grading *grading, SubmissionList *list);

// Fills the asked exercises of the submission whose workspace is open: from the journal; judged here
// where that has none. By their numbers; they live until the next call.
Judging *grading_judge(Grading *grading, const Submission *submission);

#endif

// session_answer: somebody answers the question of a page, or has the answer shown.
#include "question.h"

#include <stdint.h>
#include <stdio.h>
#include "session_actions.h"
#include "session_words.h"

// What cannot be kept is said once.
static bool keep(OpenLecture *open, PageMark mark, Error *err)
{
    PageMark *marked = &open->marks[open->page];
    *marked = *marked < mark ? mark : *marked;
    if (!open->progress || progress_note(open->progress, open->lecture->name,
                                         open_lecture_page(open)->name, *marked, err))
        return true;
    open->progress = NULL;
    return false;
}

// --- answering

enum { FIRST_MAX = REFERENCE_TEXT_MAX + COMMAND_NAME_MAX + QUESTION_HINT_MAX };

static const char *word(const OpenLecture *open, OpenLectureWord which)
{
    return open_lecture_word(open->lecture->language, which);
}

// What a presenter shows is nobody's answer.
static bool reveal(OpenLecture *open, const char *before, const ReferenceValue *answer, Error *err)
{
    char first[FIRST_MAX];
    snprintf(first, sizeof first, "%s%s%s  ", before, word(open, WORD_THE_ANSWER), answer->text);
    open->shown = true;
    return open_lecture_say(open, first, open_lecture_page(open)->question.wrong, "", err) &&
           (open->presents || keep(open, PAGE_WRONG, err));
}

// Right at the first try, or later; once the answer has been shown, nothing is noted any more.
static bool take_right(OpenLecture *open, const ReferenceValue *answer, bool without_batch,
                       Error *err)
{
    const LectureQuestion *question = &open_lecture_page(open)->question;
    PageMark mark = open->marks[open->page];
    char first[FIRST_MAX];
    snprintf(first, sizeof first, "\u2713 %s%s  ", without_batch ? word(open, WORD_BATCH) : "",
             answer->text);
    open->answered = true;
    return open_lecture_say(open, first, question->right, "", err) &&
           (open->shown || keep(open, mark < PAGE_WRONG ? PAGE_RIGHT : PAGE_LATER, err));
}

static const char *say_hint(const OpenLecture *open, const Typed *typed,
                            const ReferenceValue *answer, char text[QUESTION_HINT_MAX])
{
    const Question *question = question_of(open);
    return question->say_hint ? question->say_hint(open, typed, answer, text)
                              : word(open, question->hint);
}

static bool take_wrong(OpenLecture *open, const char *text, const Typed *typed,
                       const ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = &open_lecture_page(open)->question;
    char first[FIRST_MAX], hint[QUESTION_HINT_MAX];
    // Of two answers only one is left after a wrong try: no second one.
    bool decides = question_of(open)->decides || question->choice_count == 2;
    snprintf(first, sizeof first, "\u2717 %s  ", text);
    if (open->tries++ > 0 || decides || open->shown)
        return reveal(open, first, answer, err);
    snprintf(first, sizeof first, "\u2717 %s  %s%s", text, word(open, WORD_NOT_YET),
             question->hint ? "" : say_hint(open, typed, answer, hint));
    return open_lecture_say(open, first, question->hint, word(open, WORD_TRY_AGAIN), err) &&
           keep(open, PAGE_WRONG, err);
}

static bool judge(OpenLecture *open, const char *text, const Typed *typed,
                  const ReferenceValue *answer, Error *err)
{
    const Question *question = question_of(open);
    bool same = question_matches(typed, answer, 0, 0);
    Verdict verdict = question->judge ? question->judge(open, typed, answer)
                      : same          ? VERDICT_RIGHT
                                      : VERDICT_WRONG;
    return verdict == VERDICT_WRONG
               ? take_wrong(open, text, typed, answer, err)
               : take_right(open, answer, verdict == VERDICT_WITHOUT_BATCH, err);
}

bool session_answer(Session *session, const Command *command, Error *err)
{
    OpenLecture *open = session->lecture;
    ReferenceValue answer;
    Typed typed;
    if (!open_lecture_asks(open, err) || !open_lecture_answer(open, &answer, err))
        return false;
    bool reveals = command->kind == COMMAND_REVEAL;
    if (!reveals && !open_lecture_read_typed(session, command->name, &typed, err))
        return false;
    open->polls = false;
    open->text_line = PTRDIFF_MAX; // to the end of the text; the screen knows where that is
    bool said =
        reveals ? reveal(open, "", &answer, err) : judge(open, command->name, &typed, &answer, err);
    bool over = open->shown || open->answered;
    Error unset;
    bool set = !over || open_lecture_set_answered(session, said ? err : &unset);
    return said && set;
}

// guide_answer: what the trace says to a question; see guide.h.
#include "guide.h"

#include <stdint.h>
#include <stdio.h>
#include "question.h"
#include "session_actions.h"
#include "session_words.h"

bool guide_claim(const Guide *guide, const Claim *claim, bool *holds, Error *err)
{
    ReferenceValue left, right;
    if (!guide_value(guide, &claim->left, &left, err) ||
        !guide_value(guide, &claim->right, &right, err))
        return false;
    bool single = left.count == 1 && right.count == 1;
    if (claim->relation == '=')
        *holds = reference_values_equal(&left, &right);
    else if (claim->relation == '<')
        *holds = single && left.numbers[0] < right.numbers[0];
    else
        *holds = single && left.numbers[0] > right.numbers[0];
    return claim->relation == '=' || single || error_set(err, TELL(ANSWER_SINGLE));
}

bool guide_asks(const Guide *guide, Error *err)
{
    if (!guide)
        return error_set(err, TELL(ANSWER_NO_LECTURE));
    bool is_last = guide->page == guide->lecture->page_count - 1;
    return guide_page(guide)->question.kind != QUESTION_NONE ||
           error_set(err, "%s",
                     guide_word(guide->lecture->language,
                                is_last ? WORD_ASKS_NOTHING_AT_THE_END : WORD_ASKS_NOTHING));
}

bool guide_answer(const Guide *guide, ReferenceValue *answer, Error *err)
{
    const Question *question = question_of(guide);
    *answer = (ReferenceValue){.count = 0};
    return guide_asks(guide, err) && (question->answer ? question->answer(guide, answer, err)
                                                       : question_reference(guide, answer, err));
}

GuideScore guide_score(const Guide *guide)
{
    GuideScore score = {.questions = 0};
    for (int i = 0; i < guide->lecture->page_count; i++) {
        score.questions += guide->lecture->pages[i].question.kind != QUESTION_NONE;
        score.right += guide->marks[i] == PAGE_RIGHT;
        score.later += guide->marks[i] == PAGE_LATER;
    }
    return score;
}

// --- saying it

static LectureSpan *strong(Guide *guide, const char *text, Error *err)
{
    LectureSpan *span = arena_take(&guide->arena, 1, sizeof *span, err);
    if (span)
        *span = (LectureSpan){.kind = SPAN_STRONG, .text = arena_text(&guide->arena, text, err)};
    return span && span->text ? span : NULL;
}

bool guide_say(Guide *guide, const char *first, const LectureSpan *explanation, const char *last,
               Error *err)
{
    LectureBlock *block = arena_take(&guide->arena, 1, sizeof *block, err);
    LectureSpan *span = block ? strong(guide, first, err) : NULL, **end = span ? &span->next : NULL;
    if (!span)
        return false;
    *end = guide_fill(guide, explanation, err);
    while (*end)
        end = &(*end)->next;
    *end = strong(guide, last, err);
    *block = (LectureBlock){.kind = BLOCK_PARAGRAPH, .spans = span};
    guide->said = block;
    return true;
}

// What cannot be kept is said once.
static bool keep(Guide *guide, PageMark mark, Error *err)
{
    PageMark *marked = &guide->marks[guide->page];
    *marked = *marked < mark ? mark : *marked;
    if (!guide->progress ||
        progress_note(guide->progress, guide->lecture->name, guide_page(guide)->name, *marked, err))
        return true;
    guide->progress = NULL;
    return false;
}

// --- answering

enum { FIRST_MAX = REFERENCE_TEXT_MAX + COMMAND_NAME_MAX + QUESTION_HINT_MAX };

static const char *word(const Guide *guide, GuideWord which)
{
    return guide_word(guide->lecture->language, which);
}

// What a presenter shows is nobody's answer.
static bool reveal(Guide *guide, const char *before, const ReferenceValue *answer, Error *err)
{
    char first[FIRST_MAX];
    snprintf(first, sizeof first, "%s%s%s  ", before, word(guide, WORD_THE_ANSWER), answer->text);
    guide->shown = true;
    return guide_say(guide, first, guide_page(guide)->question.wrong, "", err) &&
           (guide->presents || keep(guide, PAGE_WRONG, err));
}

// Right at the first go, or later; after the answer was shown it is no longer an answer.
static bool take_right(Guide *guide, const ReferenceValue *answer, bool without_batch, Error *err)
{
    const LectureQuestion *question = &guide_page(guide)->question;
    PageMark mark = guide->marks[guide->page];
    char first[FIRST_MAX];
    snprintf(first, sizeof first, "\u2713 %s%s  ", without_batch ? word(guide, WORD_BATCH) : "",
             answer->text);
    guide->answered = true;
    return guide_say(guide, first, question->right, "", err) &&
           (guide->shown || keep(guide, mark < PAGE_WRONG ? PAGE_RIGHT : PAGE_LATER, err));
}

static const char *say_hint(const Guide *guide, const Typed *typed, const ReferenceValue *answer,
                            char text[QUESTION_HINT_MAX])
{
    const Question *question = question_of(guide);
    return question->say_hint ? question->say_hint(guide, typed, answer, text)
                              : word(guide, question->hint);
}

static bool take_wrong(Guide *guide, const char *text, const Typed *typed,
                       const ReferenceValue *answer, Error *err)
{
    const LectureQuestion *question = &guide_page(guide)->question;
    char first[FIRST_MAX], hint[QUESTION_HINT_MAX];
    // The other of two answers is no longer a guess.
    bool decides = question_of(guide)->decides || question->choice_count == 2;
    snprintf(first, sizeof first, "\u2717 %s  ", text);
    if (guide->tries++ > 0 || decides || guide->shown)
        return reveal(guide, first, answer, err);
    snprintf(first, sizeof first, "\u2717 %s  %s%s", text, word(guide, WORD_NOT_YET),
             question->hint ? "" : say_hint(guide, typed, answer, hint));
    return guide_say(guide, first, question->hint, word(guide, WORD_TRY_AGAIN), err) &&
           keep(guide, PAGE_WRONG, err);
}

static bool judge(Guide *guide, const char *text, const Typed *typed, const ReferenceValue *answer,
                  Error *err)
{
    const Question *question = question_of(guide);
    bool same = question_matches(typed, answer, 0, 0);
    Verdict verdict = question->judge ? question->judge(guide, typed, answer)
                      : same          ? VERDICT_RIGHT
                                      : VERDICT_WRONG;
    return verdict == VERDICT_WRONG
               ? take_wrong(guide, text, typed, answer, err)
               : take_right(guide, answer, verdict == VERDICT_WITHOUT_BATCH, err);
}

bool session_answer(Session *session, const Command *command, Error *err)
{
    Guide *guide = session->guide;
    ReferenceValue answer;
    Typed typed;
    if (!guide_asks(guide, err) || !guide_answer(guide, &answer, err))
        return false;
    bool reveals = command->kind == COMMAND_REVEAL;
    if (!reveals && !guide_read_typed(session, command->name, &typed, err))
        return false;
    guide->polls = false;
    guide->text_line = PTRDIFF_MAX; // to the end of the text; the screen knows where that is
    bool said = reveals ? reveal(guide, "", &answer, err)
                        : judge(guide, command->name, &typed, &answer, err);
    bool over = guide->shown || guide->answered;
    Error unset;
    bool set = !over || guide_set_answered(session, said ? err : &unset);
    return said && set;
}

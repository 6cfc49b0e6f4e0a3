// open_lecture_answer: what the trace says to a question; see open_lecture.h.
#include "open_lecture.h"

#include "question.h"
#include "session_actions.h"
#include "session_words.h"

bool open_lecture_asks(const OpenLecture *open, Error *err)
{
    if (!open)
        return error_set(err, TELL(ANSWER_NO_LECTURE));
    bool is_last = open->page == open->lecture->page_count - 1;
    return open_lecture_page(open)->question.kind != QUESTION_NONE ||
           error_set(err, "%s",
                     open_lecture_word(open->lecture->language,
                                       is_last ? WORD_ASKS_NOTHING_AT_THE_END : WORD_ASKS_NOTHING));
}

bool open_lecture_answer(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    const Question *question = question_of(open);
    *answer = (ReferenceValue){.count = 0};
    return open_lecture_asks(open, err) &&
           (question->answer ? question->answer(open, answer, err)
                             : question_reference(open, answer, err));
}

OpenLectureScore open_lecture_score(const OpenLecture *open)
{
    OpenLectureScore score = {.questions = 0};
    for (int i = 0; i < open->lecture->page_count; i++) {
        score.questions += open->lecture->pages[i].question.kind != QUESTION_NONE;
        score.right += open->marks[i] == PAGE_RIGHT;
        score.later += open->marks[i] == PAGE_LATER;
    }
    return score;
}

// --- saying it

static LectureSpan *strong(OpenLecture *open, const char *text, Error *err)
{
    LectureSpan *span = arena_take(&open->arena, 1, sizeof *span, err);
    if (span)
        *span = (LectureSpan){.kind = SPAN_STRONG, .text = arena_text(&open->arena, text, err)};
    return span && span->text ? span : NULL;
}

bool open_lecture_say(OpenLecture *open, const char *first, const LectureSpan *explanation,
                      const char *last, Error *err)
{
    LectureBlock *block = arena_take(&open->arena, 1, sizeof *block, err);
    LectureSpan *span = block ? strong(open, first, err) : NULL, **end = span ? &span->next : NULL;
    if (!span)
        return false;
    *end = open_lecture_fill(open, explanation, err);
    while (*end)
        end = &(*end)->next;
    *end = strong(open, last, err);
    *block = (LectureBlock){.kind = BLOCK_PARAGRAPH, .spans = span};
    open->said = block;
    return true;
}

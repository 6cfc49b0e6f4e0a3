// question: the kinds of questions, each by its row; see question.h.
#include "question.h"

#define QUESTION_KIND(NAME, name, ...) extern const Question question_##name;
#include "question_kinds.def"

static const Question *const kinds[QUESTION_COUNT] = {
#define QUESTION_KIND(NAME, name, ...) [QUESTION_##NAME] = &question_##name,
#include "question_kinds.def"
};

const Question *question_of(const OpenLecture *open)
{
    return kinds[question_text(open)->kind];
}

// --- reading

static bool read_choice(const Session *session, const char *text, Typed *typed, Error *err)
{
    const OpenLecture *open = session->lecture;
    int last = open_lecture_choice_count(open);
    if (!question_numbers(session, text, typed, err))
        return false;
    return (typed->count == 1 && question_in_range(typed, 1, last)) ||
           error_set(err, "%s1-%d", question_word(open, WORD_ASK_LINE), last);
}

bool open_lecture_read_typed(const Session *session, const char *text, Typed *typed, Error *err)
{
    const Question *question = question_of(session->lecture);
    *typed = (Typed){.count = 0};
    return question->read ? question->read(session, text, typed, err)
                          : read_choice(session, text, typed, err);
}

// --- what panels ask

const char *open_lecture_answer_form(const OpenLecture *open)
{
    const Question *question = question_of(open);
    return question_word(open, question ? question->form : WORD_ASKS_NOTHING);
}

const char *open_lecture_answer_form_on_paper(const OpenLecture *open)
{
    const Question *question = question_of(open);
    return question && question->paper ? question_word(open, question->paper)
                                       : open_lecture_answer_form(open);
}

const char *open_lecture_answer_typed(const OpenLecture *open)
{
    const Question *question = question_of(open);
    return question && question->typed ? question_word(open, question->typed) : "";
}

const char *open_lecture_choice(const OpenLecture *open, int number,
                                char text[OPEN_LECTURE_CHOICE_MAX])
{
    const Question *question = question_of(open);
    const LectureQuestion *asked = question_text(open);
    if (!question || number < 0)
        return NULL;
    if (question->choice)
        return question->choice(open, number, text);
    return number < asked->choice_count ? asked->lines[number] : NULL;
}

const char *open_lecture_poll_choice(const OpenLecture *open, int number,
                                     char text[OPEN_LECTURE_CHOICE_MAX])
{
    bool decides = question_text(open)->kind == QUESTION_TRUE_FALSE;
    if (!decides)
        return open_lecture_choice(open, number, text);
    return number == 0   ? question_word(open, WORD_TRUE)
           : number == 1 ? question_word(open, WORD_FALSE)
                         : NULL;
}

int open_lecture_choice_count(const OpenLecture *open)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    int count = 0;
    while (open_lecture_choice(open, count, text))
        count++;
    return count;
}

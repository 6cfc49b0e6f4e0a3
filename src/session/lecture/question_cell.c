// A question for a cell: the person puts the cursor there, or writes its index. The lecture names it by
// its whole index, attn_weights[0,2,5,9]; rows and columns alone are enough as an answer.
#include "question.h"
#include "session_words.h"

#include <stdio.h>
#include <string.h>

static bool answer_of(const OpenLecture *open, ReferenceValue *answer, Error *err)
{
    Reference cell;
    size_t used = 0;
    if (!reference_parse(question_text(open)->answer, &cell, err) ||
        !open_lecture_value(open, &cell, answer, err))
        return false;
    if (cell.kind != REFERENCE_ELEMENTS || answer->count != 1 || cell.index_count == 0)
        return error_set(err, TELL(CELL_NAMED));
    *answer = (ReferenceValue){.count = cell.index_count};
    for (int i = 0; i < cell.index_count; i++) {
        answer->numbers[i] = (double)cell.index[i];
        used += (size_t)snprintf(answer->text + used, sizeof answer->text - used, "%s%td",
                                 i == 0 ? "[" : ", ", cell.index[i]);
    }
    snprintf(answer->text + used, sizeof answer->text - used, "]");
    return true;
}

// The cursor, where it stands in the tensor that is asked about.
static bool read_cursor(const Session *session, Typed *typed, Error *err)
{
    Reference cell;
    const TraceTensor *tensor = session_tensor(session);
    if (!reference_parse(question_text(session->lecture)->answer, &cell, err))
        return false;
    if (strcmp(tensor->name, cell.tensor) != 0)
        return error_set(err, "%s%s", question_word(session->lecture, WORD_ASK_CELL), cell.tensor);
    const SessionView *view = session_view(session);
    for (int axis = 0; axis < tensor->tensor.rank; axis++)
        typed->numbers[typed->count++] = (double)view->at[axis];
    return true;
}

static bool read_cell(const Session *session, const char *text, Typed *typed, Error *err)
{
    if (question_is_word(text, WORD_HERE))
        return read_cursor(session, typed, err);
    return question_numbers(session, text, typed, err);
}

static Verdict judge(const OpenLecture *open, const Typed *typed, const ReferenceValue *answer)
{
    (void)open;
    bool rows = typed->count == 2 && answer->count > 2;
    bool same = question_matches(typed, answer, rows ? answer->count - 2 : 0, 0);
    return same ? VERDICT_RIGHT : VERDICT_WRONG;
}

const Question question_cell = {
    .form = WORD_FORM_CELL,
    .paper = WORD_FORM_CELL_PAPER,
    .hint = WORD_HINT_CELL,
    .answer = answer_of,
    .read = read_cell,
    .judge = judge,
    .typed = WORD_HERE,
};

// picture_compare: the run in front beside the other one, as a picture; see picture.h and
// picture_parts.h.
#include "picture_parts.h"

#include <stdio.h>
#include "session_words.h"

#include "figure_data.h"
#include "session_actions.h"
#include "session_words.h"

bool session_picture_compare(Session *session, const Command *command, Error *err)
{
    Picture *picture = &session->picture;
    (void)command;
    if (!picture->shows_compare && (!session->comparison.open || session->comparison.swapped))
        return error_set(err, TELL(COMPARE_NO_COMPARISON));
    picture->shows_compare = !picture->shows_compare;
    return true;
}

// What the other run is, and where in the whole run the two part.
static void describe(Session *session)
{
    const Comparison *comparison = &session->comparison;
    FigureOther *other = &session->picture.other;
    bool tells = comparison->mistake && !comparison->hidden;
    *other = (FigureOther){.trace = &comparison->trace, .name = comparison_title(session)};
    if (tells) {
        snprintf(session->picture.mistake, sizeof session->picture.mistake, TELL(MISTAKE_NAMED),
                 comparison->mistake->name);
        other->name = session->picture.mistake;
    }
    other->about = tells ? comparison->mistake->words[language_now()].title : NULL;
    other->differs = comparison_next_difference(session, true, &other->first);
}

void picture_note_compare(Session *session, CommandKind kind)
{
    Picture *picture = &session->picture;
    FigureRequest *request = &picture->request;
    bool was = request->compares;
    int tensor = request->tensor;
    picture->shows_compare =
        picture->shows_compare && session->comparison.open && !session->comparison.swapped;
    request->compares = picture->shows_compare && comparison_tensor(session, tensor);
    if (!request->compares)
        return;
    if (!was || !command_is(kind, COMMAND_OF_PICTURE)) // others may have changed numbers
        describe(session);
    picture->other.tensor =
        trace_find(&session->comparison.trace, session->run.trace.tensors[tensor].name);
}

bool picture_pair(const Session *session, FigureData *here, FigureData *there, FigureSidePair *pair)
{
    const Picture *picture = &session->picture;
    FigureRequest other = picture->request;
    Error err;
    *pair = (FigureSidePair){here, there, other.batch};
    if (!other.compares || !figure_data(&session->run.trace, &picture->request, here, &err))
        return false;
    other.tensor = picture->other.tensor;
    return figure_data(picture->other.trace, &other, there, &err);
}

// session_walk_text: where the walk stands, in words and in the numbers of the trace.
#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include "number_text.h"
#include "session_words.h"

// A text that grows; what does not fit is cut.
typedef struct Sentence {
    char *text;
    size_t used;
} Sentence;

static void say(Sentence *sentence, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(Sentence *sentence, const char *format, ...)
{
    va_list arguments;
    size_t room = SESSION_WALK_MAX - sentence->used;
    va_start(arguments, format);
    int length = vsnprintf(sentence->text + sentence->used, room, format, arguments);
    va_end(arguments);
    sentence->used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static void say_number(Sentence *sentence, float number)
{
    char text[NUMBER_FULL_TEXT_MAX];
    say(sentence, "%s", number_full_text(number, text));
}

// "q[0,0,2] 0.282"
static void say_source(Sentence *sentence, const Trace *trace, const TraceCell *cell)
{
    char name[TRACE_CELL_MAX], number[NUMBER_FULL_TEXT_MAX];
    say(sentence, "%s %s", trace_cell_name(trace, *cell, name),
        number_text(&trace->tensors[cell->tensor].tensor, cell->at, number));
}

static void say_term(Sentence *sentence, const Session *session, const SessionTerm *now)
{
    const TraceTerm *term = &now->term;
    bool is_product = term->kind == TERM_MULTIPLY_ADD;
    say(sentence, TELL(WALK_TERM), now->number + 1, now->count);
    if (!is_product)
        say(sentence, "%s%s", term->what, term->source_count > 0 ? ": " : "");
    for (int i = 0; i < term->source_count && i < STAGE_SOURCES_MAX; i++) { // gcc 14 asks for both
        say(sentence, "%s", i == 0 ? "" : is_product ? " * " : ", ");
        say_source(sentence, &session->run.trace, &term->sources[i]);
    }
    say(sentence, is_product ? " = " : "; ");
    say_number(sentence, term->value);
    say(sentence, is_product ? TELL(WALK_RUNNING) : TELL(WALK_SO_FAR));
    say_number(sentence, term->running);
    if (now->number + 1 == now->count)
        say(sentence, TELL(WALK_ELEMENT));
}

const char *session_walk_text(const Session *session, char text[SESSION_WALK_MAX])
{
    Sentence sentence = {.text = text};
    ptrdiff_t count = session_element_count(session);
    SessionTerm term;
    text[0] = '\0';
    if (session->cursor.depth == DEPTH_STAGE || count == 0)
        return text;
    if (session_term(session, &term))
        say_term(&sentence, session, &term);
    else
        say(&sentence, TELL(WALK_ORDER), session_element(session) + 1, count);
    return text;
}

// lecture_flow: see lecture_flow.h.
#include "lecture_flow.h"

#include <stdio.h>
#include "open_lecture.h"

enum { CHOICE_INDENT = 5 };

static const char *word(const OpenLecture *open, OpenLectureWord which)
{
    return open_lecture_word(open->lecture->language, which);
}

void lecture_flow_notes(Flow *flow, const OpenLecture *open)
{
    LectureSpan heading = {.kind = SPAN_STRONG, .text = word(open, WORD_NOTES)};
    if (!open->shows_notes || !open->notes)
        return;
    flow_spans(flow, 0, 0, &heading);
    for (const LectureBlock *block = open->notes; block; block = block->next)
        flow_spans(flow, 2, 2, block->spans);
}

static void flow_choices(Flow *flow, const OpenLecture *open)
{
    char text[OPEN_LECTURE_CHOICE_MAX];
    for (int i = 0; open_lecture_choice(open, i, text); i++) {
        char number[16];
        snprintf(number, sizeof number, "%d  ", i + 1);
        LectureSpan line = {.kind = SPAN_CODE, .text = open_lecture_choice(open, i, text)};
        LectureSpan first = {.kind = SPAN_CODE, .text = number, .next = &line};
        flow_spans(flow, CHOICE_INDENT - 3, CHOICE_INDENT, &first);
    }
}

static void flow_keys(Flow *flow, const OpenLecture *open)
{
    OpenLectureWord keys = open->answered ? WORD_KEYS_AGAIN : WORD_KEYS;
    LectureSpan line = {.kind = SPAN_NOTE, .text = word(open, keys)};
    if (!open->presents && (open->answered || !open->said))
        flow_spans(flow, 2, 2, &line);
}

void lecture_flow_question(Flow *flow, const OpenLecture *open, bool apart)
{
    LectureSpan mark = {.kind = SPAN_STRONG, .text = "? ", .next = open->ask->spans};
    flow->line += apart;
    flow_spans(flow, 0, 2, &mark);
    flow_choices(flow, open);
    if (open->said)
        flow_spans(flow, 0, 2, open->said->spans);
    flow_keys(flow, open);
}

// lecture_spans: text with emphasis, code and references; see lecture_internal.h.
#include "lecture_internal.h"

#include <string.h>
#include "reference.h"
#include "lesson_words.h"

static bool append(LectureReader *reader, LectureSpanKind kind, const char *text, int line,
                   LectureSpan **spans)
{
    while (*spans)
        spans = &(*spans)->next;
    *spans = arena_take(&reader->lecture->arena, 1, sizeof **spans, reader->err);
    if (!*spans)
        return false;
    **spans = (LectureSpan){.kind = kind, .text = lecture_text(reader, text), .line = line};
    return (*spans)->text != NULL;
}

static bool code(LectureReader *reader, const char *text, int line, LectureSpan **spans)
{
    Reference reference;
    Error problem = {.text = ""};
    static const char label[] = "=label ";
    if (strncmp(text, label, strlen(label)) == 0)
        return append(reader, SPAN_LABEL, text + strlen(label), line, spans);
    if (*text != '=')
        return append(reader, SPAN_CODE, text, line, spans);
    if (!reference_parse(text + 1, &reference, &problem))
        return lecture_error(reader, line, "%s", problem.text);
    return append(reader, SPAN_REFERENCE, text + 1, line, spans);
}

// Asterisks that are still there are emphasis that CommonMark did not see, as it does not in
// "**word(x)**particle".
static bool plain(LectureReader *reader, LectureSpanKind kind, const char *text, int line,
                  LectureSpan **spans)
{
    if (strchr(text, '*'))
        return lecture_error(reader, line, TELL(SPAN_EMPHASIS_UNSEEN), text);
    return append(reader, kind, text, line, spans);
}

// Emphasis within emphasis within emphasis ... ends somewhere.
enum { DEPTH_MAX = 4 };

static bool inside(LectureReader *reader, cmark_node *parent, LectureSpanKind kind, int depth,
                   int line, LectureSpan **spans)
{
    bool good = depth < DEPTH_MAX || lecture_error(reader, line, TELL(SPAN_DEEP), DEPTH_MAX);
    for (cmark_node *node = cmark_node_first_child(parent); good && node;
         node = cmark_node_next(node)) {
        const char *text = cmark_node_get_literal(node);
        switch (cmark_node_get_type(node)) {
        case CMARK_NODE_TEXT:
            good = plain(reader, kind, text, line, spans);
            break;
        case CMARK_NODE_SOFTBREAK:
        case CMARK_NODE_LINEBREAK:
            good = append(reader, kind, " ", line++, spans);
            break;
        case CMARK_NODE_CODE:
            good = code(reader, text, line, spans);
            break;
        case CMARK_NODE_EMPH:
        case CMARK_NODE_STRONG:
            good =
                inside(reader, node,
                       cmark_node_get_type(node) == CMARK_NODE_EMPH ? SPAN_EMPHASIS : SPAN_STRONG,
                       depth + 1, line, spans);
            break;
        default:
            good = lecture_error(reader, line, TELL(SPAN_NODE), cmark_node_get_type_string(node));
        }
    }
    return good;
}

bool lecture_spans(LectureReader *reader, cmark_node *parent, int line, LectureSpan **spans)
{
    return inside(reader, parent, SPAN_TEXT, 0, line, spans);
}

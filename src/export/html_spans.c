// Spans of a lecture as HTML, with links to the terms they name; see html_text.h.
#include "html_text.h"

#include "html_glossary.h"

void html_spans(FILE *out, const LectureSpan *spans, struct HtmlTerms *terms)
{
    static const char *const open[] = {
        [SPAN_TEXT] = "",
        [SPAN_EMPHASIS] = "<em>",
        [SPAN_STRONG] = "<b>",
        [SPAN_CODE] = "<code>",
        [SPAN_REFERENCE] = "<code class=\"ref\">",
        [SPAN_LABEL] = "<em>",
        [SPAN_NOTE] = "",
    };
    static const char *const close[] = {
        [SPAN_TEXT] = "",        [SPAN_EMPHASIS] = "</em>",    [SPAN_STRONG] = "</b>",
        [SPAN_CODE] = "</code>", [SPAN_REFERENCE] = "</code>", [SPAN_LABEL] = "</em>",
        [SPAN_NOTE] = "",
    };
    for (; spans; spans = spans->next) {
        fputs(open[spans->kind], out);
        if (terms && (spans->kind == SPAN_TEXT || spans->kind == SPAN_STRONG))
            html_terms_text(out, spans->text, spans->kind == SPAN_STRONG, terms);
        else
            html_text(out, spans->text);
        fputs(close[spans->kind], out);
    }
}

// class_pairs_html: the page about who is alike; see class_pairs.h.
#include "class_pairs.h"
#include "exercise_words.h"
#include "html_style.h"
#include "html_text.h"

static const char own_style[] =
    ".pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem}\n"
    "@media(max-width:40rem){.pair{grid-template-columns:minmax(0,1fr)}}\n"
    "pre{overflow:auto;padding:.7rem;background:var(--panel);font-size:.8rem;line-height:1.35}\n";

static void element(const Grading *grading, const char *open, const char *text, const char *close)
{
    fputs(open, grading->out);
    html_text(grading->out, text);
    fputs(close, grading->out);
}

static const char *word(const Grading *grading, ExerciseWord which)
{
    return exercise_word(grading->language, which);
}

// Who handed it in: `is_for_all` everybody who did.
static void put_text(const Grading *grading, const ClassText *text, bool is_for_all)
{
    element(grading, "<div><h3>", text->name, "");
    for (const ClassText *next = text->same; next && is_for_all; next = next->same)
        element(grading, ", ", next->name, "");
    element(grading, "</h3><pre>", text->source, "</pre></div>\n");
}

static void put_both(const Grading *grading, const ClassText *one, const ClassText *other,
                     bool is_for_all)
{
    fputs("<div class=\"pair\">\n", grading->out);
    put_text(grading, one, is_for_all);
    put_text(grading, other, is_for_all);
    fputs("</div>", grading->out);
}

// Many people with one text: their names, and a comparison that opens.
static void put_group(const Grading *grading, const ClassText *text)
{
    element(grading, "<p>", text->name, "");
    for (const ClassText *next = text->same; next; next = next->same)
        element(grading, ", ", next->name, "");
    element(grading, "</p>\n<details><summary>", word(grading, EXERCISE_SAYS_PAIRS_OPEN),
            "</summary>\n");
    put_both(grading, text, text->same, false);
    fputs("</details>", grading->out);
}

static bool is_of_group(const ClassPair *pair)
{
    return pair->one == pair->other && pair->one->people > 2;
}

static void put_heading(const Grading *grading, const ClassPair *pair)
{
    char text[128];
    element(grading, "<section><h2>", grading->lessons->exercises[pair->one->exercise].name, ": ");
    if (is_of_group(pair))
        element(grading, "",
                words_format(text, sizeof text, word(grading, EXERCISE_SAYS_PAIRS_GROUP),
                             pair->one->people),
                pair->same_numbers ? "; " : "");
    bool tells_share = pair->share > 0 && !is_of_group(pair);
    if (tells_share)
        fprintf(grading->out, "%.0f %% ", 100 * pair->share);
    if (tells_share)
        html_text(grading->out, word(grading, EXERCISE_SAYS_PAIRS_SHARED));
    if (pair->same_numbers)
        element(grading, tells_share ? "; " : "", word(grading, EXERCISE_SAYS_REPORT_EQUAL), "");
    fputs("</h2>\n", grading->out);
}

static void put_pair(const Grading *grading, const ClassPair *pair)
{
    put_heading(grading, pair);
    if (is_of_group(pair))
        put_group(grading, pair->one);
    else if (pair->one == pair->other)
        put_both(grading, pair->one, pair->one->same, false);
    else
        put_both(grading, pair->one, pair->other, true);
    fputs("</section>\n", grading->out);
}

void class_pairs_write(const Grading *grading)
{
    const ClassPairs *pairs = grading->pairs;
    const char *title = word(grading, EXERCISE_SAYS_PAIRS_TITLE);
    fprintf(grading->out, "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n",
            language_name(grading->language));
    fputs("<meta name=\"viewport\" content=\"width=device-width\">\n", grading->out);
    element(grading, "<title>", title, "</title>\n");
    fprintf(grading->out, "<style>%s%s</style></head>\n<body>\n", html_style, own_style);
    element(grading, "<h1>", title, "</h1>\n");
    element(grading, "<p>", word(grading, EXERCISE_SAYS_PAIRS_ABOUT), "</p>\n");
    if (grading->course.seeds)
        element(grading, "<p>", word(grading, EXERCISE_SAYS_REPORT_SEEDS), "</p>\n");
    if (pairs->pair_count == 0)
        element(grading, "<p>", word(grading, EXERCISE_SAYS_PAIRS_NONE), "</p>\n");
    for (int i = 0; i < pairs->pair_count; i++)
        put_pair(grading, &pairs->pairs[i]);
    fputs("</body></html>\n", grading->out);
}

// Finds similar submissions of a class, and writes the HTML page that shows them; see grading_internal.h.
#include "exercise.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "class.h"
#include "grading_internal.h"
#include "html.h"
#include "input_file.h"

// --- gathering

enum { SOURCE_BYTES_MAX = 1 << 20, PRINTS_LEAST = 4, SAME_NUMBERS_MOST = 3 };

static const double share_least = 0.6;

static const char *read_source(const char *path, Arena *arena)
{
    Error err;
    return path ? input_file_text(path, SOURCE_BYTES_MAX, arena, &err) : NULL;
}

// Removes code that everyone was given or would write.
static void know(Grading *grading, int number)
{
    ClassPairs *pairs = grading->pairs;
    const Exercise *exercise = &grading->workspace.exercises.exercises[number];
    Error err;
    if (pairs->is_known[number])
        return;
    const char *path = arena_format(&pairs->arena, &err, "%s/solution.c", exercise->folder);
    const char *solution = read_source(path, &pairs->arena);
    pairs->is_known[number] =
        similar_read(&pairs->stub[number], exercise->stub, &pairs->arena, &err) &&
        similar_read(&pairs->solution[number], solution ? solution : "", &pairs->arena, &err);
}

static ClassText *add(ClassPairs *pairs)
{
    if (pairs->count == pairs->room) {
        int room = pairs->room ? 2 * pairs->room : 256;
        ClassText *more = realloc(pairs->texts, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        pairs->texts = more;
        pairs->room = room;
    }
    return &pairs->texts[pairs->count++];
}

// NULL if inputs differ per person: then equal wrong numbers are chance.
static const char *wrong_of(const Grading *grading, const Judging *judging, Arena *arena)
{
    Error err;
    const VerdictTest *test = verdict_first_failure(&judging->verdict);
    if (grading->course.seeds || judging->end != JUDGING_DONE || !test || !test->where ||
        test->mistakes[0])
        return NULL;
    return arena_format(arena, &err, "%s %s %s %lld %.17g", test->name, test->where,
                        test->got ? test->got : "", test->wrong, test->worst);
}

static void exercise(Grading *grading, const Judging *judging, int number)
{
    ClassPairs *pairs = grading->pairs;
    Error err;
    if (judging->end != JUDGING_DONE && judging->end != JUDGING_NOT_COMPILED)
        return;
    know(grading, number);
    const char *path = workspace_path(&grading->workspace, number, &pairs->arena, &err);
    const char *source = read_source(path, &pairs->arena);
    ClassText *text = source ? add(pairs) : NULL;
    if (!text)
        return;
    *text = (ClassText){.name = arena_text(&pairs->arena, grading->name, &err),
                        .source = source,
                        .wrong = wrong_of(grading, judging, &pairs->arena),
                        .exercise = number};
    if (text->name && similar_read(&text->prints, source, &pairs->arena, &err)) {
        similar_take_out(&text->prints, &pairs->stub[number]);
        similar_take_out(&text->prints, &pairs->solution[number]);
    } else {
        pairs->count--;
        grading->is_whole = false;
    }
}

// --- pairs

static double strength(const ClassPair *pair)
{
    return pair->share + (pair->same_numbers ? 1.0 : 0.0);
}

// Inserts a pair by strength, if it is among the strongest.
static void keep(ClassPairs *pairs, ClassPair pair)
{
    int at = pairs->pair_count;
    while (at > 0 && strength(&pairs->pairs[at - 1]) < strength(&pair))
        at--;
    if (at == CLASS_PAIRS_MAX)
        return;
    int moved = pairs->pair_count < CLASS_PAIRS_MAX ? pairs->pair_count++ : CLASS_PAIRS_MAX - 1;
    memmove(&pairs->pairs[at + 1], &pairs->pairs[at], (size_t)(moved - at) * sizeof pair);
    pairs->pairs[at] = pair;
}

static bool is_same_wrong(const ClassText *one, const ClassText *other)
{
    return one->wrong && other->wrong && one->exercise == other->exercise &&
           strcmp(one->wrong, other->wrong) == 0;
}

// The first person with a text stands for all with the same text.
static void gather_equal(ClassPairs *pairs)
{
    for (int i = 0; i < pairs->count; i++) {
        ClassText *first = &pairs->texts[i], *last = first;
        first->people += !first->is_again;
        for (int j = i + 1; j < pairs->count && !first->is_again; j++) {
            ClassText *next = &pairs->texts[j];
            if (next->exercise != first->exercise || strcmp(next->source, first->source) != 0)
                continue;
            last = last->same = next;
            next->is_again = true;
            first->people++;
        }
    }
}

static void compare(ClassPairs *pairs, const ClassText *one, const ClassText *other)
{
    if (one->exercise != other->exercise || one->is_again || other->is_again ||
        (one != other && strcmp(one->name, other->name) == 0))
        return;
    bool same = is_same_wrong(one, other);
    int alike = 0;
    for (int i = 0; same && i < pairs->count; i++)
        alike += is_same_wrong(one, &pairs->texts[i]);
    bool has_own = one->prints.count >= PRINTS_LEAST && other->prints.count >= PRINTS_LEAST;
    ClassPair pair = {one, other, has_own ? similar_share(&one->prints, &other->prints) : 0.0,
                      same && alike <= SAME_NUMBERS_MOST};
    if (pair.share >= share_least || pair.same_numbers)
        keep(pairs, pair);
}

static void class_pairs_write(const Grading *grading);

static void end(Grading *grading)
{
    ClassPairs *pairs = grading->pairs;
    gather_equal(pairs);
    for (int i = 0; i < pairs->count; i++)
        for (int j = pairs->texts[i].people > 1 ? i : i + 1; j < pairs->count; j++)
            compare(pairs, &pairs->texts[i], &pairs->texts[j]);
    class_pairs_write(grading);
}

const GradingFormat class_pairs_format = {
    .name = "pairs",
    .exercise = exercise,
    .end = end,
};

// --- the page

static const char own_style[] =
    ".pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem}\n"
    "@media(max-width:40rem){.pair{grid-template-columns:minmax(0,1fr)}}\n"
    "pre{overflow:auto;padding:.7rem;background:var(--panel);font-size:.8rem;line-height:1.35}\n";

// The person, or with `is_for_all` everyone with that text.
static void put_text(const Grading *grading, const ClassText *text, bool is_for_all)
{
    html_element(grading->out, "<div><h3>", text->name, "");
    for (const ClassText *next = text->same; next && is_for_all; next = next->same)
        html_element(grading->out, ", ", next->name, "");
    html_element(grading->out, "</h3><pre>", text->source, "</pre></div>\n");
}

static void put_both(const Grading *grading, const ClassText *one, const ClassText *other,
                     bool is_for_all)
{
    fputs("<div class=\"pair\">\n", grading->out);
    put_text(grading, one, is_for_all);
    put_text(grading, other, is_for_all);
    fputs("</div>", grading->out);
}

// Several people with one text: names, and a comparison to unfold.
static void put_group(const Grading *grading, const ClassText *text)
{
    html_element(grading->out, "<p>", text->name, "");
    for (const ClassText *next = text->same; next; next = next->same)
        html_element(grading->out, ", ", next->name, "");
    html_element(grading->out, "</p>\n<details><summary>", exercise_word(SAY_PAIRS_OPEN),
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
    html_element(grading->out, "<section><h2>",
                 grading->lessons->exercises[pair->one->exercise].name, ": ");
    if (is_of_group(pair))
        html_element(
            grading->out, "",
            words_format(text, sizeof text, exercise_word(SAY_PAIRS_GROUP), pair->one->people),
            pair->same_numbers ? "; " : "");
    bool tells_share = pair->share > 0 && !is_of_group(pair);
    if (tells_share)
        fprintf(grading->out, "%.0f %% ", 100 * pair->share);
    if (tells_share)
        html_text(grading->out, exercise_word(SAY_PAIRS_SHARED));
    if (pair->same_numbers)
        html_element(grading->out, tells_share ? "; " : "", exercise_word(SAY_REPORT_EQUAL), "");
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

// Writes the page to grading->out.
static void class_pairs_write(const Grading *grading)
{
    const ClassPairs *pairs = grading->pairs;
    const char *title = exercise_word(SAY_PAIRS_TITLE);
    html_page_begin(grading->out, language_name(language_written()), title, own_style);
    html_element(grading->out, "<p>", exercise_word(SAY_PAIRS_ABOUT), "</p>\n");
    if (grading->course.seeds)
        html_element(grading->out, "<p>", exercise_word(SAY_REPORT_SEEDS), "</p>\n");
    if (pairs->pair_count == 0)
        html_element(grading->out, "<p>", exercise_word(SAY_PAIRS_NONE), "</p>\n");
    for (int i = 0; i < pairs->pair_count; i++)
        put_pair(grading, &pairs->pairs[i]);
    fputs("</body></html>\n", grading->out);
}

// --- similarity of two sources

enum { TOKENS_MAX = 20000 };

static const char *const keywords[] = {
    "break",  "case",   "const",  "continue", "default",  "do",   "double", "else",
    "float",  "for",    "goto",   "if",       "int",      "long", "return", "sizeof",
    "static", "struct", "switch", "typedef",  "unsigned", "void", "while"};

static bool is_keyword(const char *at, size_t length, int *which)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == length && memcmp(keywords[i], at, length) == 0) {
            *which = (int)i;
            return true;
        }
    return false;
}

// Skips blanks, comments and preprocessor lines.
static const char *skip_nothing(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at))
            at++;
        else if (*at == '#' || (at[0] == '/' && at[1] == '/'))
            at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            at = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : at + strlen(at);
        else
            return at;
    }
}

// The next token as a small number; all names are one, all numbers another. 0 at the end.
static int next_token(const char **text)
{
    const char *at = skip_nothing(*text);
    int token = (unsigned char)*at, which;
    size_t length = 1;
    if (isalpha(token) || token == '_') {
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        token = is_keyword(at, length, &which) ? 256 + which : 'n';
    } else if (isdigit(token)) {
        while (isalnum((unsigned char)at[length]) || at[length] == '.')
            length++;
        token = '0';
    }
    *text = *at ? at + length : at;
    return token;
}

static int by_value(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static int sort_once(uint64_t *prints, int count)
{
    int kept = 0;
    qsort(prints, (size_t)count, sizeof *prints, by_value);
    for (int i = 0; i < count; i++)
        if (kept == 0 || prints[kept - 1] != prints[i])
            prints[kept++] = prints[i];
    return kept;
}

bool similar_read(SimilarText *text, const char *source, Arena *arena, Error *err)
{
    int *tokens = arena_take(arena, TOKENS_MAX, sizeof *tokens, err);
    uint64_t *runs = arena_take(arena, TOKENS_MAX, sizeof *runs, err);
    int count = 0;
    *text = (SimilarText){.count = 0};
    if (!tokens || !runs)
        return false;
    while (count < TOKENS_MAX && (tokens[count] = next_token(&source)) != 0)
        count++;
    int run_count = count - SIMILAR_RUN + 1;
    for (int i = 0; i < run_count; i++) {
        runs[i] = 0xcbf29ce484222325u; // FNV-1a
        for (int j = 0; j < SIMILAR_RUN; j++)
            runs[i] = (runs[i] ^ (uint64_t)tokens[i + j]) * 0x100000001b3u;
    }
    text->prints = arena_take(arena, (size_t)(run_count > 0 ? run_count : 0), sizeof *runs, err);
    for (int i = 0; text->prints && i + SIMILAR_WINDOW <= run_count; i++) {
        uint64_t least = runs[i];
        for (int j = 1; j < SIMILAR_WINDOW; j++)
            least = runs[i + j] < least ? runs[i + j] : least;
        text->prints[text->count++] = least;
    }
    if (text->prints)
        text->count = sort_once(text->prints, text->count);
    return text->prints != NULL;
}

// The number of common fingerprints.
static int count_shared(const SimilarText *one, const SimilarText *other)
{
    int shared = 0;
    for (int i = 0, j = 0; i < one->count && j < other->count;)
        if (one->prints[i] == other->prints[j]) {
            shared++;
            i++;
            j++;
        } else if (one->prints[i] < other->prints[j]) {
            i++;
        } else {
            j++;
        }
    return shared;
}

void similar_take_out(SimilarText *text, const SimilarText *known)
{
    int kept = 0;
    for (int i = 0; i < text->count; i++)
        if (known->count == 0 || !bsearch(&text->prints[i], known->prints, (size_t)known->count,
                                          sizeof *known->prints, by_value))
            text->prints[kept++] = text->prints[i];
    text->count = kept;
}

double similar_share(const SimilarText *one, const SimilarText *other)
{
    int smaller = one->count < other->count ? one->count : other->count;
    return smaller > 0 ? (double)count_shared(one, other) / smaller : 0.0;
}

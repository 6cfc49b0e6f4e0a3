// The record of a check: its tests and points, where a tensor differs, as text and as JSON.
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "json.h"
#include "new_file.h"
#include "tensor.h"
#include "utf8.h"
#include "verdict.h"
#include "verdict_words.def"
#include "words.h"

// --- tests and points

VerdictTest *verdict_add(Verdict *verdict)
{
    if (verdict->count == VERDICT_TESTS_MAX)
        return NULL;
    VerdictTest *test = &verdict->tests[verdict->count++];
    *test = (VerdictTest){.end = VERDICT_NOT_RUN};
    return test;
}

void verdict_sum(Verdict *verdict)
{
    verdict->points = verdict->max = 0;
    for (int i = 0; i < verdict->count; i++) {
        verdict->points += verdict->tests[i].points;
        verdict->max += verdict->tests[i].max;
    }
}

bool verdict_passed(const Verdict *verdict)
{
    return verdict->count > 0 && !verdict_first_failure(verdict);
}

const VerdictTest *verdict_first_not_run(const Verdict *verdict)
{
    for (int i = 0; i < verdict->count; i++)
        if (verdict->tests[i].end == VERDICT_NOT_RUN)
            return &verdict->tests[i];
    return NULL;
}

bool verdict_judged(const Verdict *verdict)
{
    return verdict->count > 0 && !verdict_first_not_run(verdict);
}

const VerdictTest *verdict_first_failure(const Verdict *verdict)
{
    for (int hidden = 0; hidden < 2; hidden++)
        for (int i = 0; i < verdict->count; i++)
            if (verdict->tests[i].hidden == (hidden == 1) &&
                verdict->tests[i].end != VERDICT_PASSED)
                return &verdict->tests[i];
    return NULL;
}

void verdict_finish(Verdict *verdict)
{
    Arena arena = verdict->arena;
    json_decref(verdict->record);
    *verdict = (Verdict){.exercise = NULL};
    arena_finish(&arena);
}

// --- maps of differences, as characters

enum { MAP_WIDTH = 68, MAP_ROWS = 8, MAP_COLUMNS = 16, MAP_GAP = 3, MAP_LABEL = 32 };

// A tensor as [block, row, column].
typedef struct Map {
    const Tensor *given, *known;
    ptrdiff_t blocks, rows, columns; // of the tensor
    ptrdiff_t high, wide;            // of a block on screen
    ptrdiff_t first, shown;          // the visible blocks
} Map;

static bool differs(const Map *map, ptrdiff_t block, ptrdiff_t row, ptrdiff_t column)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    tensor_unravel(map->known, (block * map->rows + row) * map->columns + column, at);
    return !tensor_difference_agrees(map->given, map->known, at);
}

// A cell combines all elements that fall into it.
static char cell(const Map *map, ptrdiff_t block, ptrdiff_t y, ptrdiff_t x)
{
    ptrdiff_t wrong = 0, all = 0;
    for (ptrdiff_t row = y * map->rows / map->high; row < (y + 1) * map->rows / map->high; row++)
        for (ptrdiff_t column = x * map->columns / map->wide;
             column < (x + 1) * map->columns / map->wide; column++, all++)
            wrong += differs(map, block, row, column);
    return wrong == 0 ? '.' : wrong == all ? '#' : '+';
}

char *verdict_add_index(char *text, size_t room, int rank, const ptrdiff_t at[])
{
    text_add(text, room, "[");
    for (int axis = 0; axis < rank; axis++)
        text_add(text, room, at[axis] < 0 ? "%s:" : "%s%td", axis ? ", " : "", at[axis]);
    return text_add(text, room, "]");
}

// Writes "[1, 0]", the indices before row and column. Returns its length.
static int label(const Map *map, ptrdiff_t block, char text[MAP_LABEL])
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    tensor_unravel(map->known, block * map->rows * map->columns, at);
    text[0] = '\0';
    if (map->known->rank > 2)
        verdict_add_index(text, MAP_LABEL, map->known->rank - 2, at);
    return (int)strlen(text);
}

static ptrdiff_t block_width(const Map *map)
{
    char text[MAP_LABEL];
    ptrdiff_t wide = label(map, map->blocks - 1, text);
    return wide > map->wide ? wide : map->wide;
}

static Map plan(const Tensor *given, const Tensor *known)
{
    Map map = {.given = given, .known = known, .blocks = 1, .rows = 1, .columns = 1};
    for (int axis = 0; axis < known->rank; axis++) {
        ptrdiff_t length = known->shape[axis];
        if (axis == known->rank - 1)
            map.columns = length;
        else if (axis == known->rank - 2)
            map.rows = length;
        else
            map.blocks *= length;
    }
    map.high = map.rows < MAP_ROWS ? map.rows : MAP_ROWS;
    map.wide = map.columns < MAP_COLUMNS ? map.columns : MAP_COLUMNS;
    TensorDifference difference = tensor_difference(given, known);
    ptrdiff_t fit = (MAP_WIDTH + MAP_GAP) / (block_width(&map) + MAP_GAP);
    map.shown = map.blocks < fit ? map.blocks : fit;
    map.first = tensor_ravel(known, difference.first_at) / (map.rows * map.columns);
    if (map.first + map.shown > map.blocks)
        map.first = map.blocks - map.shown;
    return map;
}

// Line -1 has the labels. Stops after the last mark.
static char *write_line(const Map *map, ptrdiff_t line, char *end)
{
    ptrdiff_t width = block_width(map);
    for (ptrdiff_t block = 0; block < map->shown; block++) {
        char text[MAP_LABEL] = "";
        if (line < 0)
            label(map, map->first + block, text);
        for (ptrdiff_t x = 0; line >= 0 && x < map->wide; x++) {
            text[x] = cell(map, map->first + block, line, x);
            text[x + 1] = '\0';
        }
        bool last = block + 1 == map->shown;
        end += sprintf(end, "%-*s", last ? 0 : (int)(width + MAP_GAP), text);
    }
    *end++ = '\n';
    *end = '\0';
    return end;
}

const char *verdict_map(const Tensor *given, const Tensor *known, Arena *arena, Error *err)
{
    TensorDifference difference = tensor_difference(given, known);
    if (difference.kind == DIFFERENCE_SHAPE || difference.all == 0)
        return arena_text(arena, "", err);
    Map map = plan(given, known);
    char *text = arena_take(arena, (size_t)(MAP_ROWS + 1), MAP_WIDTH + 2 * MAP_LABEL, err);
    if (!text)
        return NULL;
    char *end = text;
    for (ptrdiff_t line = known->rank > 2 ? -1 : 0; line < map.high; line++)
        end = write_line(&map, line, end);
    return text;
}

// --- as text for the terminal

enum { TEXT_WIDTH = 80, TEXT_INDENT = 8, TEXT_MAX = 2048, ULP_MAX = 100000 };

// Prints a paragraph, wrapped and indented by `indent` columns.
static void write_paragraph(FILE *out, int indent, const char *text)
{
    int used = 0;
    while (*text) {
        size_t length = strcspn(text, " \n");
        char word[TEXT_MAX];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        int width = utf8_width(word);
        if (used > 0 && used + 1 + width > TEXT_WIDTH - indent) {
            fputc('\n', out);
            used = 0;
        }
        fprintf(out, "%*s%s", used ? 1 : indent, "", word);
        used += width + (used ? 1 : 0);
        text += length + (text[length] != '\0');
    }
    fputc('\n', out);
}

__attribute__((format(printf, 3, 4))) static void say(FILE *out, int indent, const char *format,
                                                      ...)
{
    char text[TEXT_MAX];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    words_settle(text, sizeof text);
    write_paragraph(out, indent, text);
}

// Prints lines as they are, below a heading.
static void write_lines(FILE *out, const char *heading, const char *lines)
{
    say(out, TEXT_INDENT, "%s", heading);
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        fprintf(out, "%*s%.*s\n", TEXT_INDENT + 2, "", (int)length, lines);
        lines += length + (lines[length] != '\0');
    }
}

static void write_count(FILE *out, const VerdictTest *test)
{
    char count[TEXT_MAX / 4], worst[TEXT_MAX / 4] = "", text[TEXT_MAX];
    if (test->wrong == 1)
        snprintf(count, sizeof count, TELL(COUNT_ONE), test->all);
    else
        snprintf(count, sizeof count, TELL(COUNT), test->wrong, test->all);
    static const bool have_distance[] = {
        [VERDICT_KIND_NONE] = true,
#define VERDICT_KIND(NAME, word, has_distance) [VERDICT_KIND_##NAME] = has_distance,
#include "verdict_kinds.def"
    };
    bool have_worst = test->worst > 0.0 && test->unwritten == 0 && have_distance[test->kind];
    if (have_worst && test->worst_ulp < ULP_MAX)
        snprintf(worst, sizeof worst, TELL(WORST_NEAR), test->worst, test->worst_ulp);
    else if (have_worst)
        snprintf(worst, sizeof worst, TELL(WORST), test->worst);
    snprintf(text, sizeof text, "%s%s", count, worst);
    write_paragraph(out, TEXT_INDENT, text);
}

static void write_difference(FILE *out, const VerdictTest *test, bool is_small)
{
    if (test->given)
        say(out, TEXT_INDENT, is_small ? TELL(GIVEN_SMALL) : TELL(GIVEN), test->given);
    if (test->where && test->unwritten > 0 && test->unwritten == test->all) {
        say(out, TEXT_INDENT, TELL(NOTHING), test->all, test->where, test->expected);
        return;
    }
    if (test->where && test->kind == VERDICT_KIND_UNWRITTEN)
        say(out, TEXT_INDENT, TELL(UNSET), test->where, test->expected);
    else if (test->where && !test->got)
        say(out, TEXT_INDENT, TELL(ADDED), test->where, test->expected);
    else if (test->where)
        say(out, TEXT_INDENT, TELL(EXPECTED), test->where, test->expected, test->got);
    const char *const said[VERDICT_KINDS] = {[VERDICT_KIND_NAN] = TELL(NAN_GIVEN),
                                             [VERDICT_KIND_INFINITE] = TELL(INFINITE),
                                             [VERDICT_KIND_FINITE] = TELL(FINITE)};
    if (said[test->kind])
        say(out, TEXT_INDENT, "%s", said[test->kind]);
    if (test->all > 0)
        write_count(out, test);
    if (test->unwritten > 0)
        say(out, TEXT_INDENT, TELL(UNWRITTEN), test->unwritten);
    if (test->property[language_written()])
        say(out, TEXT_INDENT, "%s", test->property[language_written()]);
    if (test->map && *test->map && test->wrong < test->all)
        write_lines(out, TELL(MAP), test->map);
}

// Prints two formulas, each with its name and marks below.
static void write_formulas(FILE *out, const char *lines)
{
    const char *const names[] = {TELL(FORMULA_YOURS), "", TELL(FORMULA_RIGHT), ""};
    for (size_t i = 0; i < sizeof names / sizeof *names && *lines; i++) {
        size_t length = strcspn(lines, "\n");
        int room = 10 - utf8_width(names[i]);
        if (length > 0)
            fprintf(out, "%*s%s%*s%.*s\n", TEXT_INDENT, "", names[i], room, "", (int)length, lines);
        lines += length + (lines[length] != '\0');
    }
}

void verdict_print_formulas(const VerdictTest *test, FILE *out)
{
    if (test->formulas)
        write_formulas(out, test->formulas);
}

static void write_mistakes(FILE *out, const Verdict *verdict, const VerdictTest *test)
{
    const char *relation = test->relation[language_written()];
    if (relation)
        say(out, TEXT_INDENT, TELL(RELATION), relation);
    if (relation && test->formulas)
        write_formulas(out, test->formulas);
    if (!test->mistakes[0])
        return;
    const Mistake *first = mistake_find(test->mistakes[0]);
    bool was_named = false;
    for (const VerdictTest *before = verdict->tests; before < test; before++)
        was_named |= before->mistakes[0] && strcmp(before->mistakes[0], test->mistakes[0]) == 0;
    if (first && was_named) {
        say(out, TEXT_INDENT, TELL(MISTAKE_SAME), first->words[language_now()].title);
        return;
    }
    fputc('\n', out);
    for (int i = 0; i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++) {
        const Mistake *mistake = mistake_find(test->mistakes[i]);
        if (!mistake)
            continue;
        const MistakeWords *said = &mistake->words[language_now()];
        say(out, TEXT_INDENT, "%s", i == 0 ? TELL(MISTAKE) : TELL(MISTAKE_OR));
        write_paragraph(out, TEXT_INDENT, said->title);
        if (i > 0)
            continue;
        write_paragraph(out, TEXT_INDENT, said->shows);
        write_paragraph(out, TEXT_INDENT, said->mend);
    }
}

const char *verdict_in_language(const char *const texts[LANGUAGES])
{
    const char *text = texts[language_written()];
    return text ? text : texts[LANGUAGE_ENGLISH];
}

const char *verdict_title(const VerdictTest *test, char text[VERDICT_TITLE_MAX])
{
    const char *forms[] = {
        [VERDICT_PASSED] = "%s",
        [VERDICT_WRONG] = TELL(TITLE_WRONG),
        [VERDICT_BROKEN] = TELL(TITLE_BROKEN),
        [VERDICT_NOT_RUN] = "%s",
    };
    const char *title = verdict_in_language(test->title), *asked = title ? title : test->name;
    return words_format(text, VERDICT_TITLE_MAX, forms[test->end], asked);
}

static void write_test(FILE *out, const Verdict *verdict, const VerdictTest *test)
{
    const char *const marks[] = {
        [VERDICT_PASSED] = TELL(PASSED),
        [VERDICT_WRONG] = TELL(FAILED),
        [VERDICT_BROKEN] = TELL(BROKEN),
        [VERDICT_NOT_RUN] = TELL(NOT_RUN),
    };
    const char *mark = marks[test->end];
    char title[VERDICT_TITLE_MAX];
    fprintf(out, "  %s%*s%s\n", mark, TEXT_INDENT - 2 - utf8_width(mark), "",
            verdict_title(test, title));
    if (test->end == VERDICT_PASSED || test->end == VERDICT_NOT_RUN)
        return; // the reason was printed above
    const char *why = verdict_in_language(test->why);
    if (why)
        write_paragraph(out, TEXT_INDENT, why);
    const VerdictTest *shown = test->smallest ? test->smallest : test;
    write_difference(out, shown, shown != test);
    if (shown->printed)
        write_lines(out, TELL(PRINTED), shown->printed);
    write_mistakes(out, verdict, test);
    fputc('\n', out);
}

static void write_hidden(FILE *out, const Verdict *verdict)
{
    int all = 0, right = 0, not_run = 0;
    for (int i = 0; i < verdict->count; i++)
        if (verdict->tests[i].hidden) {
            all++;
            right += verdict->tests[i].end == VERDICT_PASSED;
            not_run += verdict->tests[i].end == VERDICT_NOT_RUN;
        }
    if (all == 0)
        return;
    if (not_run > 0)
        say(out, 2, TELL(HIDDEN_NOT_RUN), not_run, all);
    else if (right == all)
        say(out, 2, TELL(HIDDEN_PASSED), all);
    else
        say(out, 2, TELL(HIDDEN_FAILED), all - right, all);
    const VerdictTest *first = verdict_first_failure(verdict);
    if (first && first->hidden && not_run == 0) {
        const char *why = verdict_in_language(first->why);
        say(out, 2, TELL(HIDDEN_ONLY));
        if (why)
            write_paragraph(out, TEXT_INDENT, why);
        write_mistakes(out, verdict, first);
    }
}

static void write_heading(FILE *out, const Verdict *verdict)
{
    const VerdictTest *not_run = verdict_first_not_run(verdict);
    if (!not_run) {
        say(out, 0, TELL(HEADING), verdict->exercise, verdict->points, verdict->max);
        return;
    }
    const char *why = verdict_in_language(not_run->why);
    say(out, 0, TELL(NOT_JUDGED), verdict->exercise);
    if (why)
        write_paragraph(out, 2, why);
    say(out, 2, TELL(NO_FAULT));
    fputc('\n', out);
}

static void write_chain(FILE *out, const Verdict *verdict)
{
    const char *why = verdict_in_language(verdict->chain_why);
    if (verdict->chain_max > 0)
        say(out, 2, TELL(CHAIN), verdict->chain_points, verdict->chain_max);
    if (why)
        say(out, 2, TELL(CHAIN_STOPPED), why);
    else if (verdict_passed(verdict) && verdict->chain_points < verdict->chain_max)
        say(out, 2, TELL(CHAIN_BEFORE));
}

void verdict_print(const Verdict *verdict, FILE *out)
{
    write_heading(out, verdict);
    for (int i = 0; i < verdict->count; i++)
        if (!verdict->tests[i].hidden)
            write_test(out, verdict, &verdict->tests[i]);
    write_hidden(out, verdict);
    write_chain(out, verdict);
    if (verdict_first_failure(verdict))
        say(out, 2, TELL(AGAIN), verdict->exercise, verdict->seed);
}

// --- JSON, and back: the keys are the names of the fields

static const char *const ends[] = {
    [VERDICT_PASSED] = "passed",
    [VERDICT_WRONG] = "wrong",
    [VERDICT_BROKEN] = "broken",
    [VERDICT_NOT_RUN] = "not run",
};
enum { ENDS = sizeof ends / sizeof *ends };
static const char *const kinds[] = {
    [VERDICT_KIND_NONE] = NULL,
#define VERDICT_KIND(NAME, word, ...) [VERDICT_KIND_##NAME] = word,
#include "verdict_kinds.def"
};

// --- writing: json_whole tells whether memory sufficed

// A text in the languages it has; NULL if it has no English.
static json_t *from_languages(const char *const texts[LANGUAGES])
{
    return texts[LANGUAGE_ENGLISH]
               ? json_pack("{s:s, s:s*}", language_name(LANGUAGE_ENGLISH), texts[LANGUAGE_ENGLISH],
                           language_name(LANGUAGE_KOREAN), texts[LANGUAGE_KOREAN])
               : NULL;
}

static json_t *from_test(const VerdictTest *test)
{
    json_t *mistakes = json_array();
    for (int i = 0; i < VERDICT_MISTAKES_MAX && test->mistakes[i]; i++)
        json_array_append_new(mistakes, json_string(test->mistakes[i]));
    return json_pack(
        "{s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*,"
        " s:i, s:i, s:I, s:I, s:I, s:I, s:s, s:s*, s:b, s:f,"
        " s:o*, s:o*, s:o*, s:o*, s:o, s:o*}",
        "name", test->name, "why", test->why[LANGUAGE_ENGLISH], "given", test->given, "where",
        test->where, "expected", test->expected, "got", test->got, "map", test->map, "why_korean",
        test->why[LANGUAGE_KOREAN], "printed", test->printed, "formulas", test->formulas, "edited",
        test->edited, "points", test->points, "max", test->max, "wrong", (json_int_t)test->wrong,
        "all", (json_int_t)test->all, "unwritten", (json_int_t)test->unwritten, "worst_ulp",
        (json_int_t)test->worst_ulp, "end", ends[test->end], "kind", kinds[test->kind], "hidden",
        test->hidden, "worst", isfinite(test->worst) ? test->worst : 0.0, "title",
        from_languages(test->title), "property", from_languages(test->property), "relation",
        from_languages(test->relation), "edit_kind", from_languages(test->edit_kind), "mistakes",
        mistakes, "smallest", test->smallest ? from_test(test->smallest) : NULL);
}

static json_t *from_verdict(const Verdict *verdict)
{
    json_t *tests = json_array();
    for (int i = 0; i < verdict->count; i++)
        json_array_append_new(tests, from_test(&verdict->tests[i]));
    return json_pack("{s:i, s:I, s:b, s:s*, s:s*, s:s*, s:s*, s:s*, s:i, s:i, s:i, s:i, s:i, s:o}",
                     "schema", VERDICT_SCHEMA, "seed", (json_int_t)verdict->seed, "judged",
                     verdict_judged(verdict), "exercise", verdict->exercise, "version",
                     verdict->version, "fence", verdict->fence, "chain_why",
                     verdict->chain_why[LANGUAGE_ENGLISH], "chain_why_korean",
                     verdict->chain_why[LANGUAGE_KOREAN], "spent", verdict->spent, "points",
                     verdict->points, "max", verdict->max, "chain_points", verdict->chain_points,
                     "chain_max", verdict->chain_max, "tests", tests);
}

static bool dump(const void *record, FILE *out, Error *err)
{
    errno = 0;
    return json_dumpf(record, out, JSON_INDENT(2)) == 0 ||
           (json_whole(err) && error_set(err, "%s", error_reason(errno)));
}

bool verdict_write(const Verdict *verdict, const char *path, Error *err)
{
    json_whole_begin();
    json_t *record = from_verdict(verdict);
    bool good = record && json_whole(err) && new_file_write(path, dump, record, err);
    if (!good)
        error_prefix(err, "%s: ", path);
    json_decref(record);
    return good;
}

// --- reading

static void take_languages(const json_t *all, const char *texts[LANGUAGES])
{
    for (int language = 0; language < LANGUAGES; language++)
        texts[language] =
            json_string_value(json_object_get(all, language_name((Language)language)));
}

// The index of a word among a field's values; -1: missing.
static int word_of(const char *word, const char *const words[], int count)
{
    for (int i = 0; i < count; i++)
        if (word && words[i] && strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

// The parts of a test's record that are not plain fields.
typedef struct TestParts {
    const char *end, *kind;
    json_t *title, *property, *relation, *edit_kind, *mistakes, *smallest;
} TestParts;

static bool unpack_test(json_t *object, VerdictTest *test, TestParts *parts)
{
    json_int_t wrong = 0, all = 0, unwritten = 0, worst_ulp = 0;
    int hidden = 0;
    bool good =
        json_unpack(object,
                    "{s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?i, s?i,"
                    " s?I, s?I, s?I, s?I, s:s, s?s, s?b, s?F, s?o, s?o, s?o, s?o, s?o, s?o}",
                    "name", &test->name, "why", &test->why[LANGUAGE_ENGLISH], "given", &test->given,
                    "where", &test->where, "expected", &test->expected, "got", &test->got, "map",
                    &test->map, "why_korean", &test->why[LANGUAGE_KOREAN], "printed",
                    &test->printed, "formulas", &test->formulas, "edited", &test->edited, "points",
                    &test->points, "max", &test->max, "wrong", &wrong, "all", &all, "unwritten",
                    &unwritten, "worst_ulp", &worst_ulp, "end", &parts->end, "kind", &parts->kind,
                    "hidden", &hidden, "worst", &test->worst, "title", &parts->title, "property",
                    &parts->property, "relation", &parts->relation, "edit_kind", &parts->edit_kind,
                    "mistakes", &parts->mistakes, "smallest", &parts->smallest) == 0;
    test->hidden = hidden;
    test->wrong = wrong;
    test->all = all;
    test->unwritten = unwritten;
    test->worst_ulp = worst_ulp;
    return good;
}

static bool to_test(json_t *object, Arena *arena, VerdictTest *test, Error *err)
{
    TestParts parts = {.end = NULL};
    if (!unpack_test(object, test, &parts) || word_of(parts.end, ends, ENDS) < 0)
        return error_set(err, TELL(RECORD_NO_END));
    int kind = word_of(parts.kind, kinds, VERDICT_KINDS);
    test->end = (VerdictEnd)word_of(parts.end, ends, ENDS);
    test->kind = kind < 0 ? VERDICT_KIND_NONE : (VerdictKind)kind;
    take_languages(parts.title, test->title);
    take_languages(parts.property, test->property);
    take_languages(parts.relation, test->relation);
    take_languages(parts.edit_kind, test->edit_kind);
    for (size_t i = 0; i < VERDICT_MISTAKES_MAX; i++)
        test->mistakes[i] = json_string_value(json_array_get(parts.mistakes, i));
    if (!parts.smallest || json_object_get(parts.smallest, "smallest")) // which has none
        return true;
    VerdictTest *small = arena_take(arena, 1, sizeof *small, err);
    test->smallest = small;
    return small && to_test(parts.smallest, arena, small, err);
}

static bool to_verdict(json_t *object, const char *path, Verdict *verdict, Error *err)
{
    int schema = 0;
    json_int_t seed = 0;
    json_t *tests = NULL;
    if (json_unpack(object, "{s:i, s?I, s?s, s?s, s?s, s?s, s?s, s?i, s?i, s?i, s?i, s?i, s?o}",
                    "schema", &schema, "seed", &seed, "exercise", &verdict->exercise, "version",
                    &verdict->version, "fence", &verdict->fence, "chain_why",
                    &verdict->chain_why[LANGUAGE_ENGLISH], "chain_why_korean",
                    &verdict->chain_why[LANGUAGE_KOREAN], "spent", &verdict->spent, "points",
                    &verdict->points, "max", &verdict->max, "chain_points", &verdict->chain_points,
                    "chain_max", &verdict->chain_max, "tests", &tests) != 0 ||
        schema != VERDICT_SCHEMA)
        return error_set(err, TELL(RECORD_NOT), path, VERDICT_SCHEMA);
    verdict->seed = seed;
    for (size_t i = 0; i < json_array_size(tests); i++) {
        VerdictTest *test = verdict_add(verdict);
        if (!test)
            return error_set(err, TELL(RECORD_MANY), path, VERDICT_TESTS_MAX);
        if (!to_test(json_array_get(tests, i), &verdict->arena, test, err))
            return error_prefix(err, "%s: ", path);
    }
    return (verdict->exercise && verdict->count > 0) || error_set(err, TELL(RECORD_NONE), path);
}

bool verdict_take(Verdict *verdict, json_t *object, const char *path, Error *err)
{
    *verdict = (Verdict){.record = json_incref(object)};
    bool good = to_verdict(object, path, verdict, err);
    if (!good)
        verdict_finish(verdict);
    return good;
}

// lecture_question: a question as YAML; see lecture.h.
#include "lecture_internal.h"
#include "lecture_markdown.h"

#include <string.h>
#include "nearest.h"
#include "reference.h"
#include "yaml_tree.h"

static const char *const kinds[QUESTION_COUNT + 1] = {
    [QUESTION_NONE] = "",       [QUESTION_SHAPE] = "shape", [QUESTION_VALUE] = "value",
    [QUESTION_ZEROS] = "zeros", [QUESTION_HEAD] = "head",   [QUESTION_TRUE_FALSE] = "true-false",
    [QUESTION_LINE] = "line",
};

static const char *const keys[] = {"kind", "ask",   "answer", "right", "wrong",
                                   "hint", "lines", "claims", NULL};

// A text with emphasis and references, as in paragraphs.
static bool take_text(LectureReader *reader, const YamlNode *map, const char *key, int line,
                      LectureSpan **spans)
{
    const YamlNode *node = yaml_get(map, key);
    if (!node)
        return true;
    if (node->kind != YAML_SCALAR)
        return lecture_error(reader, line, "%s: is a text", key);
    cmark_node *root = lecture_markdown(node->text, strlen(node->text), reader->err);
    if (!root)
        return false;
    cmark_node *paragraph = cmark_node_first_child(root);
    bool good = paragraph && cmark_node_get_type(paragraph) == CMARK_NODE_PARAGRAPH
                    ? lecture_spans(reader, paragraph, line + node->line, spans)
                    : lecture_error(reader, line, "%s: is one paragraph", key);
    cmark_node_free(root);
    return good;
}

static bool take_kind(LectureReader *reader, const YamlNode *map, int line)
{
    const YamlNode *node = yaml_get(map, "kind");
    const char *name = node && node->kind == YAML_SCALAR ? node->text : "";
    for (int kind = QUESTION_SHAPE; kind < QUESTION_COUNT; kind++)
        if (strcmp(kinds[kind], name) == 0)
            reader->page->question.kind = (QuestionKind)kind;
    if (reader->page->question.kind != QUESTION_NONE)
        return true;
    const char *near = nearest_word(name, kinds + 1);
    return lecture_error(reader, line,
                         "there is no kind of question \"%.40s\"; did you mean \"%s\"?", name,
                         near ? near : kinds[QUESTION_VALUE]);
}

static bool take_list(LectureReader *reader, const YamlNode *map, const char *key, int line,
                      const char *texts[QUESTION_LINES_MAX], int *count)
{
    const YamlNode *list = yaml_get(map, key);
    if (!list || list->kind != YAML_LIST || list->count < 2 || list->count > QUESTION_LINES_MAX)
        return lecture_error(reader, line, "%s: is a list of 2 to %d texts", key,
                             QUESTION_LINES_MAX);
    for (const YamlNode *node = list->first; node; node = node->next) {
        texts[*count] = node->kind == YAML_SCALAR ? lecture_text(reader, node->text) : NULL;
        if (!texts[(*count)++])
            return lecture_error(reader, line, "%s: holds something that is no text", key);
    }
    return true;
}

static bool take_claims(LectureReader *reader, const YamlNode *map, int line)
{
    LectureQuestion *question = &reader->page->question;
    int claims = 0;
    if (!take_list(reader, map, "lines", line, question->lines, &question->line_count) ||
        !take_list(reader, map, "claims", line, question->claims, &claims))
        return false;
    if (claims != question->line_count)
        return lecture_error(reader, line, "%d lines: need as many claims:, not %d",
                             question->line_count, claims);
    for (int i = 0; i < claims; i++) {
        Claim claim;
        Error problem = {.text = ""};
        if (!claim_parse(question->claims[i], &claim, &problem))
            return lecture_error(reader, line, "%s", problem.text);
    }
    return true;
}

static bool take_answer(LectureReader *reader, const YamlNode *map, int line)
{
    LectureQuestion *question = &reader->page->question;
    if (question->kind == QUESTION_LINE)
        return take_claims(reader, map, line);
    const YamlNode *node = yaml_get(map, "answer");
    if (!node || node->kind != YAML_SCALAR)
        return lecture_error(reader, line, "a question needs an answer: a reference to the trace");
    Error problem = {.text = ""};
    Reference reference;
    Claim claim;
    bool good = question->kind == QUESTION_TRUE_FALSE
                    ? claim_parse(node->text, &claim, &problem)
                    : reference_parse(node->text, &reference, &problem);
    if (good && question->kind != QUESTION_TRUE_FALSE && reference.kind == REFERENCE_NUMBERS)
        good = error_set(&problem, "an answer comes from the trace, not from a typed number");
    if (!good)
        return lecture_error(reader, line, "%s", problem.text);
    question->answer = lecture_text(reader, node->text);
    return question->answer != NULL;
}

static bool take(LectureReader *reader, const YamlNode *map, int line)
{
    LectureQuestion *question = &reader->page->question;
    question->line = line;
    return take_kind(reader, map, line) && take_answer(reader, map, line) &&
           take_text(reader, map, "ask", line, &question->ask) &&
           take_text(reader, map, "right", line, &question->right) &&
           take_text(reader, map, "wrong", line, &question->wrong) &&
           take_text(reader, map, "hint", line, &question->hint) &&
           ((question->ask && question->wrong) ||
            lecture_error(reader, line, "a question needs ask: and wrong:"));
}

bool lecture_question(LectureReader *reader, const char *yaml, int line)
{
    Arena arena = {0};
    Error problem = {.text = ""};
    if (reader->page->question.kind != QUESTION_NONE)
        return lecture_error(reader, line, "this page has a question already");
    const YamlNode *map = yaml_read_text(yaml, strlen(yaml), "question", &arena, &problem);
    bool read = map && yaml_only(map, keys, &problem);
    bool good = read ? take(reader, map, line) : lecture_error(reader, line, "%s", problem.text);
    arena_finish(&arena);
    return good;
}

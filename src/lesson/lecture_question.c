// lecture_question: a question as YAML; see lecture.h.
#include "lecture_internal.h"
#include "lecture_markdown.h"

#include <string.h>
#include "nearest.h"
#include "reference.h"
#include "yaml_tree.h"
#include "lesson_words.h"

// The fields of question_kinds.def.
enum {
    ANSWER = 1,
    CLAIM = 2,
    LINES = 4,
    CLAIMS = 8,
    STEPS = 16,
    CAUSES = 32,
    CHANGE = 64,
    AXIS = 128,
};

static const struct {
    const char *word;
    int fields;
} kinds[QUESTION_COUNT] = {
#define QUESTION_KIND(NAME, name, word, fields, ...) [QUESTION_##NAME] = {word, fields},
#include "question_kinds.def"
};

static const char *const keys[] = {"kind",   "ask",     "answer", "right", "wrong",
                                   "hint",   "lines",   "claims", "steps", "causes",
                                   "change", "unknown", NULL};

// A text with emphasis and references, as in paragraphs.
static bool take_text(LectureReader *reader, const YamlNode *map, const char *key, int line,
                      LectureSpan **spans)
{
    const YamlNode *node = yaml_get(map, key);
    if (!node)
        return true;
    if (node->kind != YAML_SCALAR)
        return lecture_error(reader, line, TELL(QUESTION_TEXT), key);
    cmark_node *root = lecture_markdown(node->text, strlen(node->text), reader->err);
    if (!root)
        return false;
    cmark_node *paragraph = cmark_node_first_child(root);
    bool good = paragraph && cmark_node_get_type(paragraph) == CMARK_NODE_PARAGRAPH
                    ? lecture_spans(reader, paragraph, line + node->line, spans)
                    : lecture_error(reader, line, TELL(QUESTION_PARAGRAPH), key);
    cmark_node_free(root);
    return good;
}

static bool take_kind(LectureReader *reader, const YamlNode *map, int line)
{
    const YamlNode *node = yaml_get(map, "kind");
    const char *name = node && node->kind == YAML_SCALAR ? node->text : "";
    const char *known[QUESTION_COUNT] = {NULL};
    for (int kind = QUESTION_NONE + 1; kind < QUESTION_COUNT; kind++) {
        known[kind - 1] = kinds[kind].word;
        if (strcmp(kinds[kind].word, name) == 0)
            reader->page->question.kind = (QuestionKind)kind;
    }
    if (reader->page->question.kind != QUESTION_NONE)
        return true;
    const char *near = nearest_word(name, known);
    return lecture_error(reader, line, TELL(QUESTION_KIND), name,
                         near ? near : kinds[QUESTION_VALUE].word);
}

// As many of them as of the lists before.
static bool take_list(LectureReader *reader, const YamlNode *map, const char *key, int line,
                      const char *texts[QUESTION_CHOICES_MAX])
{
    const YamlNode *list = yaml_get(map, key);
    int *wanted = &reader->page->question.choice_count, count = 0;
    if (!list || list->kind != YAML_LIST || list->count < 2 || list->count > QUESTION_CHOICES_MAX)
        return lecture_error(reader, line, TELL(QUESTION_LIST), key, QUESTION_CHOICES_MAX);
    if (*wanted > 0 && (int)list->count != *wanted)
        return lecture_error(reader, line, TELL(QUESTION_AS_MANY), *wanted, key, (int)list->count);
    for (const YamlNode *node = list->first; node; node = node->next) {
        texts[count] = node->kind == YAML_SCALAR ? lecture_text(reader, node->text) : NULL;
        if (!texts[count++])
            return lecture_error(reader, line, TELL(QUESTION_NO_TEXT), key);
    }
    *wanted = count;
    return true;
}

static bool claims_hold_together(LectureReader *reader, int line)
{
    const LectureQuestion *question = &reader->page->question;
    for (int i = 0; i < question->choice_count; i++) {
        Claim claim;
        Error problem = {.text = ""};
        if (!claim_parse(question->behind[i], &claim, &problem))
            return lecture_error(reader, line, "%s", problem.text);
    }
    return true;
}

static bool take_choices(LectureReader *reader, const YamlNode *map, int fields, int line)
{
    LectureQuestion *question = &reader->page->question;
    if ((fields & LINES) && !take_list(reader, map, "lines", line, question->lines))
        return false;
    if (fields & CLAIMS)
        return take_list(reader, map, "claims", line, question->behind) &&
               claims_hold_together(reader, line);
    if (fields & (STEPS | CAUSES))
        return take_list(reader, map, fields & STEPS ? "steps" : "causes", line, question->behind);
    return true;
}

static bool take_answer(LectureReader *reader, const YamlNode *map, int fields, int line)
{
    LectureQuestion *question = &reader->page->question;
    const YamlNode *node = yaml_get(map, "answer");
    if (!(fields & (ANSWER | CLAIM)))
        return true;
    if (!node || node->kind != YAML_SCALAR)
        return lecture_error(reader, line, TELL(QUESTION_ANSWER));
    Error problem = {.text = ""};
    Reference reference;
    Claim claim;
    bool good = fields & CLAIM ? claim_parse(node->text, &claim, &problem)
                               : reference_parse(node->text, &reference, &problem);
    if (good && !(fields & CLAIM) && reference.kind == REFERENCE_NUMBERS)
        good = error_set(&problem, TELL(QUESTION_TYPED));
    if (!good)
        return lecture_error(reader, line, "%s", problem.text);
    question->answer = lecture_text(reader, node->text);
    return question->answer != NULL;
}

static bool take_change(LectureReader *reader, const YamlNode *map, int fields, int line)
{
    LectureQuestion *question = &reader->page->question;
    const YamlNode *change = yaml_get(map, "change"), *axis = yaml_get(map, "unknown");
    if ((fields & CHANGE) && (!change || change->kind != YAML_SCALAR))
        return lecture_error(reader, line, TELL(QUESTION_CHANGE));
    if (fields & CHANGE)
        question->change = lecture_text(reader, change->text);
    if (!(fields & AXIS))
        return !(fields & CHANGE) || question->change;
    bool single = axis && axis->kind == YAML_SCALAR && axis->text[0] >= '0' &&
                  axis->text[0] <= '9' && axis->text[1] == '\0';
    question->unknown = single ? axis->text[0] - '0' : 0;
    return single || lecture_error(reader, line, TELL(QUESTION_AXIS));
}

static bool take(LectureReader *reader, const YamlNode *map, int line)
{
    LectureQuestion *question = &reader->page->question;
    question->line = line;
    if (!take_kind(reader, map, line))
        return false;
    int fields = kinds[question->kind].fields;
    return take_choices(reader, map, fields, line) && take_answer(reader, map, fields, line) &&
           take_change(reader, map, fields, line) &&
           take_text(reader, map, "ask", line, &question->ask) &&
           take_text(reader, map, "right", line, &question->right) &&
           take_text(reader, map, "wrong", line, &question->wrong) &&
           take_text(reader, map, "hint", line, &question->hint) &&
           ((question->ask && question->wrong) || lecture_error(reader, line, TELL(QUESTION_ASK)));
}

bool lecture_question(LectureReader *reader, const char *yaml, int line)
{
    Arena arena = {0};
    Error problem = {.text = ""};
    if (reader->page->question.kind != QUESTION_NONE)
        return lecture_error(reader, line, TELL(QUESTION_TWICE));
    const YamlNode *map = yaml_read_text(yaml, strlen(yaml), "question", &arena, &problem);
    bool read = map && yaml_only(map, keys, &problem);
    bool good = read ? take(reader, map, line) : lecture_error(reader, line, "%s", problem.text);
    arena_finish(&arena);
    return good;
}

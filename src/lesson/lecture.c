// Parses lectures: Markdown into pages with text, questions and commands; see lecture.h.
//
// cmark would end the program without memory; our allocator leaves it through longjmp instead.
#include "lecture.h"

#include <cmark.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "error.h"
#include "input_file.h"
#include "lesson_words.def"
#include "shown_name.h"
#include "utf8.h"
#include "yaml_tree.h"

// --- references and claims

static const char *const reference_words[] = {
    [REFERENCE_ELEMENTS] = "",     [REFERENCE_SHAPE] = "shape",
    [REFERENCE_STRIDE] = "stride", [REFERENCE_OFFSET] = "offset",
    [REFERENCE_PLACE] = "place",   [REFERENCE_SUM] = "sum",
    [REFERENCE_MAX] = "max",       [REFERENCE_ARGMAX] = "argmax",
    [REFERENCE_ZEROS] = "zeros",   [REFERENCE_RIGHT] = "right",
    [REFERENCE_APART] = "apart",   [REFERENCE_COMPOSITION] = "composition",
    [REFERENCE_SCALE] = "scale",
};

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

static const char *after_spaces(const char *text)
{
    return text + strspn(text, " ");
}

// Cuts a name off the front of the text; false if there is none or it is too long.
static bool take_name(const char **text, char name[REFERENCE_NAME_MAX])
{
    const char *start = after_spaces(*text);
    size_t length = strspn(start, name_letters);
    if (length == 0 || length >= REFERENCE_NAME_MAX)
        return false;
    memcpy(name, start, length);
    name[length] = '\0';
    *text = after_spaces(start + length);
    return true;
}

static bool take_index(const char **text, Reference *reference)
{
    const char *rest = after_spaces(*text + 1); // after the bracket
    while (*rest && *rest != ']') {
        char *end = (char *)rest + 1;
        if (reference->index_count == REFERENCE_INDEX_MAX)
            return false;
        ptrdiff_t *index = &reference->index[reference->index_count++];
        *index = *rest == ':' ? REFERENCE_WHOLE_AXIS : (ptrdiff_t)strtol(rest, &end, 10);
        if (end == rest || *index < REFERENCE_WHOLE_AXIS || (*index < 0 && *rest != ':'))
            return false;
        rest = after_spaces(end);
        if (*rest == ',')
            rest = after_spaces(rest + 1);
        else if (*rest != ']')
            return false;
    }
    *text = after_spaces(*rest ? rest + 1 : rest);
    return *rest == ']';
}

// "1", "-0.5", "(1, 3, 4)".
static bool take_numbers(const char *text, Reference *reference)
{
    bool parenthesis = *text == '(';
    reference->kind = REFERENCE_NUMBERS;
    for (text = after_spaces(text + parenthesis); *text && *text != ')';) {
        char *end;
        if (reference->number_count == REFERENCE_INDEX_MAX)
            return false;
        reference->numbers[reference->number_count++] = strtod(text, &end);
        if (end == text)
            return false;
        text = after_spaces(end);
        text += *text == ',';
        text = after_spaces(text);
    }
    return reference->number_count > 0 && (!parenthesis || *text++ == ')') && !*after_spaces(text);
}

// The function before a tensor's name, if any.
static void take_reference_kind(const char **text, Reference *reference)
{
    size_t length = strspn(*text, name_letters);
    for (int kind = REFERENCE_SHAPE; kind <= REFERENCE_SCALE; kind++)
        if (strlen(reference_words[kind]) == length &&
            strncmp(*text, reference_words[kind], length) == 0) {
            reference->kind = (ReferenceKind)kind;
            *text = after_spaces(*text + length);
            return;
        }
}

static bool take_tensor(const char *text, Reference *reference)
{
    take_reference_kind(&text, reference);
    if (reference->kind == REFERENCE_SCALE)
        return !*text;
    return take_name(&text, reference->tensor) && (*text != '[' || take_index(&text, reference)) &&
           !*text;
}

static bool explain(const char *text, Error *err)
{
    char word[REFERENCE_NAME_MAX] = "";
    const char *rest = text;
    const char *known[REFERENCE_SCALE + 1] = {NULL};
    for (int kind = REFERENCE_SHAPE; kind <= REFERENCE_SCALE; kind++)
        known[kind - REFERENCE_SHAPE] = reference_words[kind];
    const char *near = take_name(&rest, word) && *rest ? nearest_word(word, known) : NULL;
    return near ? error_set(err, TELL(REFERENCE_NEAR), text, near)
                : error_set(err, TELL(REFERENCE_UNKNOWN), text);
}

bool reference_parse(const char *text, Reference *reference, Error *err)
{
    const char *rest = after_spaces(text);
    *reference = (Reference){.kind = REFERENCE_ELEMENTS};
    if (*rest && strchr("(-+0123456789", *rest))
        return take_numbers(rest, reference) || explain(text, err);
    size_t length = strcspn(rest, ":[(");
    if (rest[length] == ':' && length > 0 && length < REFERENCE_NAME_MAX) {
        memcpy(reference->scenario, rest, length);
        rest = after_spaces(rest + length + 1);
    }
    return take_tensor(rest, reference) || explain(text, err);
}

bool claim_parse(const char *text, Claim *claim, Error *err)
{
    char left[256];
    size_t length = strcspn(text, "=<>");
    if (!text[length] || length >= sizeof left)
        return error_set(err, TELL(CLAIM_NOTHING), text);
    memcpy(left, text, length);
    while (length > 0 && left[length - 1] == ' ')
        length--;
    left[length] = '\0';
    const char *rest = text + strcspn(text, "=<>");
    claim->relation = *rest;
    claim->to_the_bit = rest[0] == '=' && rest[1] == '=';
    char right[256];
    snprintf(right, sizeof right, "%s", rest + 1 + claim->to_the_bit);
    for (size_t end = strlen(right); end > 0 && right[end - 1] == ' ';)
        right[--end] = '\0';
    return reference_parse(left, &claim->left, err) && reference_parse(right, &claim->right, err);
}

// --- texts and errors

typedef struct LectureReader {
    Lecture *lecture;
    LecturePage *page; // NULL before the first
    const char *at;    // the position in its line, for errors; NULL: the line
    Error *err;
} LectureReader;

// Sets err to "file:line: message". Returns false.
bool lecture_error(LectureReader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Copies a text into the lecture's arena; NULL without memory.
const char *lecture_text(LectureReader *reader, const char *text);

// Appends the inline content of a node to *spans. `line` is for errors where the parser has no position.
bool lecture_spans(LectureReader *reader, cmark_node *parent, int line, LectureSpan **spans);

// Parses a fenced block that starts with ```question.
bool lecture_question(LectureReader *reader, const char *yaml, int line);

int lecture_column(const Lecture *lecture, int line, const char *what)
{
    const char *start = lecture->source;
    for (; line > 1 && start; line--) {
        start = strchr(start, '\n');
        start = start ? start + 1 : NULL;
    }
    if (!start)
        return 1;
    size_t length = strcspn(start, "\n"), own = what ? strlen(what) : 0;
    const char *at = start + strspn(start, " ");
    for (size_t i = 0; own > 0 && i + own <= length; i++)
        if (memcmp(start + i, what, own) == 0) {
            at = start + i;
            break;
        }
    int column = 1;
    for (const char *before = start; before < at; before++)
        column += ((unsigned char)*before & 0xc0) != 0x80; // skip continuation bytes
    return column;
}

bool lecture_error(LectureReader *reader, int line, const char *format, ...)
{
    char text[sizeof reader->err->text / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(reader->err, "%s:%d:%d: %s", reader->lecture->file, line,
                     lecture_column(reader->lecture, line, reader->at), text);
}

const char *lecture_text(LectureReader *reader, const char *text)
{
    return arena_text(&reader->lecture->arena, text, reader->err);
}

// --- cmark's tree

// Parses Markdown; release with cmark_node_free. NULL and err without memory.
cmark_node *lecture_markdown(const char *text, size_t length, Error *err);

// Header of each allocation.
typedef struct Piece Piece;
struct Piece {
    _Alignas(16) Piece *before;
    Piece *behind;
};

static Piece *newest;    // allocations of the running parser
static jmp_buf *way_out; // NULL: no parser is running

static void *begin(Piece *piece)
{
    if (!piece && !way_out) // reading a tree allocates nothing
        abort();
    if (!piece)
        longjmp(*way_out, 1);
    piece->before = NULL;
    piece->behind = newest;
    if (newest)
        newest->before = piece;
    newest = piece;
    return piece + 1;
}

static void *markdown_take(size_t count, size_t size)
{
    bool fits = size == 0 || count <= (SIZE_MAX - sizeof(Piece)) / size;
    return begin(fits ? calloc(1, sizeof(Piece) + count * size) : NULL);
}

static void leave_list(Piece *piece)
{
    if (piece->before)
        piece->before->behind = piece->behind;
    if (piece->behind)
        piece->behind->before = piece->before;
    if (newest == piece)
        newest = piece->behind;
}

static void give_back(void *memory)
{
    if (!memory)
        return;
    Piece *piece = (Piece *)memory - 1;
    leave_list(piece);
    free(piece);
}

static void *take_more(void *memory, size_t bytes)
{
    Piece *piece = memory ? (Piece *)memory - 1 : NULL;
    if (piece)
        leave_list(piece);
    Piece *larger = realloc(piece, sizeof(Piece) + bytes);
    if (!larger && piece)
        begin(piece);
    return begin(larger);
}

cmark_node *lecture_markdown(const char *text, size_t length, Error *err)
{
    static cmark_mem memory = {markdown_take, take_more, give_back};
    jmp_buf out;
    cmark_node *volatile root = NULL; // changed between setjmp and longjmp
    newest = NULL;
    way_out = &out;
    if (setjmp(out) == 0) {
        cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, &memory);
        cmark_parser_feed(parser, text, length);
        root = cmark_parser_finish(parser);
        cmark_parser_free(parser);
        newest = NULL; // the rest belongs to the tree
    } else {
        error_machine(err, TELL(MARKDOWN_MEMORY), length);
    }
    way_out = NULL;
    while (newest)
        give_back(newest + 1);
    return root;
}

// --- text with emphasis, code and references

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
    reader->at = text;
    if (!reference_parse(text + 1, &reference, &problem))
        return lecture_error(reader, line, "%s", problem.text);
    reader->at = NULL;
    return append(reader, SPAN_REFERENCE, text + 1, line, spans);
}

// Remaining asterisks are emphasis that CommonMark does not recognise, as in "**word(x)**particle".
static bool plain(LectureReader *reader, LectureSpanKind kind, const char *text, int line,
                  LectureSpan **spans)
{
    if (strchr(text, '*'))
        return lecture_error(reader, line, TELL(SPAN_EMPHASIS_UNSEEN), text);
    return append(reader, kind, text, line, spans);
}

// Markdown's name of a node.
static const char *node_name(cmark_node *node)
{
    cmark_node_type type = cmark_node_get_type(node);
    bool is_html = type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE;
    return is_html ? "HTML" : cmark_node_get_type_string(node);
}

// Limits nested emphasis.
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
            good = lecture_error(reader, line, TELL(SPAN_NODE), node_name(node));
        }
    }
    return good;
}

bool lecture_spans(LectureReader *reader, cmark_node *parent, int line, LectureSpan **spans)
{
    return inside(reader, parent, SPAN_TEXT, 0, line, spans);
}

// --- a question, as YAML

// The fields of lecture_kinds.def.
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
} kinds[QUESTION_KINDS] = {
#define QUESTION_KIND(NAME, name, word, fields, ...) [QUESTION_##NAME] = {word, fields},
#include "lecture_kinds.def"
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
    const char *known[QUESTION_KINDS] = {NULL};
    for (int kind = QUESTION_NONE + 1; kind < QUESTION_KINDS; kind++) {
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

// As many as the earlier lists have.
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

static bool question_take(LectureReader *reader, const YamlNode *map, int line)
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
    bool good =
        read ? question_take(reader, map, line) : lecture_error(reader, line, "%s", problem.text);
    arena_finish(&arena);
    return good;
}

// --- pages

enum { FILE_BYTES_MAX = 1 << 20 };

// --- headings

// A page's name is "{#name}" at the end of its heading, or the heading itself.
static bool name_page(LectureReader *reader, char *title, int line)
{
    LecturePage *page = reader->page;
    char *mark = strstr(title, "{#");
    size_t length = mark ? strcspn(mark + 2, "}") : 0;
    if (mark && (length == 0 || mark[2 + length] != '}'))
        return lecture_error(reader, line, TELL(PAGE_NAME));
    if (mark) {
        mark[2 + length] = '\0';
        page->name = lecture_text(reader, mark + 2);
        while (mark > title && mark[-1] == ' ')
            mark--;
        *mark = '\0';
    }
    page->title = lecture_text(reader, title);
    page->name = page->name ? page->name : page->title;
    if (!page->title || !page->name)
        return false;
    for (const LecturePage *other = reader->lecture->pages; other < page; other++)
        if (strcmp(other->name, page->name) == 0)
            return lecture_error(reader, line, TELL(PAGE_TWICE), page->name, other->line);
    return true;
}

static bool plain_title(LectureReader *reader, cmark_node *node, char title[256], int line)
{
    LectureSpan *spans = NULL;
    size_t used = 0;
    title[0] = '\0';
    if (!lecture_spans(reader, node, line, &spans))
        return false;
    for (const LectureSpan *span = spans; span && used < 256; span = span->next)
        used += (size_t)snprintf(title + used, 256 - used, "%s", span->text);
    return used > 0 && used < 256 ? true : lecture_error(reader, line, TELL(TITLE_BYTES));
}

static bool heading(LectureReader *reader, cmark_node *node, int line)
{
    Lecture *lecture = reader->lecture;
    char title[256];
    int level = cmark_node_get_heading_level(node);
    if (!plain_title(reader, node, title, line))
        return false;
    if (level == 1 && !lecture->title) {
        lecture->title = lecture_text(reader, title);
        return lecture->title != NULL;
    }
    if (level != 2 || !lecture->title)
        return lecture_error(reader, line, TELL(LECTURE_HEADINGS));
    if (lecture->page_count == LECTURE_PAGES_MAX)
        return lecture_error(reader, line, TELL(PAGES_MANY), LECTURE_PAGES_MAX);
    reader->page = &lecture->pages[lecture->page_count++];
    reader->page->line = line;
    return name_page(reader, title, line);
}

// --- blocks

static LectureBlock *append_block(LectureReader *reader, LectureBlock **blocks,
                                  LectureBlockKind kind)
{
    while (*blocks)
        blocks = &(*blocks)->next;
    *blocks = arena_take(&reader->lecture->arena, 1, sizeof **blocks, reader->err);
    if (*blocks)
        (*blocks)->kind = kind;
    return *blocks;
}

static bool paragraph(LectureReader *reader, cmark_node *node, int line, LectureBlockKind kind)
{
    Lecture *lecture = reader->lecture;
    if (!reader->page) {
        LectureSpan *spans = NULL;
        char text[1024] = "";
        if (!lecture_spans(reader, node, line, &spans))
            return false;
        for (const LectureSpan *span = spans; span; span = span->next)
            text_add(text, sizeof text, "%s", span->text);
        lecture->about = lecture->about ? lecture->about : lecture_text(reader, text);
        return lecture->about != NULL;
    }
    LectureBlock *block = append_block(reader, &reader->page->blocks, kind);
    return block && lecture_spans(reader, node, line, &block->spans);
}

static bool list(LectureReader *reader, cmark_node *node)
{
    for (cmark_node *item = cmark_node_first_child(node); item; item = cmark_node_next(item)) {
        cmark_node *content = cmark_node_first_child(item);
        int line = cmark_node_get_start_line(item);
        if (!content || cmark_node_next(content) ||
            cmark_node_get_type(content) != CMARK_NODE_PARAGRAPH)
            return lecture_error(reader, line, TELL(ITEM_PARAGRAPH));
        if (!paragraph(reader, content, line, BLOCK_ITEM))
            return false;
    }
    return true;
}

// --- fenced blocks

// "nothing", or rows of lecture_kinds.def.
static bool take_shows(LectureReader *reader, const char *words, int line)
{
    static const char *const known[] = {
#define LECTURE_SHOW(NAME, word) word,
#include "lecture_kinds.def"
        "nothing", NULL};
    LecturePage *page = reader->page;
    page->says_shows = true;
    page->shows = 0;
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        int which = 0;
        while (known[which] &&
               (strlen(known[which]) != length || strncmp(known[which], words, length) != 0))
            which++;
        if (!known[which])
            return lecture_error(reader, line, TELL(PAGE_SHOWS), (int)length, words);
        page->shows |= which < SHOW_BITS ? 1 << which : 0;
        words += length;
    }
    return true;
}

static bool take_picture(LectureReader *reader, const char *words, int line)
{
    static const char *const known[] = {
#define LECTURE_PICTURE(NAME, word) word,
#include "lecture_kinds.def"
        NULL};
    words += strspn(words, " ");
    for (int i = 0; known[i]; i++)
        if (strcmp(known[i], words) == 0)
            reader->page->picture = (LecturePicture)(i + 1);
    return reader->page->picture != SLIDE_DEFAULT ||
           lecture_error(reader, line, TELL(PAGE_PICTURE), words);
}

static bool take_command(LectureReader *reader, LectureCommand **end, const char *words, int line)
{
    bool is_scene = end == &reader->page->commands;
    if (is_scene && strncmp(words, "text ", 5) == 0) {
        const char *text = words + 5 + strspn(words + 5, " "); // may be quoted, as in a shell
        size_t length = strlen(text);
        bool is_quoted = length > 1 && text[0] == '"' && text[length - 1] == '"';
        reader->page->text = arena_format(&reader->lecture->arena, reader->err, "%.*s",
                                          (int)(is_quoted ? length - 2 : length), text + is_quoted);
        return reader->page->text != NULL;
    }
    if (is_scene && strncmp(words, "scenario ", 9) == 0) {
        reader->page->scenario = lecture_text(reader, words + 9 + strspn(words + 9, " "));
        reader->page->scenario_line = line;
        return reader->page->scenario != NULL;
    }
    if (is_scene && strncmp(words, "show ", 5) == 0)
        return take_shows(reader, words + 5, line);
    if (is_scene && strncmp(words, "picture ", 8) == 0)
        return take_picture(reader, words + 8, line);
    while (*end)
        end = &(*end)->next;
    *end = arena_take(&reader->lecture->arena, 1, sizeof **end, reader->err);
    if (!*end)
        return false;
    **end = (LectureCommand){.words = lecture_text(reader, words), .line = line};
    return (*end)->words != NULL;
}

static bool commands(LectureReader *reader, LectureCommand **end, const char *text, int line)
{
    for (; *text; line++) {
        char words[256];
        size_t length = strcspn(text, "\n"), start = strspn(text, " \t");
        if (length >= sizeof words)
            return lecture_error(reader, line, TELL(COMMAND_BYTES), sizeof words - 1);
        if (start < length) {
            snprintf(words, sizeof words, "%.*s", (int)(length - start), text + start);
            if (words[0] != '#' && !take_command(reader, end, words, line))
                return false;
        }
        text += length + (text[length] == '\n');
    }
    return true;
}

// Parses paragraphs, as on the page.
static bool paragraphs(LectureReader *reader, const char *text, int line, LectureBlock **blocks,
                       LectureBlockKind kind)
{
    cmark_node *root = lecture_markdown(text, strlen(text), reader->err);
    bool good = root != NULL;
    for (cmark_node *node = good ? cmark_node_first_child(root) : NULL; good && node;
         node = cmark_node_next(node)) {
        int at = line + cmark_node_get_start_line(node);
        good = cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH ||
               lecture_error(reader, at, TELL(BLOCK_PARAGRAPHS));
        LectureBlock *block = good ? append_block(reader, blocks, kind) : NULL;
        good = block && lecture_spans(reader, node, at, &block->spans);
    }
    if (root)
        cmark_node_free(root);
    return good;
}

static bool code_block(LectureReader *reader, const char *text, int line)
{
    LectureBlock *block = append_block(reader, &reader->page->blocks, BLOCK_CODE);
    LectureSpan *span =
        block ? arena_take(&reader->lecture->arena, 1, sizeof *span, reader->err) : NULL;
    if (!span)
        return false;
    *span = (LectureSpan){.kind = SPAN_CODE, .line = line};
    span->text = lecture_text(reader, text);
    block->spans = span;
    return span->text != NULL;
}

static bool fence(LectureReader *reader, cmark_node *node, int line)
{
    const char *info = cmark_node_get_fence_info(node), *text = cmark_node_get_literal(node);
    if (!reader->page)
        return lecture_error(reader, line, TELL(BLOCK_EARLY));
    if (strcmp(info, "attnscope") == 0)
        return commands(reader, &reader->page->commands, text, line + 1);
    if (strcmp(info, "attnscope answered") == 0)
        return commands(reader, &reader->page->answered, text, line + 1);
    if (strcmp(info, "question") == 0)
        return lecture_question(reader, text, line);
    if (strcmp(info, "notes") == 0)
        return paragraphs(reader, text, line, &reader->page->notes, BLOCK_PARAGRAPH);
    if (strcmp(info, "slide") == 0)
        return paragraphs(reader, text, line, &reader->page->slide, BLOCK_PARAGRAPH);
    if (strcmp(info, "keys") == 0)
        return paragraphs(reader, text, line, &reader->page->blocks, BLOCK_KEYS);
    if (!*info || strcmp(info, "python") == 0 || strcmp(info, "c") == 0)
        return code_block(reader, text, line);
    return lecture_error(reader, line, TELL(BLOCK_KIND), info);
}

static bool block(LectureReader *reader, cmark_node *node)
{
    int line = cmark_node_get_start_line(node);
    switch (cmark_node_get_type(node)) {
    case CMARK_NODE_HEADING:
        return heading(reader, node, line);
    case CMARK_NODE_PARAGRAPH:
        return paragraph(reader, node, line, BLOCK_PARAGRAPH);
    case CMARK_NODE_LIST:
        return list(reader, node);
    case CMARK_NODE_CODE_BLOCK:
        return fence(reader, node, line);
    default:
        return lecture_error(reader, line, TELL(LECTURE_NODE), node_name(node));
    }
}

// --- the whole

// A page without a scenario inherits the previous page's, and likewise what it shows.
static bool finish(LectureReader *reader)
{
    Lecture *lecture = reader->lecture;
    const char *scenario = NULL, *text = NULL;
    int shows = SHOW_ALL, line = 0;
    if (lecture->page_count == 0)
        return lecture_error(reader, 1, TELL(LECTURE_PAGELESS));
    for (int i = 0; i < lecture->page_count; i++) {
        LecturePage *page = &lecture->pages[i];
        text = page->text || page->scenario ? page->text : text;
        line = page->scenario ? page->scenario_line : line;
        scenario = page->scenario ? page->scenario : scenario;
        if (!scenario)
            return lecture_error(reader, page->line, TELL(LECTURE_SCENARIO));
        page->scenario = scenario;
        page->scenario_line = line;
        page->text = text;
        page->shows = shows = page->says_shows ? page->shows : shows;
    }
    lecture->about = lecture->about ? lecture->about : "";
    return true;
}

bool lecture_read_text(Lecture *lecture, const char *name, const char *file, const char *text,
                       size_t length, Error *err)
{
    *lecture =
        (Lecture){.language = text_ends(file, ".ko.md") ? LANGUAGE_KOREAN : LANGUAGE_ENGLISH};
    LectureReader reader = {.lecture = lecture, .err = err};
    lecture->file = lecture_text(&reader, file);
    lecture->name = lecture_text(&reader, name);
    lecture->source = arena_format(&lecture->arena, err, "%.*s", (int)length, text);
    bool good = lecture->file && lecture->name && lecture->source;
    if (good && !utf8_valid(text, length))
        good = error_set(err, TELL(NOT_UTF8), file);
    cmark_node *root = good ? lecture_markdown(text, length, err) : NULL;
    good = root != NULL;
    for (cmark_node *node = root ? cmark_node_first_child(root) : NULL; good && node;
         node = cmark_node_next(node))
        good = block(&reader, node);
    if (root)
        cmark_node_free(root);
    good = good && finish(&reader);
    if (!good)
        lecture_finish(lecture);
    return good;
}

bool lecture_read(Lecture *lecture, const char *name, const char *path, Error *err)
{
    Arena arena = {0};
    unsigned char *bytes;
    size_t length;
    *lecture = (Lecture){.page_count = 0};
    bool good = input_file_all(path, FILE_BYTES_MAX, &arena, &bytes, &length, err) &&
                lecture_read_text(lecture, name, path, (const char *)bytes, length, err);
    arena_finish(&arena);
    return good;
}

void lecture_finish(Lecture *lecture)
{
    Arena arena = lecture->arena;
    *lecture = (Lecture){.page_count = 0};
    arena_finish(&arena);
}

int lecture_find(const Lecture *lecture, const char *page)
{
    for (int i = 0; i < lecture->page_count; i++)
        if (strcmp(lecture->pages[i].name, page) == 0)
            return i;
    return -1;
}

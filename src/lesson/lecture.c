// lecture: from Markdown to pages; see lecture.h.
#include "lecture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "input_file.h"
#include "lecture_internal.h"
#include "lecture_markdown.h"
#include "utf8.h"
#include "lesson_words.h"

enum { FILE_BYTES_MAX = 1 << 20 };

// --- what the readers share

// --- headings

// The name is what stands in "{#name}" at the end of the heading, else the heading itself.
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
        char text[1024];
        size_t used = 0;
        if (!lecture_spans(reader, node, line, &spans))
            return false;
        for (const LectureSpan *span = spans; span && used < sizeof text; span = span->next)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", span->text);
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

// "nothing", or some of lecture_shows.def.
static bool take_shows(LectureReader *reader, const char *words, int line)
{
    static const char *const known[] = {
#define LECTURE_SHOW(NAME, word) word,
#include "lecture_shows.def"
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

static bool take_command(LectureReader *reader, LectureCommand **end, const char *words, int line)
{
    bool is_scene = end == &reader->page->commands;
    if (is_scene && strncmp(words, "scenario ", 9) == 0) {
        reader->page->scenario = lecture_text(reader, words + 9 + strspn(words + 9, " "));
        return reader->page->scenario != NULL;
    }
    if (is_scene && strncmp(words, "show ", 5) == 0)
        return take_shows(reader, words + 5, line);
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

// Paragraphs of text, as on the page.
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
        return lecture_error(reader, line, TELL(LECTURE_NODE), cmark_node_get_type_string(node));
    }
}

// --- the whole

// A page without a scenario goes on with that of the page before, and so does one that does not say
// what it shows.
static bool finish(LectureReader *reader)
{
    Lecture *lecture = reader->lecture;
    const char *scenario = NULL;
    int shows = SHOW_ALL;
    if (lecture->page_count == 0)
        return lecture_error(reader, 1, TELL(LECTURE_PAGELESS));
    for (int i = 0; i < lecture->page_count; i++) {
        LecturePage *page = &lecture->pages[i];
        scenario = page->scenario ? page->scenario : scenario;
        if (!scenario)
            return lecture_error(reader, page->line, TELL(LECTURE_SCENARIO));
        page->scenario = scenario;
        page->shows = shows = page->says_shows ? page->shows : shows;
    }
    lecture->about = lecture->about ? lecture->about : "";
    return true;
}

static Language language_of(const char *file)
{
    static const char ending[] = ".ko.md";
    size_t length = strlen(file), room = sizeof ending - 1;
    bool korean = length >= room && strcmp(file + length - room, ending) == 0;
    return korean ? LANGUAGE_KOREAN : LANGUAGE_ENGLISH;
}

bool lecture_read_text(Lecture *lecture, const char *name, const char *file, const char *text,
                       size_t length, Error *err)
{
    *lecture = (Lecture){.language = language_of(file)};
    LectureReader reader = {.lecture = lecture, .err = err};
    lecture->file = lecture_text(&reader, file);
    lecture->name = lecture_text(&reader, name);
    bool good = lecture->file && lecture->name;
    if (good && !utf8_valid(text, length))
        good = error_set(err, TELL(LECTURE_UTF8), file);
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

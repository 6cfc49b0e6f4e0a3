// A lecture: pages, commands, references and questions, read as `attnscope walk` reads them.
#include "fuzz.h"
#include "lecture.h"

#include <string.h>

static void check_references(const LectureSpan *span)
{
    Reference reference;
    Error err = {.text = ""};
    for (; span; span = span->next) {
        fuzz_must(span->text != NULL, "every span has a text");
        if (span->kind == SPAN_REFERENCE)
            fuzz_must(reference_parse(span->text, &reference, &err),
                      "references were checked: %s: %s", span->text, err.text);
    }
}

static void check_page(const Lecture *lecture, int number)
{
    const LecturePage *page = &lecture->pages[number];
    fuzz_must(page->name && page->title && page->scenario, "a page has name, title and scenario");
    fuzz_must(lecture_find(lecture, page->name) == number, "a page is found by its name");
    for (const LectureBlock *block = page->blocks; block; block = block->next)
        check_references(block->spans);
    for (const LectureBlock *block = page->notes; block; block = block->next)
        check_references(block->spans);
    for (const LectureCommand *command = page->commands; command; command = command->next)
        fuzz_must(command->words && command->words[0], "a command has words");
    check_references(page->question.ask);
    check_references(page->question.wrong);
    fuzz_must(page->question.choice_count <= QUESTION_CHOICES_MAX, "a question has so many lines");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Lecture lecture;
    Error err = {.text = ""};
    if (!lecture_read_text(&lecture, "x", "x.md", (const char *)data, size, &err)) {
        fuzz_refused(&err);
        return 0;
    }
    fuzz_must(lecture.page_count > 0, "a lecture has a page");
    for (int page = 0; page < lecture.page_count; page++)
        check_page(&lecture, page);
    lecture_finish(&lecture);
    return 0;
}

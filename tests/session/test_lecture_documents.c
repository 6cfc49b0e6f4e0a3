// What lectures 02 and 03 show of documents 001 and 002, page by page and in both languages: where a text
// names a number that the document printed, by reference, the number that is filled in is the printed
// one. The printed numbers are those of golden/seed_prints.json, read off the documents.
#include "open_lecture.h"
#include "lecture.h"
#include "suite.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *prints;
static Error err;
static OpenLecture open;
static Session session;
static int met; // printed numbers that the lecture names

static void open_prints(void)
{
    prints = json_load_file(test_file("golden/seed_prints.json"), 0, NULL);
    ck_assert_ptr_nonnull(prints);
}

static void close_prints(void)
{
    json_decref(prints);
}

// The tensor that a document printed under a name, in one of its scenarios; NULL: none.
static const json_t *printed_tensor(const char *scenario, const char *tensor)
{
    static const char *const of_document[][2] = {
        {"padded-batch", "001"}, {"padded-batch-class", "001"}, {"scaled-dot-product", "002"}};
    bool is_class = strcmp(scenario, "padded-batch-class") == 0;
    const char *key = !is_class ? tensor : strcmp(tensor, "output") == 0 ? "class_output" : "";
    size_t number;
    json_t *entry;
    for (size_t i = 0; i < sizeof of_document / sizeof *of_document; i++) {
        if (strcmp(of_document[i][0], scenario) != 0)
            continue;
        json_array_foreach(json_object_get(prints, "entries"), number, entry)
        {
            const char *its_key = json_string_value(json_object_get(entry, "key"));
            const char *document = json_string_value(json_object_get(entry, "seed"));
            if (its_key && document && strcmp(document, of_document[i][1]) == 0 &&
                strcmp(its_key, key) == 0)
                return entry;
        }
    }
    return NULL;
}

static bool is_at(const json_t *value, const Reference *reference, int place)
{
    size_t axis;
    json_t *index;
    json_array_foreach(json_object_get(value, "index"), axis, index)
    {
        bool whole =
            (int)axis >= reference->index_count || reference->index[axis] == REFERENCE_WHOLE_AXIS;
        ptrdiff_t asked = whole ? place : reference->index[axis];
        if (json_integer_value(index) != asked)
            return false;
    }
    return true;
}

// The text has four decimals; the document has as many, or more.
static void check_number(const json_t *entry, const Reference *reference, int place,
                         const char *written)
{
    size_t number;
    json_t *value;
    json_array_foreach(json_object_get(entry, "values"), number, value)
    {
        if (!is_at(value, reference, place))
            continue;
        const char *point = strchr(written, '.');
        double half_unit = json_number_value(json_object_get(value, "half_unit"));
        double half = point && point[1] ? 0.5 * pow(10, -(double)strlen(point + 1)) : 0;
        double printed = json_number_value(json_object_get(value, "value"));
        ck_assert_msg(fabs(strtod(written, NULL) - printed) <=
                          (half < half_unit ? half_unit : half_unit + half) + 1e-9,
                      "%s, page %d: %s where the document has %s", open.lecture->file,
                      open.page + 1, written, json_string_value(json_object_get(value, "text")));
        met++;
    }
}

static void check_span(const LectureSpan *span)
{
    Reference reference;
    ReferenceValue value;
    if (span->kind != SPAN_REFERENCE || !reference_parse(span->text, &reference, &err) ||
        reference.kind != REFERENCE_ELEMENTS ||
        !open_lecture_value(&open, &reference, &value, &err))
        return;
    const json_t *entry = printed_tensor(reference.scenario[0] ? reference.scenario
                                                               : open_lecture_page(&open)->scenario,
                                         reference.tensor);
    const char *at = value.text;
    for (int i = 0; entry && i < value.count; i++) {
        char written[64];
        at += strspn(at, "[, ");
        size_t length = strcspn(at, ",]");
        snprintf(written, sizeof written, "%.*s", (int)length, at);
        check_number(entry, &reference, i, written);
        at += length;
    }
}

static void check_spans(const LectureSpan *span)
{
    for (; span; span = span->next)
        check_span(span);
}

static void walk(const char *name, Language language)
{
    LectureList list;
    Lecture lecture;
    ck_assert_msg(lecture_list_open(&list, &err), "%s", err.text);
    int number = lecture_list_find(&list, name, &err);
    ck_assert_msg(number >= 0, "%s", err.text);
    ck_assert_msg(lecture_open(&lecture, name, list.entries[number].folder, language, &err), "%s",
                  err.text);
    ck_assert_msg(open_lecture_start(&open, &session, &lecture, 0, NULL, &err), "%s", err.text);
    met = 0;
    for (int page = 0; page < lecture.page_count; page++) {
        ck_assert_msg(open_lecture_show(&session, page, &err), "%s", err.text);
        const LecturePage *read = open_lecture_page(&open);
        for (const LectureBlock *block = read->blocks; block; block = block->next)
            check_spans(block->spans);
        check_spans(read->question.ask);
        check_spans(read->question.right);
        check_spans(read->question.wrong);
    }
    session_close(&session);
    open_lecture_close(&open);
    lecture_finish(&lecture);
    lecture_list_close(&list);
}

// Document 002 shows five tensors whole: 12 numbers of q, k, v and the output, 9 weights.
LOOP_TEST(lecture_02_has_the_numbers_of_document_002, LANGUAGES)
{
    walk("02", (Language)_i);
    ck_assert_int_ge(met, 12 + 12 + 12 + 9 + 12);
}

// Document 001 shows corners: of its weights the diagonal, of both outputs the first number.
LOOP_TEST(lecture_03_has_the_numbers_of_document_001, LANGUAGES)
{
    walk("03", (Language)_i);
    ck_assert_int_ge(met, 3);
}

SUITE_WITH("lecture documents", open_prints, close_prints)

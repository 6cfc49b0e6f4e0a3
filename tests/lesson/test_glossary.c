// The glossary: its terms are whole, are found by any of their names, and are seen where they belong.
#include "glossary.h"

#include "suite.h"

#include <string.h>

static const char *korean_of(const char *name)
{
    const GlossaryTerm *term = glossary_find(name);
    return term ? term->name.in[LANGUAGE_KOREAN] : "none";
}

TEST(a_term_is_found_by_either_name)
{
    ck_assert_str_eq(korean_of("dot product"), "내적");
    ck_assert_str_eq(korean_of("내적"), "내적");
    ck_assert_str_eq(korean_of("Dot-Products"), "내적");
    ck_assert_str_eq(korean_of("key_padding_mask"), "키 패딩 마스크");
    ck_assert_str_eq(korean_of("value"), "밸류");
    ck_assert_str_eq(korean_of("residual connection"), "잔차 연결");
    ck_assert_str_eq(korean_of("KV cache"), "KV 캐시");
    ck_assert_str_eq(korean_of("layer norm"), "층 정규화");
    ck_assert_str_eq(korean_of("bias"), "편향"); // its s is not a plural
    ck_assert_str_eq(korean_of("dot"), "none");
    ck_assert_str_eq(korean_of(""), "none");
    ck_assert_str_eq(glossary_nearest("sofmax"), "softmax");
    ck_assert_ptr_null(glossary_nearest("rhubarb"));
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), own = strlen(end);
    return length >= own && strcmp(text + length - own, end) == 0;
}

TEST(every_term_says_what_it_is_in_both_languages)
{
    int count = 0;
    for (const GlossaryTerm *term; (term = glossary_term(count)); count++) {
        const char *name = term->name.in[LANGUAGE_ENGLISH];
        ck_assert_msg(glossary_find(name) == term, "%s is there twice", name);
        ck_assert_msg(glossary_find(term->name.in[LANGUAGE_KOREAN]) == term, "%s twice", name);
        ck_assert_msg(ends_in(term->about.in[LANGUAGE_ENGLISH], "."), "%s", name);
        ck_assert_msg(ends_in(term->about.in[LANGUAGE_KOREAN], "니다."), "%s", name);
        ck_assert_msg(strlen(term->seen) > 0, "%s is seen nowhere", name);
    }
    ck_assert_int_ge(count, 48);
    ck_assert_ptr_null(glossary_term(-1));
}

TEST(a_term_is_seen_at_its_stages_tensors_and_axes)
{
    const GlossaryTerm *softmax = glossary_find("softmax");
    ck_assert(glossary_is_seen(softmax, "softmax"));
    ck_assert(glossary_is_seen(softmax, "attn_weights"));
    ck_assert(!glossary_is_seen(softmax, "attn"));
    ck_assert(!glossary_is_seen(softmax, "score"));
    ck_assert(!glossary_is_seen(softmax, ""));
    ck_assert(glossary_is_seen(glossary_find("head"), "H"));
}

TEST(a_page_tells_of_a_term_that_it_names)
{
    static const char text[] =
        "# 제목\n\n한 줄.\n\n## 쪽 {#page}\n\n```attnscope\nscenario causal\ngoto softmax\n```\n\n"
        "소프트맥스를 합니다. 이것이 **키**입니다. 축을 봅니다.\n";
    Lecture lecture;
    Error err = {.text = ""};
    ck_assert_msg(
        lecture_read_text(&lecture, "small", "lecture.ko.md", text, sizeof text - 1, &err), "%s",
        err.text);
    ck_assert(glossary_is_explained(glossary_find("softmax"), &lecture.pages[0]));
    ck_assert(glossary_is_explained(glossary_find("key"), &lecture.pages[0]));
    ck_assert(!glossary_is_explained(glossary_find("axis"), &lecture.pages[0])); // not bold
    ck_assert(!glossary_is_explained(glossary_find("head"), &lecture.pages[0]));
    lecture_finish(&lecture);
}

SUITE("glossary")

// What Korean texts hold to: the glossary's words, one level of speech, particles that fit.
//
// Every line with Hangul under src and lessons is read. What is looked for is found in a line wherever it
// stands, so that a new text needs no place in a list.
#define _GNU_SOURCE // nftw
#include "glossary.h"

#include "suite.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1 << 14, PATH_BYTES = 4096 };

typedef struct Rule {
    const char *wrong, *instead;
} Rule;

static const Rule rules[] = {
    {"십시오", "requests end in 세요"},
    {"습니까", "questions end in 나요 or 까요"},
    {"입니까", "questions end in 인가요"},
    {"을(를)", "{을/를}, or a sentence without it"},
    {"은(는)", "{은/는}, or a sentence without it"},
    {"이(가)", "{이/가}, or a sentence without it"},
    {"와(과)", "{과/와}, or a sentence without it"},
    {"(으)로", "{으로/로}, or a sentence without it"},
    {"화살표 키", "키 is a key of attention: 화살표를 누르면"},
    {"키를 누", "키 is a key of attention: ]를 누르면"},
    {"키를 입력", "키 is a key of attention"},
    {"아무 키", "키 is a key of attention: 아무것이나 누르면"},
    {"단축키", "키 is a key of attention: 누르는 것"},
    {"행 열 개", "열 is a column, too: 행 10개"},
    {"행 열개", "열 is a column, too: 행 10개"},
    {"연습 문제", "연습문제"},
    {"낱말", "단어"},
    {"모든 키가 나옵", "키 is a key of attention: 무엇을 누를 수 있는지"},
    {"키를 알려", "키 is a key of attention: 무엇을 누를 수 있는지"},
    {"키에 대한", "키 is a key of attention: 누를 것에 대한"},
    {"키는 아무", "키 is a key of attention: 눌러도"},
    {"키는 창", "키 is a key of attention: 창에서 누르는 것"},
    {"할 문제", "연습문제"},
    {"답해 주세요", "답하세요"},
    {"적어 주세요", "적으세요"},
    {"softmax를", "소프트맥스, or `softmax`를 as a name"},
    {"softmax는", "소프트맥스, or `softmax`는 as a name"},
    {"softmax의", "소프트맥스, or `softmax`의 as a name"},
    {"softmax가", "소프트맥스, or `softmax`가 as a name"},
    {"어텐션 지도", "히트맵"},
    {"다음 페이지", "a lecture has 쪽"},
    {"이전 페이지", "a lecture has 쪽"},
    {"주는 값은", "주는 가중치는"},
    {"드는 값", "드는 비용"},
    {"쿼리와 키를 돌", "회전합니다"},
    {"고른 몫", "균등 분배(1/n)"},
    {"고르게 나눈", "균등 분배(1/n)"},
    {"견준", "비교한"},
    {"견줍니다", "비교합니다"},
    {"저쪽", "왼쪽, 오른쪽"},
    {"따로 둔 글", "검증용 글"},
    {"주는 무게", "주는 가중치"},
    {"이것들", "say the name again"},
    {"그것들", "say the name again"},
    {"그것을", "say the name again, or leave it out"},
    {"그것은", "say the name again"},
    {"그것이", "say the name again"},
    {"그것으로", "say the name again"},
    {"말해집니다", "somebody says it: no passive of things"},
    {"주어집니다", "somebody gives it: no passive of things"},
    {"만들어집니다", "somebody makes it: no passive of things"},
    {"계산되어집", "계산합니다"},
    {"되어집니다", "no double passive"},
    {"아무도 정하지", "사람이 정해 준 것이 아닙니다"},
    {"물음에", "질문에"},
    {"을 가집니다", "이 있습니다"},
    {"를 가집니다", "가 있습니다"},
    {"맞나요, 틀리나요", "맞으면 참, 틀리면 거짓이라고 답하세요"},
};

static int looked_at, found;

static void report(const char *path, int line, const char *wrong, const char *instead)
{
    printf("# %s:%d: \"%s\" (%s)\n", path, line, wrong, instead);
    fflush(stdout); // a test that fails ends without it
    found++;
}

static void check_rules(const char *path, int number, const char *line)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strstr(line, rules[i].wrong))
            report(path, number, rules[i].wrong, rules[i].instead);
}

// The words between bars.
static void check_term(const char *path, int number, const char *line, const GlossaryTerm *term)
{
    for (const char *at = term->wrong; *at; at += *at == '|') {
        char wrong[128];
        size_t length = strcspn(at, "|");
        snprintf(wrong, sizeof wrong, "%.*s", (int)length, at);
        if (strstr(line, wrong))
            report(path, number, wrong, term->name.in[LANGUAGE_KOREAN]);
        at += length;
    }
}

// A syllable of Hangul is three bytes, the first of them ea to ed.
static bool has_hangul(const char *line)
{
    for (; *line; line++)
        if ((unsigned char)line[0] >= 0xea && (unsigned char)line[0] <= 0xed)
            return true;
    return false;
}

static void check_line(const char *path, int number, const char *line)
{
    if (!has_hangul(line))
        return;
    looked_at++;
    check_rules(path, number, line);
    for (int i = 0; glossary_term(i); i++)
        check_term(path, number, line, glossary_term(i));
    const char *polite = line[0] == '#' ? strstr(line, "니다") : NULL;
    bool plain = polite && polite - line > 3 && memcmp(polite - 3, "아", 3) == 0; // 아니다
    if (polite && !plain)
        report(path, number, "니다", "titles are nouns, or end in 다");
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), own = strlen(end);
    return length >= own && strcmp(path + length - own, end) == 0;
}

// The glossary itself names what is wrong; letters of keys, the sounds of words and the names that people
// give their tensors are not text.
static bool is_read(const char *path)
{
    bool is_text = ends_in(path, ".md") || ends_in(path, ".c") || ends_in(path, ".def") ||
                   ends_in(path, ".yaml") || ends_in(path, ".txt");
    return is_text && !ends_in(path, "/glossary.def") && !ends_in(path, "/base/utf8.c") &&
           !ends_in(path, "/words/words.c") && !ends_in(path, "/dump_names.def");
}

static int check_file(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    static char line[LINE_BYTES];
    (void)about, (void)where;
    FILE *file = kind == FTW_F && is_read(path) ? fopen(path, "r") : NULL;
    for (int number = 1; file && fgets(line, sizeof line, file); number++)
        check_line(path, number, line);
    if (file)
        fclose(file);
    return 0;
}

static void check_folder(const char *folder)
{
    enum { DESCRIPTORS = 8 };
    char path[PATH_BYTES];
    const char *lessons = getenv("ATTNSCOPE_LESSONS");
    snprintf(path, sizeof path, "%s/../%s", lessons ? lessons : "lessons", folder);
    looked_at = found = 0;
    ck_assert_int_eq(nftw(path, check_file, DESCRIPTORS, FTW_PHYS), 0);
    ck_assert_int_gt(looked_at, 200); // it was there to be read
    ck_assert_msg(found == 0, "%d places", found);
}

TEST(lectures_and_exercises_use_the_words_of_the_glossary)
{
    check_folder("lessons");
}

TEST(what_the_program_says_uses_the_words_of_the_glossary)
{
    check_folder("src");
}

TEST(each_kind_of_fault_is_found)
{
    static const char *const faults[] = {
        "0을 더하십시오.",
        "몇 번입니까?",
        "%s을(를) 썼습니다",
        "] 키를 누르면",
        "행 열 개가 되고",
        "헤드의 너비는 64입니다",
        "질의와 키",
        "멀티 헤드 어텐션",
        "앞의 낱말을 봄",
        "아무 키나 누르면",
        "?를 누르면 모든 키가 나옵니다",
        "값 벡터를 섞습니다",
        "키와 값의 헤드",
        "쿼리와 키를 돌립니다",
        "그것이 나온 곳",
        "이것들을 모두 더합니다",
        "아무도 정하지 않은 규칙",
        "층의 정규화",
        "softmax를 거꾸로",
        "## 키를 끌어당깁니다 {#keys}",
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        found = 0;
        check_line("fault", 1, faults[i]);
        ck_assert_msg(found > 0, "%s", faults[i]);
    }
    found = 0;
    check_line("right", 1,
               "쿼리와 키의 내적을 구해 밸류를 섞고, ]를 누르세요. 가장 큰 값은 64입니다.");
    ck_assert_int_eq(found, 0);
}

SUITE("korean")

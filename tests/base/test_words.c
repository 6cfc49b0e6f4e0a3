// Words: the particles after digits, letters, brackets and names; the language that an environment asks
// for; the columns of a table.
#define _GNU_SOURCE // sigabbrev_np
#include "words.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"

WORD(HOW_MANY, "%d of %s", "%d개, %s{이/가}")

static const char *settled(const char *text)
{
    static char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    josa_settle(copy);
    return copy;
}

static void ends_in(const char *text, JosaEnd end)
{
    ck_assert_msg(josa_end(text, strlen(text)) == end, "%s: %d, not %d", text,
                  (int)josa_end(text, strlen(text)), (int)end);
}

// 영 일 이 삼 사 오 육 칠 팔 구; 십, 백, 천 and 만 end in a consonant as 영 does.
TEST(digits_end_as_they_are_read)
{
    static const char consonant[] = "036", rieul[] = "178", vowel[] = "2459";
    for (const char *digit = "0123456789"; *digit; digit++) {
        char text[] = {'1', '.', *digit, '\0'};
        ends_in(text, strchr(consonant, *digit) ? JOSA_CONSONANT
                      : strchr(rieul, *digit)   ? JOSA_RIEUL
                                                : JOSA_VOWEL);
        ck_assert(strchr(vowel, *digit) || strchr(rieul, *digit) || strchr(consonant, *digit));
    }
}

// 에이 비 씨 ... 엘 엠 엔 ... 알 ...: only four letters do not end in a vowel.
TEST(letters_end_as_their_names)
{
    for (char letter = 'A'; letter <= 'Z'; letter++) {
        char text[] = {letter, '\0'};
        ends_in(text, letter == 'L' || letter == 'R'   ? JOSA_RIEUL
                      : letter == 'M' || letter == 'N' ? JOSA_CONSONANT
                                                       : JOSA_VOWEL);
    }
    ends_in("PNG", JOSA_VOWEL);
    ends_in("d_k", JOSA_VOWEL);
    ends_in("W_Q", JOSA_VOWEL);
    ends_in("score.c", JOSA_VOWEL);
    ends_in("XML", JOSA_RIEUL);
}

// As they are said in the lectures: 마스크, 말록, 낫싱, 스케일.
TEST(names_end_as_koreans_say_them)
{
    static const char *const vowels[] = {"mask",  "softmax", "score",   "head", "key",
                                         "value", "project", "view",    "pad",  "query",
                                         "heat",  "shape",   "gradient"};
    static const char *const consonants[] = {"nothing", "malloc",      "concat",  "step",
                                             "None",    "attn_output", "dropout", "weighted_sum",
                                             "token",   "line",        "NaN"};
    static const char *const rieuls[] = {"scale", "tensor_label", "small", "file"};
    for (size_t i = 0; i < sizeof vowels / sizeof *vowels; i++)
        ends_in(vowels[i], JOSA_VOWEL);
    for (size_t i = 0; i < sizeof consonants / sizeof *consonants; i++)
        ends_in(consonants[i], JOSA_CONSONANT);
    for (size_t i = 0; i < sizeof rieuls / sizeof *rieuls; i++)
        ends_in(rieuls[i], JOSA_RIEUL);
}

TEST(closing_brackets_and_quotes_are_passed_over)
{
    ends_in("scores[0, 1]", JOSA_RIEUL);
    ends_in("(행)", JOSA_CONSONANT);
    ends_in("'mask'", JOSA_VOWEL);
    ends_in("“열”", JOSA_RIEUL);
    ends_in("`L`*", JOSA_RIEUL);
    ends_in("", JOSA_VOWEL);
    ends_in("\u2260", JOSA_VOWEL);
    ends_in("\xEA\xB0", JOSA_VOWEL);
}

TEST(every_particle_is_settled)
{
    ck_assert_str_eq(settled("행{은/는} 열{은/는} 키{은/는}"), "행은 열은 키는");
    ck_assert_str_eq(settled("nothing{이/가} mask{이/가}"), "nothing이 mask가");
    ck_assert_str_eq(settled("malloc{을/를} free{을/를}"), "malloc을 free를");
    ck_assert_str_eq(settled("3{과/와} 4{과/와}"), "3과 4와");
    ck_assert_str_eq(settled("행{으로/로} 열{으로/로} 키{으로/로} 1{으로/로} 6{으로/로}"),
                     "행으로 열로 키로 1로 6으로");
    ck_assert_str_eq(settled("'a.c'{이라는/라는} 10{이라/라} 2{이어야/여야}"),
                     "'a.c'라는 10이라 2여야");
}

TEST(other_braces_stay)
{
    ck_assert_str_eq(settled("{a/b} {은} {은/} {/는} {은/는"), "{a/b} {은} {은/} {/는} {은/는");
    ck_assert_str_eq(settled("{\xEA\xB0"), "{\xEA\xB0");
}

static void asks(const char *own, const char *list, const char *locale, Language language)
{
    setenv("ATTNSCOPE_LANG", own, 1);
    setenv("LANGUAGE", list, 1);
    setenv("LC_ALL", locale, 1);
    ck_assert_msg(language_of_environment() == language, "%s, %s, %s", own, list, locale);
}

TEST(the_environment_asks_for_a_language_by_its_whole_name)
{
    asks("", "", "ko", LANGUAGE_KOREAN);
    asks("", "", "ko_KR.UTF-8", LANGUAGE_KOREAN);
    asks("", "", "ko.UTF-8", LANGUAGE_KOREAN);
    asks("", "", "kok_IN", LANGUAGE_ENGLISH);
    asks("", "", "de_DE.UTF-8", LANGUAGE_ENGLISH);
    asks("", "de:ko:en", "en_US.UTF-8", LANGUAGE_KOREAN);
    asks("", "en:ko", "ko_KR.UTF-8", LANGUAGE_ENGLISH);
    asks("", "ko", "C", LANGUAGE_ENGLISH);
    asks("", "kok", "ko_KR", LANGUAGE_KOREAN);
    asks("ko", "en", "en_US.UTF-8", LANGUAGE_KOREAN);
    asks("en", "ko", "ko_KR.UTF-8", LANGUAGE_ENGLISH);
    asks("nothing", "", "ko_KR.UTF-8", LANGUAGE_KOREAN);
}

TEST(without_lc_all_the_others_count)
{
    unsetenv("ATTNSCOPE_LANG");
    unsetenv("LANGUAGE");
    setenv("LC_ALL", "", 1);
    setenv("LC_MESSAGES", "", 1);
    setenv("LANG", "ko_KR.UTF-8", 1);
    ck_assert_int_eq(language_of_environment(), LANGUAGE_KOREAN);
    setenv("LC_MESSAGES", "en_US.UTF-8", 1);
    ck_assert_int_eq(language_of_environment(), LANGUAGE_ENGLISH);
}

TEST(languages_have_names)
{
    ck_assert_int_eq(language_named("en"), LANGUAGE_ENGLISH);
    ck_assert_int_eq(language_named("ko"), LANGUAGE_KOREAN);
    ck_assert_int_eq(language_named("de"), -1);
    ck_assert_int_eq(language_named(NULL), -1);
    ck_assert_str_eq(language_name(LANGUAGE_KOREAN), "ko");
}

TEST(a_row_is_told_in_the_language_chosen)
{
    char text[64];
    Words words = WORDS("a row", "행");
    ck_assert_str_eq(words_format(text, sizeof text, TELL(HOW_MANY), 2, "mask"), "2 of mask");
    language_choose(LANGUAGE_KOREAN);
    ck_assert_str_eq(words_format(text, sizeof text, TELL(HOW_MANY), 2, "mask"), "2개, mask가");
    ck_assert_str_eq(words_tell(words), "행");
    language_choose(LANGUAGE_MARKED);
    ck_assert_str_eq(words_format(text, sizeof text, TELL(HOW_MANY), 2, "mask"), "⟦2 of mask⟧");
    ck_assert_str_eq(words_tell(words), "⟦a row⟧");
    ck_assert_int_eq(language_written(), LANGUAGE_ENGLISH);
}

TEST(a_text_is_cut_at_a_letter)
{
    char text[6];
    language_choose(LANGUAGE_KOREAN);
    ck_assert_str_eq(words_format(text, sizeof text, TELL(HOW_MANY), 2, "mask"), "2개,");
    char shorter[4];
    ck_assert_str_eq(words_format(shorter, sizeof shorter, TELL(HOW_MANY), 2, "mask"), "2");
}

LOOP_TEST(a_signal_is_told_in_both_languages, 20)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE,  SIGBUS,  SIGILL,  SIGSYS,   SIGKILL,
                                  SIGXCPU, SIGXFSZ, SIGPIPE, SIGTERM, SIGHUP,  SIGINT,   SIGQUIT,
                                  SIGTRAP, SIGALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGVTALRM};
    int number = signals[_i];
    char name[16];
    snprintf(name, sizeof name, "SIG%s)", sigabbrev_np(number));
    ck_assert_str_eq(signal_text(number, LANGUAGE_ENGLISH), strsignal(number)); // glibc's, in C
    ck_assert_ptr_nonnull(strstr(signal_text(number, LANGUAGE_KOREAN), name));
    ck_assert_ptr_null(strstr(signal_text(number, LANGUAGE_KOREAN), strsignal(number)));
}

TEST(a_rare_signal_is_told_by_its_number)
{
    ck_assert_str_eq(signal_text(99, LANGUAGE_ENGLISH), "signal 99");
    ck_assert_str_eq(signal_text(99, LANGUAGE_KOREAN), "99번 시그널");
    ck_assert_str_eq(signal_text(99, LANGUAGE_MARKED), "⟦signal 99⟧");
}

TEST(what_a_library_says_is_told_in_korean)
{
    static const char *const told[][2] = {
        {"did not find expected key", "'이름:'이 있어야 할 곳입니다"},
        {"did not find expected keys",
         "libx{이/가} 이렇게 말합니다: \"did not find expected keys\""},
        {"Read error", "읽지 못했습니다"},
        {"Read error: a disk is broken", "읽지 못했습니다: \"a disk is broken\""},
        {"invalid token near '#'", "모르는 단어가 있습니다: '#'"},
        {"']' expected near end of file", "']'가 있어야 할 곳입니다(파일의 끝)"},
        {"did not find expected whitespace or line break",
         "여기에는 빈칸이나 줄바꿈이 있어야 합니다"}, // the longer row of two that fit
    };
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        char korean[128];
        snprintf(korean, sizeof korean, "%s", told[i][1]);
        josa_settle(korean);
        language_choose(LANGUAGE_KOREAN);
        ck_assert_str_eq(library_text("libx", told[i][0]), korean);
        language_choose(LANGUAGE_ENGLISH);
        ck_assert_str_eq(library_text("libx", told[i][0]), told[i][0]);
    }
}

static const char *say_korean(const char *word, size_t length)
{
    return length == strlen("check") && strncmp(word, "check", length) == 0 ? "ko" : NULL;
}

TEST(a_command_says_the_language_it_would_not_choose)
{
    char text[80] = "attnscope check a, attnscope walk; a newer attnscope",
         small[20] = "attnscope check a";
    words_settle(text, sizeof text);
    ck_assert_str_eq(text, "attnscope check a, attnscope walk; a newer attnscope");
    words_ask_commands(say_korean);
    for (int again = 0; again < 2; again++) {
        words_settle(text, sizeof text);
        ck_assert_str_eq(text, "attnscope --lang ko check a, attnscope walk; a newer attnscope");
    }
    words_settle(small, sizeof small); // no room
    ck_assert_str_eq(small, "attnscope check a");
    words_ask_commands(NULL);
}

SUITE("words")

// The sentence of an error: it fits, ends with a whole letter, and holds nothing that a terminal
// would obey.
#include "error.h"

#include "suite.h"

#include <string.h>

TEST(a_sentence_is_filled_and_prefixed)
{
    Error err;
    ck_assert(!error_set(&err, "%d rows are not %d", 3, 4));
    ck_assert_str_eq(err.text, "3 rows are not 4");
    ck_assert(!error_prefix(&err, "%s: ", "x.yaml"));
    ck_assert_str_eq(err.text, "x.yaml: 3 rows are not 4");
}

TEST(control_characters_become_question_marks)
{
    Error err;
    error_set(&err, "no tensor named '%s'", "\x1b[2J\r\n\x7f고\xc2\x9b.");
    ck_assert_str_eq(err.text, "no tensor named '?[2J???고??.'");
    error_prefix(&err, "%s: ", "a\tb");
    ck_assert_str_eq(err.text, "a?b: no tensor named '?[2J???고??.'");
}

TEST(what_is_no_letter_becomes_question_marks)
{
    // by RFC 3629: a lone continuation, a letter without its end, "/" written too long, a surrogate,
    // beyond U+10FFFF, bytes that begin nothing; the largest letters of two, three and four bytes stay
    static const char *const said[][2] = {
        {"a\x80z", "a?z"},
        {"\xea\xb3z", "??z"},
        {"\xc0\xafz", "??z"},
        {"\xe0\x80\xafz", "???z"},
        {"\xed\xa0\x80z", "???z"},
        {"\xf4\x90\x80\x80z", "????z"},
        {"\xf5\xffz", "??z"},
        {"\xc2z", "?z"},
        {"\xdf\xbf\xef\xbf\xbf\xf4\x8f\xbf\xbfz", "\xdf\xbf\xef\xbf\xbf\xf4\x8f\xbf\xbfz"},
    };
    Error err;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        error_set(&err, "%s", said[i][0]);
        ck_assert_str_eq(err.text, said[i][1]);
    }
}

TEST(a_sentence_too_long_is_cut_after_a_whole_letter)
{
    // 고 is three bytes: 1023 bytes hold 341 of them exactly; behind one x, 340 and two bytes more
    Error err;
    char long_text[3 * 400 + 1] = "";
    for (int i = 0; i < 400; i++)
        strcat(long_text, "고");
    error_set(&err, "%s", long_text);
    ck_assert_uint_eq(strlen(err.text), 3 * 341);
    error_set(&err, "x%s", long_text);
    ck_assert_uint_eq(strlen(err.text), 1 + 3 * 340);
    error_prefix(&err, "yz");
    ck_assert_uint_eq(strlen(err.text), 3 + 3 * 340);
    error_set(&err, "%s", "");
    ck_assert_str_eq(err.text, "");
}

SUITE("error")

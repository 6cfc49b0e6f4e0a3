// Exercises as they are written: a folder becomes a value, and what is wrong is said with its place.
#include "exercise.h"
#include "compiler_words.h"
#include "scratch.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Exercise exercise;
static Error err;

#define FACTS "points: 10\nstage: mask\nwhen: causal\noutput: 1\n"
#define TASK "# A title\n\nThe task.\n\nMore.\n"
#define HINTS \
    "## 1\n\nFirst.\n\n## 2\nSecond\n" \
    "\n```c\n## not a heading\n```\n## 3\nThird\n\n## Lecture\n\n02-two#scale\n\nLook there.\n"

// Writes a file of the exercise's folder.
static void put(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "exercises/09-scale/%s", name);
    scratch_write(path, text, strlen(text));
}

static void open_scratch(void)
{
    scratch_open();
    scratch_folder("exercises");
    scratch_folder("exercises/09-scale");
    setenv("ATTNSCOPE_LESSONS", scratch_path("."), 1);
    put("exercise.yaml", FACTS);
    put("exercise.c", "int stub;\n");
    put("task.md", TASK);
    put("hints.md", HINTS);
}

static bool reads(Language language)
{
    err = (Error){.text = ""};
    return exercise_open(&exercise, scratch_path("exercises/09-scale"), language, &err);
}

// A file with this text is refused; the sentence begins with the place, after the folder's name.
static void refuses(const char *name, const char *text, const char *place, const char *word)
{
    put(name, text);
    ck_assert_msg(!reads(LANGUAGE_ENGLISH), "it was read");
    const char *at = strstr(err.text, "09-scale/");
    ck_assert_msg(at && strncmp(at + 9, place, strlen(place)) == 0, "%s", err.text);
    ck_assert_msg(strstr(err.text, word) != NULL, "%s", err.text);
}

FIXTURE(open_scratch, scratch_close)

TEST(a_folder_becomes_an_exercise)
{
    ck_assert_msg(reads(LANGUAGE_ENGLISH), "%s", err.text);
    ck_assert_str_eq(exercise.name, "scale");
    ck_assert_int_eq(exercise.order, 9);
    ck_assert_int_eq(exercise.points, 10);
    ck_assert_str_eq(exercise.stage, "mask");
    ck_assert_int_eq(exercise.when, EXERCISE_CAUSAL);
    ck_assert_int_eq(exercise.output, 1);
    ck_assert_str_eq(exercise.title, "A title");
    ck_assert_str_eq(exercise.task, "The task.\n\nMore.");
    ck_assert_str_eq(exercise.hints[0], "First.");
    ck_assert_str_eq(exercise.hints[1], "Second\n\n```c\n## not a heading\n```");
    ck_assert_str_eq(exercise.hints[2], "Third");
    ck_assert_str_eq(exercise.lecture, "02-two");
    ck_assert_str_eq(exercise.page, "scale");
    ck_assert_str_eq(exercise.lecture_text, "Look there.");
    ck_assert_str_eq(exercise.stub, "int stub;\n");
    exercise_close(&exercise);
}

TEST(what_may_be_left_out)
{
    put("exercise.yaml", "points: 3\n");
    ck_assert_msg(reads(LANGUAGE_ENGLISH), "%s", err.text);
    ck_assert_ptr_null(exercise.stage);
    ck_assert_int_eq(exercise.when, EXERCISE_ALWAYS);
    ck_assert_int_eq(exercise.output, -1);
    exercise_close(&exercise);
}

TEST(korean_where_it_is_written_in_it)
{
    put("task.ko.md", "# 제목\n\n과제.\n");
    ck_assert_msg(reads(LANGUAGE_KOREAN), "%s", err.text);
    ck_assert_str_eq(exercise.title, "제목");
    ck_assert_str_eq(exercise.hints[0], "First.");
    exercise_close(&exercise);
    ck_assert(reads(LANGUAGE_ENGLISH));
    ck_assert_str_eq(exercise.title, "A title");
    exercise_close(&exercise);
}

TEST(what_is_wrong_is_said_with_its_place)
{
    refuses("task.md", "A title\n", "task.md:1:", "# Title");
    refuses("task.md", "# A title\n\n\n", "task.md:2:", "the task after");
    refuses("task.md", "\xff\n", "task.md:", "UTF-8");
    put("task.md", TASK);
    refuses("hints.md", "## 1\na\n## 2\nb\n## 2\nc\n", "hints.md:5:", "## 2");
    refuses("hints.md", "## 1\na\n\n## 4\nb\n", "hints.md:4:", "## 4");
    refuses("hints.md", "## 1\n\n## 2\nb\n", "hints.md:1:", "nothing");
    refuses("hints.md", "## 1\na\n## 2\nb\n## 3\nc\n", "hints.md:", "## Lecture");
    refuses("hints.md", "## 1\na\n## 2\nb\n## Lecture\nx#y\n", "hints.md:", "## 3 is missing");
    refuses("hints.md", "## Lecture\nsee there\n", "hints.md:2:", "LECTURE#PAGE");
    put("hints.md", HINTS);
    refuses("exercise.yaml", "stage: mask\n", "exercise.yaml:1:", "points");
    refuses("exercise.yaml", "points: many\n", "exercise.yaml:1:9:", "whole number");
    refuses("exercise.yaml", "points: 3\nstages: a\n", "exercise.yaml:2:1:", "stage");
    refuses("exercise.yaml", "points: 3\nwhen: never\n", "exercise.yaml:2:7:", "causal");
}

TEST(the_list_is_in_the_order_of_the_numbers)
{
    ExerciseList list;
    static const char *const files[] = {"exercise.yaml", "exercise.c", "task.md", "hints.md"};
    static const char *const texts[] = {FACTS, "int stub;\n", TASK, HINTS};
    scratch_folder("exercises/10-causal-mask");
    scratch_folder("exercises/2-first");
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "exercises/10-causal-mask/%s", files[i]);
        scratch_write(path, texts[i], strlen(texts[i]));
        snprintf(path, sizeof path, "exercises/2-first/%s", files[i]);
        scratch_write(path, texts[i], strlen(texts[i]));
    }
    ck_assert_msg(exercise_list_open(&list, LANGUAGE_ENGLISH, &err), "%s", err.text);
    ck_assert_int_eq(list.count, 3);
    ck_assert_str_eq(list.exercises[0].name, "first");
    ck_assert_str_eq(list.exercises[2].name, "causal-mask");
    static const char *const means[] = {"causal-mask", "10", "10-causal-mask", "causal_mask.c",
                                        "exercises/causal-mask.c"};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        ck_assert_msg(exercise_list_find(&list, means[i], &err) == 2, "%s", means[i]);
    ck_assert_int_eq(exercise_list_find(&list, "09", &err), 1);
    ck_assert_int_eq(exercise_list_find(&list, "9-causal-mask", &err), -1);
    ck_assert_int_eq(exercise_list_find(&list, "scael", &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "did you mean 'scale'?"));
    exercise_list_close(&list);
}

TEST(a_broken_exercise_is_said_and_not_left_out)
{
    ExerciseList list;
    put("task.md", "no title\n");
    ck_assert(!exercise_list_open(&list, LANGUAGE_ENGLISH, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "09-scale/task.md:1:"));
}

// --- What the program says about exercises: both languages say the same things, and what compilers say is
// put into plain words.

// The conversions of a format, each with its number: "1s2d".
static void conversions(const char *format, char found[64])
{
    int number = 0;
    size_t used = 0;
    for (; *format; format++) {
        if (*format != '%')
            continue;
        int place = ++number;
        size_t digits = strspn(format + 1, "0123456789");
        if (digits > 0 && format[1 + digits] == '$') {
            sscanf(format + 1, "%d", &place);
            format += digits + 1;
        }
        format += 1 + strspn(format + 1, "-0123456789");
        used += (size_t)snprintf(found + used, 64 - used, "%d%c", place, *format);
    }
    found[used] = '\0';
}

FIXTURE(NULL, NULL)

TEST(both_languages_name_the_same_things)
{
    for (int word = 0; word < SAY_COUNT; word++) {
        char english[64], korean[64];
        conversions(exercise_word_in(LANGUAGE_ENGLISH, word), english);
        conversions(exercise_word_in(LANGUAGE_KOREAN, word), korean);
        ck_assert_msg(strcmp(english, korean) == 0, "%s: %s and %s",
                      exercise_word_in(LANGUAGE_ENGLISH, word), english, korean);
    }
}

static const char *meant(const char *said)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof text, "w");
    text[0] = '\0';
    compiler_words_print(said, out);
    fclose(out);
    return text;
}

// Lines of gcc 12 and clang 14, and a word of the sentence that explains them.
static const char *const explained[][2] = {
    {"undecl.c:2:35: error: \u2018i\u2019 undeclared (first use in this function)",
     "name \"i\" is"},
    {"undecl.c:2:35: error: use of undeclared identifier 'i'", "name \"i\" is"},
    {"semi.c:2:41: error: expected \u2018;\u2019 before \u2018}\u2019 token",
     "semicolon is missing"},
    {"semi.c:2:41: error: expected ';' after expression", "semicolon is missing"},
    {"b.c:2:40: error: expected \u2018)\u2019 before \u2018;\u2019 token", "bracket"},
    {"p.c:2:25: warning: unused parameter \u2018s\u2019 [-Wunused-parameter]",
     "does not use \"s\""},
    {"u.c:2:31: warning: \u2018s\u2019 is used uninitialized [-Wuninitialized]",
     "\"s\" is read before"},
    {"u.c:2:29: warning: variable 's' is uninitialized when used here", "\"s\" is read before"},
    {"n.c:2:26: warning: variable 's' set but not used", "\"s\" gets a value"},
    {"i.c:2:5: warning: implicit declaration of function \u2018printf\u2019 "
     "[-Wimplicit-function-declaration]",
     "\"printf\" is one of C's own"},
    {"i.c:2:5: warning: implicitly declaring library function 'memset' with type 'void *(void *, "
     "int, unsigned long)' [-Wimplicit-function-declaration]",
     "\"memset\" is one of C's own"},
    {"i.c:2:5: warning: incompatible implicit declaration of built-in function "
     "\u2018printf\u2019 [-Wbuiltin-declaration-mismatch]",
     "\"printf\" is one of C's own"},
    {"i.c:2:21: warning: implicit declaration of function \u2018tensor_at5\u2019; did you mean "
     "\u2018tensor_at4\u2019?",
     "\"tensor_at5\" is unknown"},
    {"f.c:2:21: error: too few arguments to function \u2018tensor_at2\u2019", "index is missing"},
    {"v.c:2:58: error: invalid operands to binary expression ('float *' and 'float *')", "place"},
    {"t.c:2:40: error: assigning to 'float' from incompatible type 'float *'", "kinds of things"},
    {"l.c:2:39: error: lvalue required as left operand of assignment", "star in front"},
    {"l.c:2:39: error: expression is not assignable", "star in front"},
    {"r.c:2:34: error: assignment of member \u2018rank\u2019 in read-only object",
     "const input cannot be changed"},
    {"d.c:2:47: warning: passing 'const Tensor *' to parameter of type 'Tensor *' discards "
     "qualifiers [-Wincompatible-pointer-types-discards-qualifiers]",
     "const input cannot be changed"},
    {"m.c:2:27: error: \u2018Tensor\u2019 has no member named \u2018size\u2019", "has no \"size\""},
    {"s.c:2:9: warning: comparison of integers of different signs: 'int' and 'unsigned int'",
     "ptrdiff_t"},
    {"e.c:2:19: warning: suggest parentheses around assignment [-Wparentheses]", "== compare"},
    {"x.c:(.text+0x8): undefined reference to `score'", "function \"score\" is missing"},
    {"c.c:2:21: error: conflicting types for \u2018f\u2019; have \u2018void(float)\u2019",
     "\"f\" has the wrong"},
    {"h.c:2:10: fatal error: tensor.h: No such file or directory", "#include"},
};

TEST(what_compilers_say_is_put_into_plain_words)
{
    for (size_t i = 0; i < sizeof explained / sizeof *explained; i++)
        ck_assert_msg(strstr(meant(explained[i][0]), explained[i][1]) != NULL, "%s\nmeans\n%s",
                      explained[i][0], meant(explained[i][0]));
}

TEST(each_kind_once_and_not_too_many)
{
    const char *said = "a.c:1:1: error: expected ';' after expression\n"
                       "    int a = 0\n"
                       "a.c:2:1: error: expected ';' after expression\n";
    ck_assert_str_eq(meant(said), "  A semicolon is missing at the end of the line before, or of "
                                  "this one.\n");
    ck_assert_str_eq(meant("a.c:1:1: note: nothing that matters\n"), "");
}

// The first error with its place, which an assembler's has not: it is one of its own text.
LOOP_TEST(the_first_error_has_a_place_that_is_true, 6)
{
    static const char *const said[][2] = {
        {"a.c: In function 'f':\na.c:3:5: error: 'x' undeclared\na.c:4:1: error: 'y' undeclared\n",
         "a.c:3:5: error: 'x' undeclared"},
        {"a.c:1:2: error: #error Error: mine\n", "a.c:1:2: error: #error Error: mine"},
        {"{standard input}: Assembler messages:\nother.c:5: Error: no such instruction: 'b'\n",
         "Error: no such instruction: 'b'"},
        {"other.c:5: Fatal error: .abort detected\n", "Fatal error: .abort detected"},
        {"other.c:5: Error: a.c:1: error: b\n", "Error: a.c:1: error: b"},
        {"collect2: error: ld returned 1 exit status\n", ""},
    };
    size_t length;
    const char *first = compiler_words_first(said[_i][0], &length);
    ck_assert_uint_eq(length, strlen(said[_i][1]));
    ck_assert(strncmp(first, said[_i][1], length) == 0);
}

SUITE("exercise")

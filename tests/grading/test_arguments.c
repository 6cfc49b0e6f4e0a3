// What is told of a learner's function from its text: arguments other than it is called with, and what is
// kept from call to call.
#include <string.h>
#include "judging.h"
#include "suite.h"

static const char stub[] =
    "// scores [B, H, Lq, Lk]\n#include \"attnscope.h\"\n\n"
    "void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)\n"
    "{\n}\n";

// The beginning of what is told; "": nothing, since it fits or its text does not tell.
static const struct {
    const char *told, *source;
} sources[] = {
    {"", "void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)\n{\n}\n"},
    {"", "void scale(Tensor *s, int d, Tensor *out) {}"},
    {"", "void scale(const Tensor scores[], const long d_k,\n           Tensor *const "
         "scores_scaled)\n{ }"},
    {"", "/* void scale(int a) { */ void scale(const Tensor *a, size_t b, Tensor *c) {}"},
    {"", "void scale(int a); void scale(const Tensor *a, size_t b, Tensor *c) {}"},
    {"", "#define Tensor float\nvoid scale(Tensor *scores) {}"},
    {"", "#if 0\nvoid scale(int a) {}\n#endif\n"},
    {"", "typedef long Size;\nvoid scale(const Tensor *a, Size b, Tensor *c) {}"},
    {"", "void rescale(int a) {}"},
    {"", "void scale(const Tensor *scores, ptrdiff_t"},
    {"", ""},
    {"line 1: scale takes (ptrdiff_t d_k, const Tensor *scores, Tensor *scores_scaled), but is "
     "called with (const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)",
     "void scale(ptrdiff_t d_k, const Tensor *scores, Tensor *scores_scaled) {}"},
    {"line 3: scale takes (const Tensor *scores, Tensor *scores_scaled),",
     "#include \"attnscope.h\"\n\nvoid scale(const Tensor *scores, Tensor *scores_scaled)\n{\n}\n"},
    {"line 1: scale takes (float *scores, ptrdiff_t d_k, float *out),",
     "void scale(float *scores, ptrdiff_t d_k, float *out) {}"},
    {"line 1: scale takes (const Tensor *scores, float d_k, Tensor *out),",
     "void scale(const Tensor *scores, float d_k, Tensor *out) {}"},
    {"line 2: scale takes (Tensor *scores_scaled, ptrdiff_t d_k, const Tensor *scores),",
     "// of mine\nvoid scale(Tensor *scores_scaled, ptrdiff_t d_k,\n\t\tconst Tensor *scores)\n{}"},
    {"line 1: scale takes (Tensor scores, ptrdiff_t d_k, Tensor scores_scaled),",
     "void scale(Tensor scores, ptrdiff_t d_k, Tensor scores_scaled) {}"},
};

LOOP_TEST(arguments_that_a_function_is_not_called_with_are_told, sizeof sources / sizeof *sources)
{
    Error told[LANGUAGES] = {{.text = ""}};
    const char *beginning = sources[_i].told;
    bool differ = judging_arguments(sources[_i].source, stub, "scale", told);
    ck_assert_msg(differ == (*beginning != '\0'), "%s: %s", sources[_i].source,
                  told[LANGUAGE_ENGLISH].text);
    ck_assert_msg(strncmp(told[LANGUAGE_ENGLISH].text, beginning, strlen(beginning)) == 0, "%s",
                  told[LANGUAGE_ENGLISH].text);
    ck_assert(differ == (*told[LANGUAGE_KOREAN].text != '\0'));
}

// What is kept; "": nothing, or the text does not tell.
static const struct {
    const char *told, *source;
} keeping[] = {
    {"3: static float divisor",
     "#include \"a.h\"\nvoid scale(int a)\n{ static float divisor = 0; }\n"},
    {"1: int calls", "int calls;\nvoid scale(int a) { calls++; }"},
    {"2: static float kept", "// static int none;\nstatic  float\n kept [9] ; "},
    {"5: float last", "struct One {\n  int a;\n};\nvoid scale(int a) { for (int i = 0; i < a; i++) "
                      "{ a = i; } }\nfloat last = 1;"},
    {"", "static const float zero = 0; static float root(int a);\nvoid scale(int a) { int b = 2; a "
         "= b; return a; }"},
    {"", "typedef float F; extern int n; enum { A = 2 };\nstatic int two(int a) { return a; }"},
    {"", "#define static\nstatic int n;"},
    {"", "static"},
    {"", "{ static in"},
};

LOOP_TEST(what_a_file_keeps_from_call_to_call_is_found, sizeof keeping / sizeof *keeping)
{
    char kept[JUDGING_KEPT_MAX] = "";
    bool found = judging_kept(keeping[_i].source, kept);
    ck_assert_str_eq(kept, keeping[_i].told);
    ck_assert(found == (*kept != '\0'));
}

SUITE("arguments")

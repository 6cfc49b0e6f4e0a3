// The bank of mistakes as a list: names, words in both languages, stages that the pipeline has.
#include "mistake.h"
#include "scenario_file.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

TEST(a_mistake_is_found_by_its_name)
{
    for (int i = 0; mistake_get(i); i++)
        ck_assert_ptr_eq(mistake_find(mistake_get(i)->name), mistake_get(i));
    ck_assert_ptr_null(mistake_find("no such mistake"));
    ck_assert_ptr_null(mistake_get(-1));
    ck_assert_str_eq(mistake_find("scale-missing")->words[LANGUAGE_ENGLISH].title,
                     "The scores are not divided by sqrt(d_k).");
}

static bool is_sentence(const char *text)
{
    return text && *text && text[strlen(text) - 1] == '.';
}

static bool has_hangul(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at >= 0xea && *at <= 0xed) // the first byte of a Hangul syllable in UTF-8
            return true;
    return false;
}

// Polite sentences: every sentence ends in 니다.
static bool is_polite(const char *text)
{
    static const char ending[] = "니다.";
    size_t length = strlen(text);
    return length > strlen(ending) && strcmp(text + length - strlen(ending), ending) == 0;
}

TEST(every_mistake_is_explained_in_both_languages)
{
    for (int i = 0; mistake_get(i); i++)
        for (int language = 0; language < LANGUAGES; language++) {
            MistakeWords words = mistake_get(i)->words[language];
            const char *texts[] = {words.title, words.shows, words.mend};
            for (int part = 0; part < 3; part++) {
                bool korean = language == LANGUAGE_KOREAN;
                ck_assert_msg(is_sentence(texts[part]), "%s: no sentence", mistake_get(i)->name);
                ck_assert_msg(has_hangul(texts[part]) == korean, "%s: %s", mistake_get(i)->name,
                              texts[part]);
                ck_assert_msg(!korean || is_polite(texts[part]), "%s: %s", mistake_get(i)->name,
                              texts[part]);
            }
        }
}

TEST(every_mistake_stands_for_stages_of_the_pipeline)
{
    for (int i = 0; mistake_get(i); i++) {
        ck_assert_ptr_nonnull(mistake_get(i)->stages[0]);
        for (const Stage *const *stage = mistake_get(i)->stages; *stage; stage++) {
            const Stage *right = stage_find((*stage)->name);
            ck_assert_msg(right, "%s: no stage %s", mistake_get(i)->name, (*stage)->name);
            ck_assert_int_eq((*stage)->main_output, right->main_output);
            ck_assert_uint_le(strlen((*stage)->formula), 76);
            ck_assert_str_ne((*stage)->formula, right->formula);
            ck_assert_str_ne((*stage)->torch, right->torch);
        }
    }
}

static const Slot *written_by(const Stage *stage, const Slot *like)
{
    for (const StageCall *call = stage->calls; call->reads[0].role; call++)
        for (const Slot *slot = call->writes; slot->role; slot++)
            if (strcmp(slot->role, like->role) == 0 && strcmp(slot->tensor, like->tensor) == 0)
                return slot;
    return NULL;
}

// What is drawn of a mistake's weights is what is drawn of the right ones.
TEST(what_a_mistake_writes_means_what_the_right_stage_writes)
{
    int shares = 0;
    for (int i = 0; mistake_get(i); i++)
        for (const Stage *const *stage = mistake_get(i)->stages; *stage; stage++)
            for (const StageCall *call = (*stage)->calls; call->reads[0].role; call++)
                for (const Slot *slot = call->writes; slot->role; slot++) {
                    const Slot *right = written_by(stage_find((*stage)->name), slot);
                    ck_assert_msg(!right || right->sums_to_one == slot->sums_to_one, "%s: %s",
                                  mistake_get(i)->name, slot->tensor);
                    shares += slot->sums_to_one;
                }
    ck_assert_int_gt(shares, 0);
}

// The code of a mistake is its formulas.
TEST(every_mistake_has_its_code)
{
    for (int i = 0; mistake_get(i); i++) {
        const Stage *stage = mistake_get(i)->stages[0];
        const StageCode *code = mistake_code(stage);
        ck_assert_ptr_nonnull(code);
        ck_assert_str_eq(code->lines[0], stage->formula);
    }
    ck_assert_ptr_null(mistake_code(stage_get(0)));
}

static const char *why_not(const char *mistake, const char *scenario_name, bool backward)
{
    Error err = {.text = ""};
    Scenario scenario;
    ScenarioRequest request = {.what = scenario_name};
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    scenario.backward = backward;
    const Words *why = mistake_cannot_show(mistake_find(mistake), &scenario);
    scenario_finish(&scenario);
    return why ? why->in[LANGUAGE_ENGLISH] : "";
}

// With one head d_model is d_k; from vectors nothing is padded; nobody masks in four-heads.
TEST(where_a_mistake_cannot_show_a_run_tells)
{
    static const char step[] = "this scenario has no step that it changes";
    ck_assert_str_eq(why_not("scale-missing", "causal", false), "");
    ck_assert_str_eq(why_not("scale-by-d-model", "scaled-dot-product", false),
                     "of this scenario it makes the same numbers, or the shapes refuse it");
    ck_assert_str_eq(why_not("pad-left", "causal", false), step);
    ck_assert_str_eq(why_not("mask-missing", "four-heads", false), step);
    ck_assert_str_eq(why_not("gradient-transposed", "causal", false),
                     "this scenario has no backward pass: --backward adds one");
    ck_assert_str_eq(why_not("gradient-transposed", "causal", true), "");
}

TEST(who_is_the_same_as_another_names_one_that_exists)
{
    for (int i = 0; mistake_get(i); i++) {
        const char *other = mistake_get(i)->same_as;
        ck_assert_msg(!other || mistake_find(other), "%s: %s", mistake_get(i)->name, other);
        ck_assert_msg(!other || mistake_find(other)->same_as == NULL, "%s: a chain of same_as",
                      mistake_get(i)->name);
    }
}

// B H L L d_k = 4 * 16 * 1024 * 1024 * 64 products: nothing is read, since it is refused before.
TEST(a_mistake_that_takes_too_long_is_refused)
{
    static float one;
    static const ptrdiff_t inputs[] = {4, 16, 1024, 64}, scores[] = {4, 16, 1024, 1024};
    const StageOptions options = {.causal = false};
    const Stage *stage = mistake_find("scores-transposed")->stages[0];
    StageArgs args = {.options = &options, .stage = stage};
    Error err = {.text = ""};
    args.in[0] = args.in[1] = tensor_over(&one, DTYPE_F32, 4, inputs);
    args.out[0] = tensor_over(&one, DTYPE_F32, 4, scores);
    ck_assert(!stage->run(&args, &err));
    ck_assert_msg(strstr(err.text, "million operations"), "%s", err.text);
}

SUITE("mistake")

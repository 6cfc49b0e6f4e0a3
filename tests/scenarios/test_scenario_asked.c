// model.asked: at which words the heads of a trained layer were asked for what they do.
#include "scenario_file.h"
#include "suite.h"

#include <string.h>

static Scenario opened;
static Error err;

static bool open_with(const char *what, const char *set)
{
    ScenarioRequest request = {.what = what, .sets = &set, .set_count = set != NULL};
    return scenario_open(&opened, &request, &err);
}

// Head 0 of the trained layer was asked at all but the first word, head 1 at all but marks, head 2 at
// pronouns. Words 0, 1, 13 and 38 are "-", Jungkook, He and the full stop (grammar.c).
TEST(a_trained_layer_says_where_its_heads_were_asked)
{
    enum { NOTHING = 0, JUNGKOOK = 1, HE = 13, STOP = 38 };
    ck_assert_msg(open_with("sentence-trained", NULL), "%s", err.text);
    ck_assert(scenario_is_asked(&opened, 2, 5, HE));
    ck_assert(!scenario_is_asked(&opened, 2, 5, JUNGKOOK));
    ck_assert(scenario_is_asked(&opened, 1, 0, JUNGKOOK));
    ck_assert(!scenario_is_asked(&opened, 1, 4, STOP));
    ck_assert(scenario_is_asked(&opened, 0, 1, STOP));
    ck_assert(!scenario_is_asked(&opened, 0, 0, STOP));
    ck_assert(!scenario_is_asked(&opened, 0, 1, NOTHING));
    scenario_finish(&opened);
}

TEST(where_nobody_says_every_row_was_asked)
{
    ck_assert_msg(open_with("sentence", NULL), "%s", err.text);
    ck_assert(scenario_is_asked(&opened, 0, 0, 0));
    scenario_finish(&opened);
    ck_assert_msg(open_with("sentence-trained", "model.asked=none"), "%s", err.text);
    ck_assert(scenario_is_asked(&opened, 0, 0, 0));
    scenario_finish(&opened);
}

TEST(what_is_not_understood_is_named)
{
    static const struct {
        const char *what, *set, *says;
    } mistakes[] = {
        {"sentence", "model.asked=[{words: [He]}]", "asked needs model.vocabulary_words"},
        {"sentence-trained", "model.asked=[{words: [He]}]",
         "asked needs an entry for each of the 3 heads"},
        {"sentence-trained", "model.asked=all", "asked needs an entry for each of the 3 heads"},
        {"sentence-trained", "model.asked=[He, She, him]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{first: false}, {but: []}, {but: []}]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{words: [He], but: []}, {but: []}, {but: []}]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{words: [[He]]}, {but: []}, {but: []}]",
         "an entry of asked needs words: [He, She]"},
        {"sentence-trained", "model.asked=[{word: [He]}, {but: []}, {but: []}]",
         "unknown key 'word' (did you mean 'words'?)"},
        {"sentence-trained", "model.asked=[{but: [Hee]}, {but: []}, {but: []}]",
         "'Hee' is not one of the 41 words of this model"},
        {"sentence-trained", "model.asked=[{but: [], first: 1}, {but: []}, {but: []}]",
         "expected true or false, found '1'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ck_assert_msg(!open_with(mistakes[i].what, mistakes[i].set), "%s", mistakes[i].set);
        ck_assert_msg(strstr(err.text, mistakes[i].says), "%s: %s", mistakes[i].set, err.text);
    }
}

SUITE("scenario_asked")

// Whose numbers a picture says that it shows: the document's, or changed ones; from trained weights, or
// from those that a seed has drawn.
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include "drawn.h"
#include "looking.h"
#include "scenario_file.h"
#include "suite.h"

static Looking it;
static Scenario scenario;

static void open_request(ScenarioRequest request)
{
    Error err;
    ck_assert_msg(scenario_open(&scenario, &request, &err), "%s", err.text);
    looking_open_over(&it, &scenario);
    looking_draw(&it);
}

static void open_four_heads(void)
{
    open_request((ScenarioRequest){.what = "four-heads"});
}

static void close_it(void)
{
    looking_close(&it);
    scenario_finish(&scenario);
}

static bool says(const char *text)
{
    return drawn_find(&it.view.list, text, false) != NULL;
}

static void check_csv(const char *begins)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    picture_csv(&it.session, out);
    fclose(out);
    ck_assert_msg(strncmp(text, begins, strlen(begins)) == 0, "%.60s", text);
    free(text);
}

TEST(unchanged_numbers_are_the_documents)
{
    ck_assert(says("attn_weights of four-heads (document 002)"));
    ck_assert(!says("changed"));
    check_csv("head,query,word");
}

TEST(an_edit_takes_the_documents_name_away_and_undoing_it_gives_it_back)
{
    looking_say(&it, "set x[0,0,0] = 2");
    ck_assert(says("changed: x[0,0,0] = 2"));
    ck_assert(!says("document"));
    check_csv("# changed: x[0,0,0] = 2\nhead,query,word");
    looking_say(&it, "set attention.scale=none");
    ck_assert(says("attention.scale=none"));
    looking_say(&it, "undo");
    looking_say(&it, "undo");
    ck_assert(says("(document 002)"));
    ck_assert(!says("changed"));
}

TEST(a_mistake_is_named_while_its_run_is_in_front)
{
    looking_say(&it, "compare mistake scale-missing");
    ck_assert(says("(document 002)"));
    looking_say(&it, "compare-swap");
    ck_assert(says("changed: mistake scale-missing"));
    ck_assert(!says("document"));
    looking_say(&it, "compare-swap");
    looking_say(&it, "compare-as difference");
    ck_assert(says("changed: differences to mistake scale-missing"));
    char text[SESSION_SOURCE_MAX];
    ck_assert_str_eq(session_changed_by(&it.session, text),
                     ""); // the run in front is the document's
    ck_assert(!says("document"));
    looking_say(&it, "compare-as other");
    looking_say(&it, "compare hidden mistake scale-missing");
    looking_say(&it, "compare-swap");
    ck_assert(says("changed: ?"));
    ck_assert(!says("scale-missing"));
}

TEST(options_and_own_text_are_named)
{
    const char *sets[] = {"attention.scale=none", "backward=true"};
    close_it();
    open_request((ScenarioRequest){.what = "sentence", .text = "I\nread", .sets = sets, 2});
    ck_assert(says("changed: own text; attention.scale=none"));
    ck_assert(!says("backward"));
    ck_assert(!says("document"));
    check_csv("# changed: own text; attention.scale=none\n");
}

TEST(many_changes_end_with_an_ellipsis)
{
    char text[SESSION_SOURCE_MAX];
    for (int i = 0; i < 60; i++) {
        char words[64];
        snprintf(words, sizeof words, "set x[0,0,%d] = %d", i % 8, i);
        ck_assert(looking_try(&it, words));
    }
    session_changed_by(&it.session, text);
    ck_assert_ptr_nonnull(strstr(text, "x[0,0,0] = 0; x[0,0,1] = 1"));
    ck_assert_str_eq(text + strlen(text) - 3, "\xe2\x80\xa6");
}

TEST(weights_that_a_seed_has_drawn_are_called_untrained)
{
    ck_assert(says("untrained weights"));
    close_it();
    open_request((ScenarioRequest){.what = "sentence-trained"});
    ck_assert(!says("untrained"));
    close_it();
    open_request((ScenarioRequest){.what = "small-llama"}); // its file holds what a seed has drawn
    ck_assert(says("untrained weights"));
    close_it();
    open_request((ScenarioRequest){.what = "scaled-dot-product-printed"}); // it has no weights
    ck_assert(!says("untrained"));
}

TEST(weights_of_a_persons_own_file_are_named)
{
    char path[4096];
    close_it();
    open_request((ScenarioRequest){.what = "sentence-trained"});
    ck_assert(!says("weights of trained"));
    close_it();
    snprintf(path, sizeof path, "%s/scenarios/sentence-trained.yaml", getenv("ATTNSCOPE_LESSONS"));
    open_request((ScenarioRequest){.what = path});
    ck_assert(says("weights of trained-seed-0.safetensors"));
    ck_assert(!says("document"));
}

SUITE_WITH("session_source", open_four_heads, close_it)

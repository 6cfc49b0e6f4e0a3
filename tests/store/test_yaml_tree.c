// YAML as a tree that knows its places: what is read, where it stands, and what is refused in which
// words. Lines and columns are counted by hand in the texts below, from 1.
#include "yaml_tree.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Arena arena;
static Error err;

static void forget(void)
{
    arena_finish(&arena);
    err = (Error){0};
}

static YamlNode *read_text(const char *text)
{
    err.text[0] = '\0';
    return yaml_read_text(text, strlen(text), "x.yaml", &arena, &err);
}

static void refused(const char *text, const char *beginning)
{
    ck_assert_ptr_null(read_text(text));
    err.text[strlen(beginning)] = '\0';
    ck_assert_str_eq(err.text, beginning);
}

static void assert_place(const YamlNode *node, int line, int column)
{
    ck_assert_ptr_nonnull(node);
    ck_assert_int_eq(node->line, line);
    ck_assert_int_eq(node->column, column);
}

// --- reading

static const char scenario[] = "name: causal\n"
                               "attention:\n"
                               "  scale: sqrt_d_k\n"
                               "  mask_value: -.inf\n"
                               "input: [[1, 2], [3, 4, 5]]\n"
                               "words:\n"
                               "- \"고양이\"\n"
                               "- 'it''s'\n";

TEST(maps_lists_and_scalars_become_nodes_with_their_places)
{
    YamlNode *root = read_text(scenario);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->kind, YAML_MAP);
    ck_assert_uint_eq(root->count, 4);
    ck_assert_str_eq(root->first->key, "name");
    ck_assert_str_eq(root->first->text, "causal");
    assert_place(root->first, 1, 7);

    YamlNode *attention = yaml_get(root, "attention");
    assert_place(attention, 3, 3); // the map begins at its first key
    ck_assert_int_eq(attention->key_line, 2);
    ck_assert_int_eq(attention->key_column, 1);
    assert_place(yaml_get(attention, "mask_value"), 4, 15);
    ck_assert_ptr_null(yaml_get(attention, "masks"));

    YamlNode *input = yaml_get(root, "input");
    ck_assert_int_eq(input->kind, YAML_LIST);
    ck_assert_uint_eq(input->count, 2);
    ck_assert_uint_eq(input->first->next->count, 3);
    assert_place(input->first->next->first->next->next, 5, 24); // the 5
    ck_assert_ptr_null(yaml_get(input, "name"));
    ck_assert_str_eq(input->file, "x.yaml");
}

TEST(quoted_scalars_say_so_and_keep_their_letters)
{
    YamlNode *words = yaml_get(read_text(scenario), "words");
    ck_assert_uint_eq(words->count, 2);
    ck_assert_str_eq(words->first->text, "고양이");
    ck_assert(words->first->quoted);
    ck_assert_str_eq(words->first->next->text, "it's");
    ck_assert(words->first->next->quoted);
    ck_assert(!yaml_get(read_text(scenario), "name")->quoted);
}

TEST(columns_count_characters_not_bytes)
{
    // "고양이: " is five characters, so the value begins in column 6
    assert_place(read_text("고양이: 1\n")->first, 1, 6);
    // a byte order mark is not a character of the text
    assert_place(read_text("\xEF\xBB\xBF"
                           "a: 1\n")
                     ->first,
                 1, 4);
}

TEST(a_literal_matrix_of_a_million_numbers_is_read_in_small_memory)
{
    enum { NUMBERS = 1000000 };
    char *text = malloc(NUMBERS * 4 + 2), *end = text;
    *end++ = '[';
    for (int i = 0; i < NUMBERS; i++)
        end += sprintf(end, i % 20 == 19 ? "%d,\n" : "%d, ", i % 10);
    *end++ = ']';
    YamlNode *list = yaml_read_text(text, (size_t)(end - text), "x.yaml", &arena, &err);
    free(text);
    ck_assert_msg(list != NULL, "%s", err.text);
    ck_assert_uint_eq(list->count, NUMBERS);
    ck_assert_uint_lt(arena.bytes, (size_t)NUMBERS * 120);
    ck_assert_str_eq(list->first->next->next->text, "2");
}

TEST(a_map_of_a_hundred_thousand_keys_is_checked_for_duplicates_quickly)
{
    enum { KEYS = 100000 };
    char *text = malloc(KEYS * 12 + 20), *end = text;
    for (int i = 0; i < KEYS; i++)
        end += sprintf(end, "k%d: 1\n", i);
    sprintf(end, "k777: 2\n");
    ck_assert_ptr_null(yaml_read_text(text, strlen(text), "x.yaml", &arena, &err));
    free(text);
    ck_assert_str_eq(
        err.text,
        "x.yaml:100001:1: 'k777' is already in this map, in line 778; remove one of them");
}

TEST(a_file_is_read_as_its_text)
{
    char path[] = "/tmp/attnscope_yaml_XXXXXX";
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, "a: [1]\n", 7), 7);
    close(descriptor);
    YamlNode *root = yaml_read_file(path, &arena, &err);
    unlink(path);
    ck_assert_msg(root != NULL, "%s", err.text);
    ck_assert_str_eq(yaml_get(root, "a")->first->text, "1");
    ck_assert_str_eq(root->file, path);
}

// --- what is refused

TEST(what_is_not_read_is_refused_with_its_place_and_what_to_do)
{
    refused("", "x.yaml:1:1: this file is empty");
    refused("# only a comment\n", "x.yaml:1:1: this file is empty");
    refused("a: 1\nb: 2\na: 3\n", "x.yaml:3:1: 'a' is already in this map, in line 1; remove one");
    refused("m:\n  x: 1\n  y: 2\n  x: 3\n", "x.yaml:4:3: 'x' is already in this map, in line 2");
    refused("a: &one 1\n", "x.yaml:1:4: anchors (&name) are not supported; write the value");
    refused("a: &m {b: 1}\n", "x.yaml:1:4: anchors (&name) are not supported");
    refused("a: *one\n", "x.yaml:1:4: aliases (*name) are not supported; write the value");
    refused("a: !!str 1\n", "x.yaml:1:4: tags (!name) are not supported; remove the tag");
    refused("a: !list [1]\n", "x.yaml:1:4: tags (!name) are not supported");
    refused("a: 1\n---\nb: 2\n", "x.yaml:2:1: a second document begins here; put it into its");
    refused("[1, 2]: 3\n", "x.yaml:1:1: a key must be plain text, not a list or a map");
    refused("\"\": 3\n", "x.yaml:1:1: a key is missing before the ':'");
    refused("a: \"x\\0y\"\n", "x.yaml:1:4: text cannot contain the character \\0");
}

TEST(text_that_is_no_yaml_is_refused_where_it_breaks)
{
    refused("a: [1, 2\nb: 3\n", "x.yaml:2:2: this is not valid YAML: ");
    refused("a: 1\n\tb: 2\n", "x.yaml:2:1: this is not valid YAML: ");
    refused("a: 'open\n", "x.yaml:2:1: this is not valid YAML: found unexpected end of stream");
    refused("a: [1,", "x.yaml:1:7: this is not valid YAML: ");
    refused("a: b: c\n", "x.yaml:1:5: this is not valid YAML: mapping values are not allowed");
}

TEST(bytes_that_are_no_utf8_are_refused_where_they_stand)
{
    refused("a: 1\nb: \xFFx\n", "x.yaml:2:4: invalid leading UTF-8 octet; save the file as plain");
    refused("a: 1\nb: \xC3(\n", "x.yaml:2:5: invalid trailing UTF-8 octet; save the file as");
    // UTF-16 with its byte order mark
    refused("\xFF\xFE"
            "a",
            "x.yaml:1:1: invalid leading UTF-8 octet");
    refused("고: \x01\n", "x.yaml:1:4: control characters are not allowed");
    ck_assert_ptr_null(yaml_read_text("a: 1\0b", 6, "x.yaml", &arena, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "x.yaml:1:5: control characters are not allowed"));
}

TEST(nesting_is_bounded)
{
    char text[100];
    for (int deep = 32; deep <= 33; deep++) {
        memset(text, '[', (size_t)deep);
        memset(text + deep, ']', (size_t)deep);
        text[2 * deep] = '\0';
        if (deep == 32)
            ck_assert_ptr_nonnull(read_text(text));
        else
            refused(text, "x.yaml:1:33: lists and maps are nested more than 32 levels deep");
    }
}

TEST(a_file_of_more_than_16_mebibytes_is_refused_with_its_size)
{
    size_t length = 16 * 1024 * 1024 + 1;
    char *text = calloc(1, length);
    ck_assert_ptr_null(yaml_read_text(text, length, "x.yaml", &arena, &err));
    free(text);
    ck_assert_str_eq(err.text, "x.yaml has 16777217 bytes; the limit is 16777216");
}

TEST(a_missing_file_a_folder_and_a_device_are_refused)
{
    ck_assert_ptr_null(yaml_read_file("/nowhere/x.yaml", &arena, &err));
    ck_assert_str_eq(err.text, "cannot open /nowhere/x.yaml: No such file or directory");
    ck_assert_ptr_null(yaml_read_file("/tmp", &arena, &err));
    ck_assert_str_eq(err.text, "/tmp is a folder; name a file in it");
    ck_assert_ptr_null(yaml_read_file("/dev/null", &arena, &err));
    ck_assert_str_eq(err.text, "/dev/null is not a regular file; copy its contents into one first");
}

// --- scalars

static const YamlNode *scalar(const char *text)
{
    YamlNode *root = read_text(text);
    ck_assert_msg(root != NULL, "%s", err.text);
    return root;
}

TEST(numbers_have_the_forms_of_yaml)
{
    static const struct {
        const char *text;
        double number;
    } forms[] = {{"1.5", 1.5},   {"-3", -3.0},        {"+7.", 7.0},         {".25", 0.25},
                 {"2e-3", 2e-3}, {"1E+2", 100.0},     {"0.1", 0.1},         {"010", 10.0},
                 {"0x1F", 31.0}, {"0o17", 15.0},      {".inf", INFINITY},   {"-.inf", -INFINITY},
                 {"-0", -0.0},   {"+.INF", INFINITY}, {"-1.125e+1", -11.25}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        double number;
        ck_assert_msg(yaml_number(scalar(forms[i].text), &number, &err), "%s", err.text);
        ck_assert_double_eq(number, forms[i].number);
    }
    double number = 0.0;
    ck_assert(yaml_number(scalar(".nan"), &number, &err));
    ck_assert(isnan(number));
}

static void no_number(const YamlNode *node, const char *wanted)
{
    double number;
    ck_assert(!yaml_number(node, &number, &err));
    ck_assert_msg(strstr(err.text, wanted), "%s", err.text);
}

TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = {"sqrt_d_k", "\"1\"", "'1'", "1,5",  "1.5x", "e5",
                                        ".",        "-x",    "1e",  "0x",   "0b1",  "1 2",
                                        "--1",      "1_000", "~",   "-.nan"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        no_number(scalar(texts[i]), "x.yaml:1:1: expected a number, found '");
    static const char *const names[] = {"nan", "inf", "-inf", "Infinity"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        no_number(scalar(names[i]), "expected a number, .inf, -.inf or .nan, found '");
    no_number(scalar("a: '1'")->first, "x.yaml:1:4: expected a number, found '1' in quotes");
    no_number(scalar("a:")->first, "x.yaml:1:3: expected a number, found nothing");
    no_number(scalar("[1]"), "x.yaml:1:1: expected a number, found a list");
    no_number(scalar("1e999"), "1:1: 1e999 is too large for a number; write .inf for infinity");
}

TEST(whole_numbers_are_held_between_their_bounds)
{
    int64_t value = 0;
    ck_assert(yaml_integer(scalar("3761981812"), 0, INT64_MAX, &value, &err));
    ck_assert_int_eq(value, 3761981812);
    ck_assert(yaml_integer(scalar("-9223372036854775808"), INT64_MIN, 0, &value, &err));
    ck_assert(value == INT64_MIN);
    ck_assert(yaml_integer(scalar("0x10"), 0, 16, &value, &err));
    ck_assert_int_eq(value, 16);
    ck_assert(!yaml_integer(scalar("8"), 1, 7, &value, &err));
    ck_assert_str_eq(err.text, "x.yaml:1:1: expected a whole number from 1 to 7, found '8'");
    ck_assert(!yaml_integer(scalar("9223372036854775808"), 0, INT64_MAX, &value, &err));
    ck_assert(!yaml_integer(scalar("1.0"), 0, 9, &value, &err));
    ck_assert(!yaml_integer(scalar("\"1\""), 0, 9, &value, &err));
    ck_assert(!yaml_integer(scalar("{a: 1}"), 0, 9, &value, &err));
    ck_assert_str_eq(err.text, "x.yaml:1:1: expected a whole number from 0 to 9, found a map");
}

TEST(true_and_false_are_the_only_booleans)
{
    bool value = false;
    ck_assert(yaml_boolean(scalar("true"), &value, &err) && value);
    ck_assert(yaml_boolean(scalar("False"), &value, &err) && !value);
    ck_assert(!yaml_boolean(scalar("yes"), &value, &err));
    ck_assert_str_eq(err.text, "x.yaml:1:1: expected true or false, found 'yes'");
    ck_assert(!yaml_boolean(scalar("'true'"), &value, &err));
}

// --- known keys and overrides

TEST(an_unknown_key_is_refused_with_the_one_that_was_meant)
{
    static const char *const allowed[] = {"scale", "mask", "mask_value", NULL};
    ck_assert(yaml_only(scalar("mask: causal\nscale: 1\n"), allowed, &err));
    ck_assert(!yaml_only(scalar("mask: causal\nscael: 1\n"), allowed, &err));
    ck_assert_str_eq(err.text, "x.yaml:2:1: unknown key 'scael' (did you mean 'scale'?); allowed "
                               "here: scale, mask, mask_value");
    ck_assert(!yaml_only(scalar("banana: 1\n"), allowed, &err));
    ck_assert_str_eq(err.text, "x.yaml:1:1: unknown key 'banana'; allowed here: scale, mask, "
                               "mask_value");
    ck_assert(!yaml_only(scalar("[1]"), allowed, &err));
    ck_assert_str_eq(err.text, "x.yaml:1:1: expected a map of keys and values, found a list");
}

static bool override(YamlNode *root, const char *path, const char *text)
{
    YamlNode *value = yaml_read_text(text, strlen(text), "--set", &arena, &err);
    ck_assert_ptr_nonnull(value);
    return yaml_set(root, path, value, &arena, &err);
}

TEST(an_override_replaces_adds_and_makes_the_maps_on_the_way)
{
    YamlNode *root = read_text(scenario);
    ck_assert(override(root, "attention.scale", "none"));
    YamlNode *attention = yaml_get(root, "attention");
    ck_assert_str_eq(attention->first->text, "none");
    ck_assert_str_eq(attention->first->file, "--set");
    ck_assert_str_eq(attention->first->next->key, "mask_value");
    ck_assert_uint_eq(attention->count, 2);

    ck_assert(override(root, "name", "[1, 2]"));
    ck_assert_uint_eq(yaml_get(root, "name")->count, 2);
    ck_assert_uint_eq(root->count, 4);

    ck_assert(override(root, "model.sizes.heads", "12"));
    ck_assert_uint_eq(root->count, 5);
    YamlNode *heads = yaml_get(yaml_get(yaml_get(root, "model"), "sizes"), "heads");
    ck_assert_str_eq(heads->text, "12");
    ck_assert_str_eq(heads->key, "heads");
}

TEST(an_override_through_a_value_that_is_no_map_is_refused)
{
    YamlNode *root = read_text(scenario);
    ck_assert(!override(root, "input.first", "1"));
    ck_assert_str_eq(
        err.text,
        "--set:1:1: input.first cannot be set: input is a list (x.yaml:5), which has no keys");
    ck_assert(!override(root, "attention..scale", "1"));
    ck_assert_str_eq(err.text, "--set:1:1: 'attention..scale' has an empty part; write names with "
                               "single dots, as in attention.scale");
    ck_assert(!override(root, "", "1"));
    ck_assert(!override(read_text("[1]"), "a", "1"));
    ck_assert_str_eq(err.text, "--set:1:1: a cannot be set: x.yaml:1 is a list, not a map");
}

SUITE_WITH("yaml_tree", NULL, forget)

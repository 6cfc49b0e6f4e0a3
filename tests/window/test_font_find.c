// Fonts are found by the short way where a configuration says all that it takes; where there is none, or
// one that says less, by the way of fontconfig's own programs, and the fonts are the same.
#include "canvas_shared.h"

#include <fontconfig/fontconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "scratch.h"
#include "suite.h"

static const uint32_t letter = 'A';

// The sans-serif font that is found where fontconfig reads all by itself.
static void find_by_fontconfig(FoundFont *found)
{
    ck_assert(FcInit());
    ck_assert(font_find(font_families(false), false, letter, found));
    FcFini();
}

static void find_with(const char *configuration, FoundFont *found)
{
    setenv("FONTCONFIG_FILE", configuration, 1);
    ck_assert(font_find_open());
    ck_assert_msg(font_find(font_families(false), false, letter, found), "no font has an A");
    ck_assert_int_eq(access(found->path, R_OK), 0);
    FcFini();
}

static void is_found_as_fontconfig_does(const char *configuration)
{
    FoundFont wanted, found;
    setenv("FONTCONFIG_FILE", configuration, 1);
    find_by_fontconfig(&wanted);
    find_with(configuration, &found);
    ck_assert_str_eq(found.path, wanted.path);
    ck_assert_int_eq(found.number, wanted.number);
}

static const char *written(const char *text)
{
    return scratch_write("fonts.conf", text, strlen(text));
}

TEST(without_a_configuration_fonts_are_found)
{
    is_found_as_fontconfig_does(scratch_path("missing.conf"));
}

TEST(with_one_that_names_no_folder_for_caches_fonts_are_found)
{
    is_found_as_fontconfig_does(written(
        "<fontconfig><dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir></fontconfig>"));
}

TEST(with_one_that_cannot_be_read_fonts_are_found)
{
    is_found_as_fontconfig_does(written("<fontconfig><dir>"));
}

// One font lies in the only folder that is named: the whole of what a configuration says is believed.
TEST(the_short_way_knows_the_fonts_of_the_configuration_and_no_others)
{
    FoundFont usual, found;
    char text[4 * FONT_PATH_MAX];
    find_by_fontconfig(&usual);
    const char *slash = strrchr(usual.path, '/');
    char link[FONT_PATH_MAX];
    snprintf(link, sizeof link, "%s%s", scratch_folder("only"), slash);
    ck_assert_int_eq(symlink(usual.path, link), 0);
    snprintf(text, sizeof text, "<fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>",
             scratch_path("only"), scratch_folder("caches"));
    find_with(written(text), &found);
    ck_assert_str_eq(found.path, link);
}

SUITE_WITH("font_find", scratch_open, scratch_close)

// Texts are drawn in the order and form that their script has, and otherwise letter by letter. Expected
// orders are worked out by hand with Unicode Standard Annex 9: letters from right to left, numbers in them
// from left to right, what stands between two of one direction with them.
#include "canvas_shared.h"

#include "suite.h"

static FontFaces *fonts;
static ShapedText shaped;

static void open_fonts(void)
{
    Error err = {.text = ""};
    fonts = font_faces_open(FT_LOAD_NO_HINTING, &err);
    ck_assert_msg(fonts, "%s", err.text);
}

static void close_fonts(void)
{
    font_faces_close(fonts);
}

static bool has(uint32_t letter)
{
    bool found = font_face_for(fonts, letter, false, false) >= 0;
    font_faces_missing(fonts);
    return found;
}

static double shape(const char *text)
{
    DisplayItem style = {.size = 1000};
    ck_assert(shape_text(fonts, &style, text, &shaped));
    return shaped.width;
}

// The bytes at which the letters begin that are seen from left to right.
static void is_seen_as(const char *text, int count, const int bytes[])
{
    shape(text);
    ck_assert_int_eq(shaped.glyph_count, count);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(shaped.glyphs[i].byte, bytes[i]);
        ck_assert(i == 0 || shaped.glyphs[i].x > shaped.glyphs[i - 1].x);
    }
}

#define SEEN_AS(text, ...) \
    is_seen_as(text, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (const int[]){__VA_ARGS__})

TEST(arabic_letters_are_joined)
{
    if (!has(0x628))
        return; // no font of this machine has them
    double alone = shape("\u0628");
    uint32_t isolated = shaped.glyphs[0].glyph;
    double joined = shape("\u0628\u0628\u0628");
    ck_assert_int_eq(shaped.glyph_count, 3);
    ck_assert(joined < 2.9 * alone); // the first and the middle one have no tail
    ck_assert_uint_ne(shaped.glyphs[0].glyph, isolated);
    ck_assert_uint_ne(shaped.glyphs[1].glyph, isolated);
    ck_assert_uint_ne(shaped.glyphs[2].glyph, isolated);
    ck_assert_uint_ne(shaped.glyphs[0].glyph, shaped.glyphs[1].glyph);
    ck_assert_uint_ne(shaped.glyphs[1].glyph, shaped.glyphs[2].glyph);
    shape("\u0644\u0627"); // lam and alef are one, always
    ck_assert_int_eq(shaped.glyph_count, 1);
}

TEST(texts_stand_in_the_direction_of_their_script)
{
    if (!has(0x5d0))
        return;
    SEEN_AS("ab", 0, 1);
    SEEN_AS("\u05d0\u05d1\u05d2", 4, 2, 0);
#ifdef CANVAS_FRIBIDI
    SEEN_AS("a \u05d0\u05d1", 0, 1, 4, 2);     // the blank before goes with what leads
    SEEN_AS("\u05d0\u05d1 12", 5, 6, 4, 2, 0); // a number, to the left of what comes before it
    SEEN_AS("a\u05d0\u05d1 12b", 0, 6, 7, 5, 3, 1, 8); // within an English text
    SEEN_AS("\u05d0!", 2, 0);                          // led by Hebrew, so that it ends on the left
    SEEN_AS("\u05d0 a", 3, 2, 0);
#endif
}

TEST(brackets_open_towards_what_they_hold)
{
    if (!has(0x5d0))
        return;
    shape(")");
    uint32_t closing = shaped.glyphs[0].glyph;
    shape("(\u05d0");
    ck_assert_int_eq(shaped.glyphs[shaped.glyph_count - 1].byte, 0);
    ck_assert_uint_eq(shaped.glyphs[shaped.glyph_count - 1].glyph, closing);
}

// Each letter as the glyph that it is alone; in Inter "->" is an arrow otherwise, and "2x3" has a sign.
TEST(a_fonts_ligatures_are_off)
{
    static const char *const texts[] = {"->", "!=", "<|",  "|>",  "=>",
                                        "<=", "fi", "ffl", "2x3", "www"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t alone[8];
        size_t length = strlen(texts[i]);
        for (size_t k = 0; k < length; k++) {
            shape((char[]){texts[i][k], '\0'});
            alone[k] = shaped.glyphs[0].glyph;
        }
        shape(texts[i]);
        ck_assert_int_eq(shaped.glyph_count, (int)length);
        for (size_t k = 0; k < length; k++)
            ck_assert_uint_eq(shaped.glyphs[k].glyph, alone[k]);
    }
}

TEST(an_accent_stands_on_its_letter)
{
    double letter = shape("n");
    ck_assert_double_eq_tol(shape("n\u0303"), letter, 60.0); // ñ is as wide as n, or nearly so
}

TEST(a_letter_that_no_font_has_is_told_once)
{
    if (has(0xf0ff0))
        return;
    double usual = shape("a?b");
    ck_assert_double_eq_tol(shape("a\U000f0ff0b"), usual, 1e-9);
    font_faces_missing(fonts);
    shape("\U000f0ff1");
    ck_assert_uint_eq(font_faces_missing(fonts), 0xf0ff1);
    shape("\U000f0ff1");
    ck_assert_uint_eq(font_faces_missing(fonts), 0);
}

TEST(long_and_broken_texts_are_no_danger)
{
    char text[3000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    shape(text);
    ck_assert_int_eq(shaped.glyph_count, SHAPED_LETTERS_MAX);
    for (size_t i = 0; i + 2 < sizeof text; i += 3)
        memcpy(text + i, "a\xd7\x90", 3); // a and alef in turns: more runs than are kept
    shape(text);
    ck_assert_int_eq(shaped.run_count, SHAPED_RUNS_MAX);
    shape("\xff\xd7");
    shape("\u0303");
    shape("");
    ck_assert_int_eq(shaped.glyph_count, 0);
}

SUITE_WITH("shaped_text", open_fonts, close_fonts)

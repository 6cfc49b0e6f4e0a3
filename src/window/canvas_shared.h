// What attnscope-window and attnscope-paper share: text as it is drawn, its fonts, and messages. Scripts from right to left go in their
// direction; letters are joined or stacked where their script wants it.
#ifndef CANVAS_SHARED_H
#define CANVAS_SHARED_H

#include <ft2build.h>
#include <hb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "display_list.h"
#include "error.h"
#include "window_wire.h"
#include "words.h"
#include FT_FREETYPE_H

// --- which file has the letters of a text, as fontconfig knows it

enum { FONT_PATH_MAX = 1024 };

// How wide letters are, in thousandths of an em: the 95 printable ASCII letters, a Korean one, others.
enum { FONT_METRICS = 97 };

typedef struct FoundFont {
    char path[FONT_PATH_MAX];
    int number; // of the font in the file
} FoundFont;

// The families that texts are drawn in, best first; `fixed`: in letters that are all equally wide.
const char *font_families(bool fixed);

// Letters of Korean, whole or in parts. Source: Unicode 15, blocks with Hangul in their name.
bool is_hangul(uint32_t letter);

// Reads what the system says of its fonts; called before all others it saves them a part of the time.
// False: there is no memory.
bool font_find_open(void);

// The file of a font of the first of these families (names between commas) that has a letter; of
// a Korean one where it is Hangul. False
// when there is none; with errno ENOMEM: there was no memory for looking.
bool font_find(const char *family, bool bold, uint32_t letter, FoundFont *found_font);

// Whether there is memory for what the libraries of fonts (SDL_ttf, cairo, FreeType, HarfBuzz) take for
// opening a font or drawing a string: without it they draw other letters, or none, and do not say so. Ask
// before each.
bool font_has_memory(void);

// --- fonts
//
// Found through fontconfig and opened with FreeType, letter by letter as they are needed. A font stays
// open.

enum { FONT_FACES_MAX = 32 };

typedef struct FontFaces FontFaces;

// `load_flags` are FreeType's: how outlines are fitted to pixels. NULL, with a sentence, when there is no
// font at all.
FontFaces *font_faces_open(int load_flags, Error *err);
void font_faces_close(FontFaces *fonts);

// The number of a font that has the letter; -1: none has.
int font_face_for(FontFaces *fonts, uint32_t letter, bool bold, bool fixed);

// The font at a size in pixels; `shaper` is the same for HarfBuzz. NULL without memory.
FT_Face font_face_sized(FontFaces *fonts, int face, int size, hb_font_t **shaper);

// The font once more, for cairo, which keeps in mind the size that it has set. NULL without memory.
FT_Face font_face_again(FontFaces *fonts, int face);

// How FreeType loads its glyphs.
int font_faces_flags(const FontFaces *fonts);

// How wide letters of the bold font are, which is the wider one.
void font_faces_metrics(FontFaces *fonts, int metrics[FONT_METRICS]);

// The first letter since the last call that no font has; 0: there was none.
uint32_t font_faces_missing(FontFaces *fonts);

// Whether since the last call there was no memory for a font that there is: another one stood in its place.
bool font_faces_lack_memory(FontFaces *fonts);

// --- texts

enum { SHAPED_LETTERS_MAX = 512, SHAPED_GLYPHS_MAX = 1024, SHAPED_RUNS_MAX = 128 };

typedef struct ShapedGlyph {
    uint32_t glyph; // of the run's font
    double x, y;    // in pixels from where the text begins, y upward from the base line
    int byte;       // of the text: where the letters begin that it is for
} ShapedGlyph;

// Glyphs of one font and direction, from left to right; runs stand from left to right, too.
typedef struct ShapedRun {
    int face;
    bool is_rtl;
    int first_glyph, glyph_count;
    int first_byte, byte_count;
} ShapedRun;

typedef struct ShapedText {
    ShapedGlyph glyphs[SHAPED_GLYPHS_MAX];
    int glyph_count;
    ShapedRun runs[SHAPED_RUNS_MAX];
    int run_count;
    double width;
} ShapedText;

// Shapes a text as `style` wants it (its size, bold, fixed); beyond the limits it is cut. False: there was no
// memory. A letter that no font has is "?", and told by font_faces_missing.
bool shape_text(FontFaces *fonts, const DisplayItem *style, const char *text, ShapedText *out);

// --- messages
//
// The two ways between a program that draws and the one that has started it: a socket with messages
// (window_wire.h) at descriptor 3, and at 4 the memory in which the lists lie.

// Chooses the language, leaves Ctrl-C to the terminal, says our version and hears the other's. 0, or what the
// program ends with: 1 where it is another version, which the other side has heard and tells of; 2, and `lost`
// is said, where nobody is there.
int canvas_greet(const char *lost);

// The program ends when nobody reads it any more.
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tell_metrics(const int metrics[FONT_METRICS]);

// Reads the next message from the socket; false at its end, or when it is no message.
bool hear(char message[WINDOW_MESSAGE_MAX]);

// Finds the list in shared memory, which may have grown. What the memory does not hold is not mapped:
// to touch it would end the process. It lies there until the next one.
bool canvas_list(size_t bytes, DisplayList *list);

// Lets go of a large list's memory until it is read again: the other side holds it.
void canvas_list_leave(void);

// --- words

#include "canvas_words.def"

// --- memory given back while its addresses stay
//
// What is as large as the window is held only as long as it is worked on.

enum {
    PAGES_KEPT = 8 << 20, // what is smaller is kept: it would cost more time than it saves
    PAGES_BAND = 4 << 20, // of what is larger, so much is worked on at a time
};

// What was written there is lost; later it can be written anew.
void pages_forget(void *memory, size_t bytes);

// For what another process holds, too: it is still there when it is read again.
void pages_leave(void *memory, size_t bytes);

#endif

// Shared by attnscope-window and attnscope-paper: fonts, shaped text, and messages. Shaping handles right-to-left
// scripts, and letters that join or stack.
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

// --- finding font files with fontconfig

enum { FONT_PATH_MAX = 1024 };

// Widths in thousandths of an em: the 95 printable ASCII characters, a Korean one, others.
enum { FONT_METRICS = 97 };

typedef struct FoundFont {
    char path[FONT_PATH_MAX];
    int number; // of the font in the file
} FoundFont;

// The font families, best first; `fixed`: monospaced.
const char *font_families(bool fixed);

// Reads the system's font configuration, faster than the first font_find would. Returns false without memory.
bool font_find_open(void);

// Finds the font of the first of these families (separated by commas) that has a letter; a Korean font for
// Hangul. Returns false if there is none, or with errno ENOMEM without memory.
bool font_find(const char *family, bool bold, uint32_t letter, FoundFont *found_font);

// True if there is memory for opening a font or drawing a string. Ask before each: without memory, font
// libraries draw other letters or none, and report nothing.
bool font_has_memory(void);

// --- fonts
//
// Opened with FreeType when a letter needs them; they stay open.

enum { FONT_FACES_MAX = 32 };

typedef struct FontFaces FontFaces;

// `load_flags` are FreeType's, for hinting. NULL and err without a font.
FontFaces *font_faces_open(int load_flags, Error *err);
void font_faces_close(FontFaces *fonts);

// A font that has the letter; -1: none.
int font_face_for(FontFaces *fonts, uint32_t letter, bool bold, bool fixed);

// The font at a size in pixels, and the same for HarfBuzz. NULL without memory.
FT_Face font_face_sized(FontFaces *fonts, int face, int size, hb_font_t **shaper);

// A copy of the font for cairo, which sets sizes itself. NULL without memory.
FT_Face font_face_again(FontFaces *fonts, int face);

// The flags for FT_Load_Glyph.
int font_faces_flags(const FontFaces *fonts);

// The first letter since the last call that no font has, or 0.
uint32_t font_faces_missing(FontFaces *fonts);

// True if memory was missing for a font since the last call, and another one was used.
bool font_faces_lack_memory(FontFaces *fonts);

// --- texts

enum { SHAPED_LETTERS_MAX = 512, SHAPED_GLYPHS_MAX = 1024, SHAPED_RUNS_MAX = 128 };

typedef struct ShapedGlyph {
    uint32_t glyph; // of the run's font
    double x, y;    // pixels from the start of the text; y upward from the baseline
    int byte;       // where its letters begin in the text
} ShapedGlyph;

// Glyphs of one font and direction, from left to right, like the runs.
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

// Shapes a text with the size, bold and fixed of `style`; cuts it at the limits. Returns false without memory.
// Letters that no font has become "?"; see font_faces_missing.
bool shape_text(FontFaces *fonts, const DisplayItem *style, const char *text, ShapedText *out);

// --- messages
//
// Descriptor 3 is a socket with messages (window_wire.h), 4 the shared memory with the display list.

// Chooses the language, leaves Ctrl-C to the terminal, and exchanges versions. Returns 0, or the exit code of the
// program: 1 for another version, which the other side reports; 2 after printing `lost` if nobody is there.
int canvas_handshake(const char *lost);

// Sends a message. Exits if the reader is gone.
void send_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Sends the widths of the fonts. Returns false without memory.
bool send_metrics(FontFaces *fonts);

// Sends a note about the first letter since the last call that no font has, if any.
void send_missing(FontFaces *fonts);

// A picture of a film, or a page of several. A single picture has count 1 and rate 0.
typedef struct FilmPlace {
    unsigned number, count; // the first is 0
    unsigned rate;          // per second
} FilmPlace;

// Parses "picture BYTES PATH" or "film BYTES NUMBER COUNT RATE PATH" and returns the path; NULL for other
// messages.
const char *picture_asked(const char *message, size_t *bytes, FilmPlace *place);

// Receives the next message. Returns false at the end of the socket or if it is malformed.
bool receive_message(char message[WINDOW_MESSAGE_MAX]);

// Finds the list in shared memory, which may have grown. Maps no more than the memory has: touching more would
// kill the process. The list is valid until the next one.
bool canvas_list(size_t bytes, DisplayList *list);

// Releases the pages of a large list until they are read again; the other side keeps them.
void canvas_list_leave(void);

// --- words

#include "canvas_words.def"

// --- releasing pages
//
// Memory as large as the window is resident only while it is used.

enum {
    PAGES_KEPT = 8 << 20, // smaller memory stays resident, to save time
    PAGES_BAND = 4 << 20, // larger memory is processed in bands of this size
};

// Releases the pages; their content is lost.
void pages_forget(void *memory, size_t bytes);

// Releases shared pages; their content stays with the other process.
void pages_leave(void *memory, size_t bytes);

#endif

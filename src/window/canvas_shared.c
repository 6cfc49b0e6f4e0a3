// Fonts, shaped text, and the connection to the program that started this one; see canvas_shared.h.
//
// Looks for a letter in the open fonts first, then asks fontconfig. Splits a text where font, script or
// direction change.
#include "canvas_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <hb-ft.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "place.h"
#include "utf8.h"
#include "window_wire.h"
#include "words.h"
#include FT_SIZES_H
#ifdef CANVAS_FRIBIDI
#include <fribidi.h>
#endif

// --- fontconfig

enum { LIBRARIES_BYTES = 1 << 20 };

const char *font_families(bool fixed)
{
    return fixed ? "JetBrains Mono,DejaVu Sans Mono,monospace"
                 : "Inter,Roboto,Noto Sans,DejaVu Sans,sans-serif";
}

// Hangul, whole or in parts. Source: Unicode 15, blocks with Hangul in their name.
static bool is_hangul(uint32_t letter)
{
    return (letter >= 0x1100 && letter < 0x1200) || (letter >= 0x3130 && letter < 0x3190) ||
           (letter >= 0xa960 && letter < 0xa980) || (letter >= 0xac00 && letter < 0xd800);
}

static bool has_caches(FcConfig *config)
{
    FcStrList *folders = FcConfigGetCacheDirs(config);
    bool has = folders && FcStrListNext(folders);
    if (folders)
        FcStrListDone(folders);
    return has;
}

// FcInit also reads every file that could apply, for tools that list them: a quarter of its time. Without a
// configuration, leaves the rest to it.
bool font_find_open(void)
{
    FcConfig *config = FcConfigCreate();
    bool own = config && FcConfigParseAndLoad(config, NULL, FcFalse) && has_caches(config) &&
               FcConfigBuildFonts(config) && FcConfigSetCurrent(config);
    if (config)
        FcConfigDestroy(config); // it stays the current one
    return own || FcInit();
}

// The query for fontconfig; NULL with errno ENOMEM. Asks for a Korean face for Hangul: Japanese fonts have
// other forms of it, and other widths in monospaced text.
static FcPattern *pattern_for(const char *family, bool bold, uint32_t letter)
{
    FcPattern *wanted = FcNameParse((const FcChar8 *)family);
    const FcChar8 *language = (const FcChar8 *)"ko";
    FcCharSet *letters = wanted ? FcCharSetCreate() : NULL;
    int weight = bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR;
    bool good = letters && FcPatternAddInteger(wanted, FC_WEIGHT, weight) &&
                FcPatternAddBool(wanted, FC_SCALABLE, FcTrue) &&
                FcCharSetAddChar(letters, letter) &&
                FcPatternAddCharSet(wanted, FC_CHARSET, letters) &&
                (!is_hangul(letter) || FcPatternAddString(wanted, FC_LANG, language)) &&
                FcConfigSubstitute(NULL, wanted, FcMatchPattern);
    if (good)
        FcDefaultSubstitute(wanted);
    if (letters)
        FcCharSetDestroy(letters);
    if (wanted && !good)
        FcPatternDestroy(wanted);
    errno = good ? 0 : ENOMEM;
    return good ? wanted : NULL;
}

bool font_find(const char *family, bool bold, uint32_t letter, FoundFont *found_font)
{
    FcPattern *wanted = pattern_for(family, bold, letter);
    if (!wanted)
        return false;
    FcResult result;
    FcPattern *found = FcFontMatch(NULL, wanted, &result);
    FcChar8 *file = NULL;
    FcCharSet *has = NULL;
    bool good = found && FcPatternGetString(found, FC_FILE, 0, &file) == FcResultMatch &&
                FcPatternGetCharSet(found, FC_CHARSET, 0, &has) == FcResultMatch &&
                FcCharSetHasChar(has, letter);
    if (good) {
        snprintf(found_font->path, sizeof found_font->path, "%s", (const char *)file);
        if (FcPatternGetInteger(found, FC_INDEX, 0, &found_font->number) != FcResultMatch)
            found_font->number = 0;
    }
    FcPatternDestroy(wanted);
    if (found)
        FcPatternDestroy(found);
    return good;
}

bool font_has_memory(void)
{
    return room_ahead(LIBRARIES_BYTES);
}

// --- faces

enum { SIZES_MAX = 12, MISSING_MAX = 64 };

typedef struct Sized {
    int size;
    FT_Size metrics;
    hb_font_t *shaper;
} Sized;

typedef struct Face {
    FoundFont found;
    FT_Face file;
    FT_Face other; // a copy for callers that set sizes; NULL: not opened yet
    bool bold, fixed;
    Sized sizes[SIZES_MAX];
    int size_count;
} Face;

struct FontFaces {
    FT_Library library;
    int load_flags;
    Face faces[FONT_FACES_MAX];
    int face_count;
    uint32_t missing[MISSING_MAX]; // letters that no font has
    int missing_count;
    uint32_t newest; // the first new one of them, or 0
    bool lacks_memory;
};

// --- finding

// Fontconfig may use up the memory that was ready, so FreeType gets its own: without memory it takes a file
// for a broken one.
static bool open_file(FontFaces *fonts, uint32_t letter, bool bold, bool fixed, Face *face)
{
    const char *families = font_families(fixed);
    errno = font_has_memory() ? 0 : ENOMEM;
    bool is_found = errno == 0 && font_find(families, bold, letter, &face->found);
    if (!is_found && errno != ENOMEM)
        is_found = font_find(families, false, letter, &face->found);
    bool has_memory = errno != ENOMEM && (!is_found || font_has_memory());
    fonts->lacks_memory = fonts->lacks_memory || !has_memory;
    return is_found && has_memory &&
           FT_New_Face(fonts->library, face->found.path, face->found.number, &face->file) == 0;
}

static bool add_face(FontFaces *fonts, uint32_t letter, bool bold, bool fixed)
{
    Face *face = &fonts->faces[fonts->face_count];
    if (fonts->face_count == FONT_FACES_MAX || !open_file(fonts, letter, bold, fixed, face))
        return false;
    face->bold = bold;
    face->fixed = fixed;
    fonts->face_count++;
    return true;
}

static bool font_face_has(const FontFaces *fonts, int face, uint32_t letter)
{
    return FT_Get_Char_Index(fonts->faces[face].file, letter) != 0;
}

static bool is_missing(const FontFaces *fonts, uint32_t letter)
{
    for (int i = 0; i < fonts->missing_count; i++)
        if (fonts->missing[i] == letter)
            return true;
    return false;
}

static void note_missing(FontFaces *fonts, uint32_t letter)
{
    if (fonts->lacks_memory || is_missing(fonts, letter))
        return;
    if (fonts->missing_count < MISSING_MAX)
        fonts->missing[fonts->missing_count++] = letter;
    fonts->newest = fonts->newest ? fonts->newest : letter;
}

int font_face_for(FontFaces *fonts, uint32_t letter, bool bold, bool fixed)
{
    for (int i = 0; i < fonts->face_count; i++)
        if (fonts->faces[i].bold == bold && fonts->faces[i].fixed == fixed &&
            font_face_has(fonts, i, letter))
            return i;
    int newest = fonts->face_count;
    if (!is_missing(fonts, letter) && add_face(fonts, letter, bold, fixed) &&
        font_face_has(fonts, newest, letter))
        return newest;
    note_missing(fonts, letter);
    return -1;
}

// --- sizes

static void close_size(Sized *sized)
{
    hb_font_destroy(sized->shaper);
    if (sized->metrics)
        FT_Done_Size(sized->metrics);
    *sized = (Sized){.size = 0};
}

static bool open_size(const FontFaces *fonts, Face *face, int size, Sized *sized)
{
    *sized = (Sized){.size = size};
    if (!font_has_memory() || FT_New_Size(face->file, &sized->metrics) != 0 ||
        FT_Activate_Size(sized->metrics) != 0 ||
        FT_Set_Pixel_Sizes(face->file, 0, (FT_UInt)size) != 0)
        return false;
    sized->shaper = hb_ft_font_create(face->file, NULL);
    hb_ft_font_set_load_flags(sized->shaper, fonts->load_flags);
    return true;
}

FT_Face font_face_again(FontFaces *fonts, int number)
{
    Face *face = &fonts->faces[number];
    if (!face->other &&
        (!font_has_memory() ||
         FT_New_Face(fonts->library, face->found.path, face->found.number, &face->other) != 0)) {
        fonts->lacks_memory = true;
        face->other = NULL;
    }
    return face->other;
}

FT_Face font_face_sized(FontFaces *fonts, int number, int size, hb_font_t **shaper)
{
    Face *face = &fonts->faces[number];
    int at = 0;
    while (at < face->size_count && face->sizes[at].size != size)
        at++;
    if (at == SIZES_MAX)
        close_size(&face->sizes[at = --face->size_count]);
    if (at == face->size_count && !open_size(fonts, face, size, &face->sizes[at])) {
        close_size(&face->sizes[at]);
        fonts->lacks_memory = true;
        return NULL;
    }
    face->size_count += at == face->size_count;
    FT_Activate_Size(face->sizes[at].metrics);
    *shaper = face->sizes[at].shaper;
    return face->file;
}

int font_faces_flags(const FontFaces *fonts)
{
    return fonts->load_flags;
}

FontFaces *font_faces_open(int load_flags, Error *err)
{
    FontFaces *fonts = calloc(1, sizeof *fonts);
    errno = 0;
    if (!fonts || !font_has_memory() || FT_Init_FreeType(&fonts->library) != 0 ||
        !font_find_open()) {
        error_set(err, TELL(FONTS_FAILED), TELL(FONTS_MEMORY));
    } else if (font_face_for(fonts, 'a', false, false) < 0) {
        error_set(err, TELL(NO_FONT), fonts->lacks_memory ? TELL(NO_FONT_MEMORY) : "");
    } else {
        fonts->load_flags = load_flags;
        return fonts;
    }
    font_faces_close(fonts);
    return NULL;
}

void font_faces_close(FontFaces *fonts)
{
    if (!fonts)
        return;
    for (Face *face = fonts->faces; face < fonts->faces + fonts->face_count; face++) {
        for (int i = 0; i < face->size_count; i++)
            close_size(&face->sizes[i]);
        FT_Done_Face(face->file);
        if (face->other)
            FT_Done_Face(face->other);
    }
    if (fonts->library)
        FT_Done_FreeType(fonts->library);
    FcFini();
    free(fonts);
}

// Widths of the bold font, the wider one.
static void font_faces_metrics(FontFaces *fonts, int metrics[FONT_METRICS])
{
    enum { ASCII = 95, USUAL = 600, KOREAN = 1000, OTHER = 700 };
    int bold = font_face_for(fonts, 'a', true, false);
    FT_Face file = fonts->faces[bold < 0 ? 0 : bold].file;
    for (int i = 0; i < FONT_METRICS; i++) {
        metrics[i] = i < ASCII ? USUAL : i == ASCII ? KOREAN : OTHER;
        if (i < ASCII && FT_Load_Char(file, (FT_ULong)(' ' + i), FT_LOAD_NO_SCALE) == 0)
            metrics[i] = (int)(file->glyph->metrics.horiAdvance * 1000 / file->units_per_EM);
    }
}

uint32_t font_faces_missing(FontFaces *fonts)
{
    uint32_t letter = fonts->newest;
    fonts->newest = 0;
    return letter;
}

bool font_faces_lack_memory(FontFaces *fonts)
{
    bool lacks = fonts->lacks_memory;
    fonts->lacks_memory = false;
    return lacks;
}

// --- shaping

typedef struct Letters {
    uint32_t letters[SHAPED_LETTERS_MAX]; // "?" for a missing one
    int bytes[SHAPED_LETTERS_MAX + 1];    // where each begins; then the end of the text
    int faces[SHAPED_LETTERS_MAX];
    signed char levels[SHAPED_LETTERS_MAX]; // odd: right to left
    hb_script_t scripts[SHAPED_LETTERS_MAX];
    int count;
} Letters;

// --- what each letter wants

static bool inherits(uint32_t letter)
{
    hb_unicode_funcs_t *known = hb_unicode_funcs_get_default();
    hb_unicode_general_category_t kind = hb_unicode_general_category(known, letter);
    return kind == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
           kind == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK ||
           kind == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK ||
           kind == HB_UNICODE_GENERAL_CATEGORY_FORMAT;
}

// Accents and joiners use the font of the letter before, if that has them. Joiners are invisible and need no
// font.
static void find_face(FontFaces *fonts, const DisplayItem *style, Letters *all, int i)
{
    uint32_t letter = all->letters[i];
    bool follows = i > 0 && inherits(letter);
    bool is_joiner = letter == 0x200c || letter == 0x200d || (letter & 0xfffffff0) == 0xfe00;
    if (follows && (is_joiner || font_face_has(fonts, all->faces[i - 1], letter))) {
        all->faces[i] = all->faces[i - 1];
        return;
    }
    all->faces[i] = font_face_for(fonts, letter, style->bold, style->fixed);
    if (all->faces[i] >= 0)
        return;
    int usual = font_face_for(fonts, '?', style->bold, style->fixed);
    all->letters[i] = '?';
    all->faces[i] = usual < 0 ? 0 : usual;
}

// Characters that scripts share belong to the script before them, or to the first one.
static void find_scripts(Letters *all)
{
    hb_unicode_funcs_t *known = hb_unicode_funcs_get_default();
    hb_script_t last = HB_SCRIPT_COMMON;
    for (int i = 0; i < all->count; i++) {
        hb_script_t script = hb_unicode_script(known, all->letters[i]);
        bool is_shared = script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED ||
                         script == HB_SCRIPT_UNKNOWN;
        for (int k = 0; !is_shared && last == HB_SCRIPT_COMMON && k < i; k++)
            all->scripts[k] = script;
        last = is_shared ? last : script;
        all->scripts[i] = last;
    }
}

// Without FriBidi, each letter has its script's direction and keeps its place.
static bool find_levels(Letters *all)
{
#ifdef CANVAS_FRIBIDI
    FriBidiCharType types[SHAPED_LETTERS_MAX];
    FriBidiBracketType brackets[SHAPED_LETTERS_MAX];
    FriBidiParType base = FRIBIDI_PAR_WLTR;
    fribidi_get_bidi_types(all->letters, all->count, types);
    fribidi_get_bracket_types(all->letters, all->count, types, brackets);
    return fribidi_get_par_embedding_levels_ex(types, brackets, all->count, &base, all->levels) > 0;
#else
    for (int i = 0; i < all->count; i++)
        all->levels[i] =
            hb_script_get_horizontal_direction(all->scripts[i]) == HB_DIRECTION_RTL ? 1 : 0;
    return true;
#endif
}

static bool read_letters(FontFaces *fonts, const DisplayItem *style, const char *text, Letters *all)
{
    int at = 0;
    all->count = 0;
    for (size_t bytes; all->count < SHAPED_LETTERS_MAX; at += (int)bytes) {
        uint32_t letter;
        if ((bytes = utf8_next(text + at, &letter)) == 0)
            break;
        all->bytes[all->count] = at;
        all->letters[all->count] = letter;
        find_face(fonts, style, all, all->count);
        all->levels[all->count++] = 0;
    }
    all->bytes[all->count] = at;
    find_scripts(all);
    bool turns = false;
    for (int i = 0; i < all->count; i++)
        turns = turns || hb_script_get_horizontal_direction(all->scripts[i]) == HB_DIRECTION_RTL;
    return !turns || find_levels(all);
}

// --- runs in visual order

typedef struct Stretch {
    int first, count;
} Stretch;

static int part(const Letters *all, Stretch stretches[SHAPED_RUNS_MAX])
{
    int count = 0;
    for (int i = 0; i < all->count; i++) {
        bool goes_on = i > 0 && all->faces[i] == all->faces[i - 1] &&
                       all->levels[i] == all->levels[i - 1] &&
                       all->scripts[i] == all->scripts[i - 1];
        if (!goes_on && count == SHAPED_RUNS_MAX)
            break;
        if (!goes_on)
            stretches[count++] = (Stretch){i, 0};
        stretches[count - 1].count++;
    }
    return count;
}

// From the highest level down to 1, reverses all that is at least at that level (UAX 9, rule L2).
static void reorder(const Letters *all, Stretch stretches[], int count)
{
    int highest = 0;
    for (int i = 0; i < count; i++)
        if (all->levels[stretches[i].first] > highest)
            highest = all->levels[stretches[i].first];
    for (int level = highest; level > 0; level--)
        for (int i = 0; i < count; i++) {
            int first = i;
            while (i < count && all->levels[stretches[i].first] >= level)
                i++;
            for (int left = first, right = i - 1; left < right; left++, right--) {
                Stretch kept = stretches[left];
                stretches[left] = stretches[right];
                stretches[right] = kept;
            }
        }
}

// --- shaping

// Scripts in which ligatures are only ornaments.
static bool is_plain(hb_script_t script)
{
    static const hb_script_t plain[] = {HB_SCRIPT_COMMON,   HB_SCRIPT_LATIN,    HB_SCRIPT_GREEK,
                                        HB_SCRIPT_CYRILLIC, HB_SCRIPT_HANGUL,   HB_SCRIPT_HAN,
                                        HB_SCRIPT_HIRAGANA, HB_SCRIPT_KATAKANA, HB_SCRIPT_HEBREW,
                                        HB_SCRIPT_ARMENIAN, HB_SCRIPT_GEORGIAN};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i] == script)
            return true;
    return false;
}

static void shape(hb_font_t *shaper, const Letters *all, const Stretch *stretch,
                  hb_buffer_t *buffer)
{
    static const char *const ornaments[] = {"-liga", "-clig", "-calt", "-dlig"};
    enum { ORNAMENTS = sizeof ornaments / sizeof *ornaments };
    hb_feature_t features[ORNAMENTS];
    hb_script_t script = all->scripts[stretch->first];
    for (int i = 0; i < ORNAMENTS; i++)
        hb_feature_from_string(ornaments[i], -1, &features[i]);
    hb_buffer_clear_contents(buffer);
    hb_buffer_add_utf32(buffer, all->letters, all->count, (unsigned)stretch->first, stretch->count);
    hb_buffer_set_direction(buffer,
                            all->levels[stretch->first] % 2 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, script);
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1));
    hb_shape(shaper, buffer, features, is_plain(script) ? ORNAMENTS : 0);
}

static void keep(const Letters *all, const Stretch *stretch, hb_buffer_t *buffer, ShapedText *out)
{
    unsigned count;
    const double unit = 1.0 / 64.0;
    const hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, &count);
    const hb_glyph_position_t *places = hb_buffer_get_glyph_positions(buffer, &count);
    int first_byte = all->bytes[stretch->first];
    ShapedRun *run = &out->runs[out->run_count++];
    *run = (ShapedRun){.face = all->faces[stretch->first],
                       .is_rtl = all->levels[stretch->first] % 2,
                       .first_glyph = out->glyph_count,
                       .first_byte = first_byte,
                       .byte_count = all->bytes[stretch->first + stretch->count] - first_byte};
    for (unsigned i = 0; i < count && out->glyph_count < SHAPED_GLYPHS_MAX; i++) {
        out->glyphs[out->glyph_count++] = (ShapedGlyph){.glyph = infos[i].codepoint,
                                                        .x = out->width + places[i].x_offset * unit,
                                                        .y = places[i].y_offset * unit,
                                                        .byte = all->bytes[infos[i].cluster]};
        out->width += places[i].x_advance * unit;
        run->glyph_count++;
    }
}

bool shape_text(FontFaces *fonts, const DisplayItem *style, const char *text, ShapedText *out)
{
    Letters all;
    Stretch stretches[SHAPED_RUNS_MAX];
    out->glyph_count = out->run_count = 0;
    out->width = 0.0;
    hb_buffer_t *buffer = font_has_memory() ? hb_buffer_create() : NULL;
    bool good =
        buffer && hb_buffer_allocation_successful(buffer) && read_letters(fonts, style, text, &all);
    int count = good ? part(&all, stretches) : 0;
    reorder(&all, stretches, count);
    for (int i = 0; good && i < count; i++) {
        hb_font_t *shaper;
        good = font_face_sized(fonts, all.faces[stretches[i].first], style->size, &shaper) &&
               font_has_memory();
        if (good)
            shape(shaper, &all, &stretches[i], buffer);
        good = good && hb_buffer_allocation_successful(buffer);
        if (good)
            keep(&all, &stretches[i], buffer, out);
    }
    hb_buffer_destroy(buffer);
    if (!good)
        fonts->lacks_memory = true;
    return good;
}

// --- memory given back while its addresses stay

void pages_forget(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (page - (uintptr_t)memory % page) % page;
    if (bytes < before + page)
        return;
    char *start = (char *)memory + before;
    size_t whole = (bytes - before) / page * page;
#ifdef MADV_REMOVE
    if (madvise(start, whole, MADV_REMOVE) == 0) // memory shared with the display
        return;
#endif
    madvise(start, whole, MADV_DONTNEED);
}

void pages_leave(void *memory, size_t bytes)
{
    madvise(memory, bytes, MADV_DONTNEED);
}

// --- messages

enum { SOCKET = 3, MEMORY = 4 }; // descriptors

int canvas_handshake(const char *lost)
{
    char hello[WINDOW_MESSAGE_MAX];
    language_choose(language_of_environment());
    signal(SIGINT, SIG_IGN); // Ctrl-C belongs to the terminal
    signal(SIGPIPE, SIG_IGN);
    temporary_watch_signals();
    if (fcntl(SOCKET, F_GETFD) < 0 || fcntl(MEMORY, F_GETFD) < 0) {
        fputs(lost, stderr);
        return 2;
    }
    send_message("version %d", WINDOW_VERSION);
    return receive_message(hello) && window_wire_is_ours(hello) ? 0 : 1;
}

void send_message(const char *format, ...)
{
    char message[WINDOW_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t left = strlen(message) + 1;
    for (const char *at = message; left > 0;) {
        ssize_t sent = send(SOCKET, at, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            exit(0); // the reader is gone
        at += sent;
        left -= (size_t)sent;
    }
}

bool send_metrics(FontFaces *fonts)
{
    int metrics[FONT_METRICS];
    char words[1024] = "";
    bool has_memory = font_has_memory();
    font_faces_metrics(fonts, metrics);
    if (!has_memory || font_faces_lack_memory(fonts))
        return false;
    for (int i = 0; i < FONT_METRICS; i++)
        text_add(words, sizeof words, " %d", metrics[i]);
    send_message("fonts%s", words);
    return true;
}

void send_missing(FontFaces *fonts)
{
    uint32_t missing = font_faces_missing(fonts);
    Error note;
    if (missing == 0)
        return;
    error_set(&note, TELL(NO_LETTER), (unsigned)missing,
              is_hangul(missing) ? TELL(KOREAN_FONT) : TELL(FONT_WITH_IT));
    send_message("note %s", note.text);
}

const char *picture_asked(const char *message, size_t *bytes, FilmPlace *place)
{
    bool is_film = strncmp(message, "film ", 5) == 0;
    char *rest;
    if (!is_film && strncmp(message, "picture ", 8) != 0)
        return NULL;
    *place = (FilmPlace){.count = 1};
    *bytes = strtoull(message + (is_film ? 5 : 8), &rest, 10);
    if (is_film) {
        place->number = (unsigned)strtoul(rest, &rest, 10);
        place->count = (unsigned)strtoul(rest, &rest, 10);
        place->rate = (unsigned)strtoul(rest, &rest, 10);
    }
    return rest + (*rest == ' ');
}

bool receive_message(char message[WINDOW_MESSAGE_MAX])
{
    static WindowInbox inbox;
    WindowTaken taken;
    while ((taken = window_wire_take(&inbox, message)) == WINDOW_TAKEN_NOTHING) {
        ssize_t got = recv(SOCKET, inbox.bytes + inbox.used, sizeof inbox.bytes - inbox.used, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        inbox.used += (size_t)got;
    }
    return taken == WINDOW_TAKEN_MESSAGE;
}

// The mapped part of the shared memory.
static char *memory;
static size_t memory_bytes;

bool canvas_list(size_t bytes, DisplayList *list)
{
    struct stat about;
    if (fstat(MEMORY, &about) != 0 || bytes > (size_t)about.st_size)
        return false;
    if (bytes > memory_bytes) {
        void *bigger = mmap(NULL, bytes, PROT_READ, MAP_SHARED, MEMORY, 0);
        if (bigger == MAP_FAILED)
            return false;
        if (memory)
            munmap(memory, memory_bytes);
        memory = bigger;
        memory_bytes = bytes;
    }
    return window_memory_list(memory, memory_bytes, list);
}

void canvas_list_leave(void)
{
    if (memory_bytes > PAGES_KEPT)
        pages_leave(memory, memory_bytes);
}

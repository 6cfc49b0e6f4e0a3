// font_find: asks fontconfig; see font_find.h.
#include "font_find.h"

#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <stdio.h>
#include "room.h"

enum { LIBRARIES_BYTES = 1 << 20 };

const char *font_families(bool fixed)
{
    return fixed ? "JetBrains Mono,DejaVu Sans Mono,monospace"
                 : "Inter,Roboto,Noto Sans,DejaVu Sans,sans-serif";
}

bool is_hangul(uint32_t letter)
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

// FcInit reads, besides what is in force, all files that could be, for tools that list them: a quarter of
// its time. What it does where there is no configuration is left to it.
bool font_find_open(void)
{
    FcConfig *config = FcConfigCreate();
    bool own = config && FcConfigParseAndLoad(config, NULL, FcFalse) && has_caches(config) &&
               FcConfigBuildFonts(config) && FcConfigSetCurrent(config);
    if (config)
        FcConfigDestroy(config); // it stays as the current one
    return own || FcInit();
}

// What fontconfig is asked for; NULL with errno ENOMEM. A letter of Hangul is wanted from a Korean face: a
// Japanese one has it, too, but in other forms and, among letters of one width, in another width.
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

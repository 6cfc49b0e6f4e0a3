// scenario_family: what config.json says of a file whose weights have LLaMA's names, and which models
// with those names are not the same thing; see scenario_internal.h.
#include "scenario_internal.h"

#include <string.h>
#include "json_number.h"
#include "scenarios_words.h"

// Models whose attention is LLaMA's: RMS norm, rotary positions of pairs half a head apart, grouped
// heads, and nothing more (Source: Hugging Face's transformers).
static const char *const same[] = {"llama", "mistral", "qwen2", NULL};

static bool check_family(const char *config, const char *path, Arena *scratch, Error *err)
{
    const char *family, *scaling;
    if (!json_word(config, "model_type", scratch, &family, err) ||
        !json_word(config, "rope_scaling", scratch, &scaling, err))
        return false;
    if (!family || !*family)
        return error_set(err, TELL(FAMILY_NONE), path);
    int known = 0;
    while (same[known] && strcmp(same[known], family) != 0)
        known++;
    if (!same[known])
        return error_set(err, TELL(FAMILY_OTHER), path, family);
    return !scaling || error_set(err, TELL(FAMILY_SCALED), path);
}

bool scenario_family_read(const char *config, const char *path, Family *family, Arena *scratch,
                          Error *err)
{
    double window = 0.0;
    const char *switched = NULL;
    *family = (Family){.rope = 10000.0, .epsilon = 1e-6};
    if (!check_family(config, path, scratch, err) ||
        !json_decimal(config, "rope_theta", &family->rope, err) ||
        !json_decimal(config, "rms_norm_eps", &family->epsilon, err) ||
        !json_decimal(config, "sliding_window", &window, err) ||
        !json_word(config, "use_sliding_window", scratch, &switched, err))
        return false;
    if (switched && strcmp(switched, "true") == 0) // Qwen2 has windows in some layers then
        return error_set(err, TELL(FAMILY_WINDOWS), path);
    family->window = switched || !(window >= 1 && window < 1e9) ? 0 : (long)window;
    return true;
}

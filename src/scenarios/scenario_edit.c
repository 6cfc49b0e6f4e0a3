// scenario_edit: see scenario_edit.h.
#include "scenario_edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nearest.h"
#include "number_text.h"
#include "scenarios_words.h"

enum { EDIT_NAME_MAX = 96 };

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

// --- which element

static bool find_tensor(const Scenario *scenario, const char *name, int *tensor, Error *err)
{
    const char *names[SCENARIO_TENSORS_MAX + 1] = {NULL};
    for (int i = 0; i < scenario->tensor_count; i++) {
        names[i] = scenario->tensors[i].name;
        if (strcmp(names[i], name) == 0) {
            *tensor = i;
            return true;
        }
    }
    const char *near = nearest_name(name, names);
    return error_set(err, TELL(EDIT_NO_NAME), name, near ? TELL(EDIT_MEANT) : TELL(EDIT_STAGE),
                     near ? near : "", near ? "?" : "");
}

// "[0, 3]"; the place behind it, or NULL.
static const char *read_index(const char *text, const Tensor *tensor, ptrdiff_t at[])
{
    int count = 0;
    if (*text != '[')
        return NULL;
    for (text++; count < tensor->rank; count++) {
        char *end;
        long long index = strtoll(text, &end, 10);
        if (end == text || index < 0 || index >= tensor->shape[count])
            return NULL;
        at[count] = (ptrdiff_t)index;
        text = skip_blanks(end);
        if (count + 1 < tensor->rank && *text++ != ',')
            return NULL;
    }
    return *text == ']' ? text + 1 : NULL;
}

static bool read_place(const Scenario *scenario, const char **text, ScenarioEdit *edit, Error *err)
{
    char name[EDIT_NAME_MAX], shape[TENSOR_TEXT_MAX];
    size_t length = strcspn(*text, "[= \t");
    if (length == 0 || length >= sizeof name)
        return error_set(err, TELL(EDIT_FORM));
    memcpy(name, *text, length);
    name[length] = '\0';
    if (!find_tensor(scenario, name, &edit->tensor, err))
        return false;
    const Tensor *tensor = &scenario->tensors[edit->tensor].tensor;
    const char *rest = read_index(skip_blanks(*text + length), tensor, edit->at);
    if (!rest)
        return error_set(err, TELL(EDIT_SHAPE), name,
                         tensor_shape_text(tensor->rank, tensor->shape, shape), *text);
    *text = rest;
    return true;
}

// --- which value

static bool read_float(const char *text, float *value, Error *err)
{
    char *end;
    *value = strtof(text, &end);
    if (end == text || *skip_blanks(end))
        return error_set(err, TELL(EDIT_NUMBER), text);
    return true;
}

static bool read_flag(const char *text, bool *value, Error *err)
{
    *value = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *value || strcmp(text, "false") == 0 || strcmp(text, "0") == 0 ||
           error_set(err, TELL(EDIT_FLAG), text);
}

// A target may also be -1: nothing is asked there.
static bool read_id(const Scenario *scenario, bool is_target, const char *text, int64_t *value,
                    Error *err)
{
    ptrdiff_t words = scenario->size[SYMBOL_V];
    for (ptrdiff_t id = 0; scenario->vocabulary && id < words; id++)
        if (strcmp(scenario->vocabulary[id], text) == 0) {
            *value = id;
            return true;
        }
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *skip_blanks(end) || errno)
        return error_set(err, TELL(EDIT_TOKEN), text, scenario->vocabulary ? TELL(EDIT_WORD) : "");
    if ((*value < 0 && !(is_target && *value == -1)) || *value >= words)
        return error_set(err, TELL(EDIT_OUTSIDE), text, words, words - 1);
    return true;
}

static bool read_value(const Scenario *scenario, const char *text, ScenarioEdit *edit, Error *err)
{
    const ScenarioTensor *given = &scenario->tensors[edit->tensor];
    if (strcmp(given->role, "lengths") == 0)
        return error_set(err, TELL(EDIT_LENGTHS));
    switch (given->tensor.dtype) {
    case DTYPE_F32:
        return read_float(text, &edit->value.f32, err);
    case DTYPE_BOOL:
        return read_flag(text, &edit->value.boolean, err);
    case DTYPE_I64:
        return read_id(scenario, strcmp(given->role, "targets") == 0, text, &edit->value.i64, err);
    }
    return false;
}

bool scenario_edit_read(const Scenario *scenario, const char *text, ScenarioEdit *edit, Error *err)
{
    *edit = (ScenarioEdit){.tensor = -1};
    text = skip_blanks(text);
    if (!read_place(scenario, &text, edit, err))
        return false;
    text = skip_blanks(text);
    if (*text != '=' || !*skip_blanks(text + 1))
        return error_set(err, TELL(EDIT_VALUE), scenario->tensors[edit->tensor].name);
    return read_value(scenario, skip_blanks(text + 1), edit, err);
}

// --- the element itself

ScenarioEdit scenario_edit_now(const Scenario *scenario, int number, const ptrdiff_t at[])
{
    const Tensor *tensor = &scenario->tensors[number].tensor;
    ScenarioEdit edit = {.tensor = number};
    memcpy(edit.at, at, (size_t)tensor->rank * sizeof *at);
    ptrdiff_t place = tensor_place(tensor, at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        edit.value.f32 = tensor->storage.f32[place];
        break;
    case DTYPE_I64:
        edit.value.i64 = tensor->storage.i64[place];
        break;
    case DTYPE_BOOL:
        edit.value.boolean = tensor->storage.boolean[place];
        break;
    }
    return edit;
}

void scenario_edit_put(const Scenario *scenario, const ScenarioEdit *edit)
{
    const Tensor *tensor = &scenario->tensors[edit->tensor].tensor;
    ptrdiff_t place = tensor_place(tensor, edit->at);
    switch (tensor->dtype) {
    case DTYPE_F32:
        tensor->storage.f32[place] = edit->value.f32;
        break;
    case DTYPE_I64:
        tensor->storage.i64[place] = edit->value.i64;
        break;
    case DTYPE_BOOL:
        tensor->storage.boolean[place] = edit->value.boolean;
        break;
    }
}

static void value_text(const ScenarioEdit *edit, Dtype dtype, char text[NUMBER_FULL_TEXT_MAX])
{
    if (dtype == DTYPE_F32)
        number_full_text(edit->value.f32, text);
    else if (dtype == DTYPE_I64)
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%lld", (long long)edit->value.i64);
    else
        snprintf(text, NUMBER_FULL_TEXT_MAX, "%s", edit->value.boolean ? "true" : "false");
}

const char *scenario_edit_text(const Scenario *scenario, const ScenarioEdit *edit,
                               char text[SCENARIO_EDIT_MAX])
{
    const ScenarioTensor *given = &scenario->tensors[edit->tensor];
    char value[NUMBER_FULL_TEXT_MAX];
    size_t used = (size_t)snprintf(text, SCENARIO_EDIT_MAX, "%s", given->name);
    for (int axis = 0; axis < given->tensor.rank && used < SCENARIO_EDIT_MAX; axis++)
        used += (size_t)snprintf(text + used, SCENARIO_EDIT_MAX - used, "%s%td", axis ? ", " : "[",
                                 edit->at[axis]);
    value_text(edit, given->tensor.dtype, value);
    if (used < SCENARIO_EDIT_MAX)
        snprintf(text + used, SCENARIO_EDIT_MAX - used, "] = %s", value);
    return text;
}

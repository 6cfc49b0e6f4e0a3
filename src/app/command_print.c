// attnscope print: every stage as text or JSON, without a terminal.
#include "app.h"
#include "app_exact.h"

#include <math.h>
#include <string.h>
#include "digest.h"
#include "json_whole.h"
#include "nearest.h"
#include "app_words.h"

static json_t *sizes_json(int count, const ptrdiff_t sizes[])
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(sizes[i]));
    return list;
}

// JSON has no NaN and no infinities: they become texts.
static json_t *number_json(const Tensor *tensor, const ptrdiff_t at[])
{
    ptrdiff_t place = tensor_place(tensor, at);
    if (tensor->dtype == DTYPE_I64)
        return json_integer(tensor->storage.i64[place]);
    if (tensor->dtype == DTYPE_BOOL)
        return json_boolean(tensor->storage.boolean[place]);
    float number = tensor->storage.f32[place];
    if (isnan(number))
        return json_string("NaN");
    if (isinf(number))
        return json_string(number > 0 ? "Infinity" : "-Infinity");
    return json_real((double)number);
}

static json_t *data_json(const Tensor *tensor, int axis, ptrdiff_t at[])
{
    if (axis == tensor->rank)
        return number_json(tensor, at);
    json_t *list = json_array();
    for (at[axis] = 0; at[axis] < tensor->shape[axis]; at[axis]++)
        json_array_append_new(list, data_json(tensor, axis + 1, at));
    return list;
}

static json_t *tensor_json(const Trace *trace, int number, bool with_data)
{
    const TraceTensor *tensor = &trace->tensors[number];
    char axis_name[16], digest[DIGEST_TEXT_MAX];
    json_t *axes = json_array();
    for (int axis = 0; trace_axis(trace, number, axis, axis_name); axis++)
        json_array_append_new(axes, json_string(axis_name));
    json_t *out =
        json_pack("{s:s, s:o, s:o, s:o, s:I, s:b, s:s, s:s}", "name", tensor->name, "axes", axes,
                  "shape", sizes_json(tensor->tensor.rank, tensor->tensor.shape), "stride",
                  sizes_json(tensor->tensor.rank, tensor->tensor.stride), "offset",
                  (json_int_t)tensor->tensor.offset, "contiguous",
                  tensor_is_contiguous(&tensor->tensor), "dtype", dtype_name(tensor->tensor.dtype),
                  "sha256", tensor_digest(&tensor->tensor, digest));
    if (tensor->from)
        json_object_set_new(out, "from", json_string(tensor->from));
    if (tensor->remark)
        json_object_set_new(out, "note", json_string(tensor->remark));
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (with_data)
        json_object_set_new(out, "data", data_json(&tensor->tensor, 0, at));
    return out;
}

static json_t *names_json(const Trace *trace, int count, const int tensors[])
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        if (tensors[i] >= 0)
            json_array_append_new(list, json_string(trace->tensors[tensors[i]].name));
    return list;
}

static json_t *step_json(const Trace *trace, int number)
{
    const TraceStep *step = &trace->steps[number];
    char name[64], formula[TRACE_FORMULA_MAX], torch[TRACE_FORMULA_MAX];
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "step",
                     trace_step_name(trace, number, name), "stage", step->stage->name, "formula",
                     trace_formula(trace, number, formula), "torch",
                     trace_torch(trace, number, torch), "source", step->stage->source, "in",
                     names_json(trace, STAGE_READS_MAX, step->reads), "out",
                     names_json(trace, STAGE_WRITES_MAX, step->writes));
}

static bool step_touches(const TraceStep *step, int tensor)
{
    bool touches = false;
    for (int i = 0; i < STAGE_READS_MAX; i++)
        touches = touches || step->reads[i] == tensor;
    for (int i = 0; i < STAGE_WRITES_MAX; i++)
        touches = touches || step->writes[i] == tensor;
    return touches;
}

static json_t *walk_json(const AppTrace *app, const AppOptions *options, int tensor)
{
    const Trace *trace = &app->trace;
    json_t *steps = json_array(), *tensors = json_array();
    bool wanted[TRACE_TENSORS_MAX] = {false};
    for (int step = 0; step < trace->step_count; step++) {
        if (!app_means_step(trace, step, options->stage))
            continue;
        json_array_append_new(steps, step_json(trace, step));
        for (int i = 0; i < trace->tensor_count; i++)
            wanted[i] = wanted[i] || !options->stage || step_touches(&trace->steps[step], i);
    }
    for (int i = 0; i < trace->tensor_count; i++)
        if (tensor >= 0 ? i == tensor : wanted[i])
            json_array_append_new(tensors, tensor_json(trace, i, i == tensor));
    const Scenario *scenario = &app->scenario;
    return json_pack("{s:s, s:s*, s:s*, s:s*, s:s*, s:o, s:o}", "scenario", scenario->name,
                     "document", scenario->document, "about", scenario->about, "note",
                     scenario->note, "mistake", options->mistake, "steps", steps, "tensors",
                     tensors);
}

// Puts into each tensor how far it is from float64.
static bool add_exact(const Trace *trace, json_t *json, Error *err)
{
    TraceExact exact;
    bool good = trace_exact_open(&exact, trace, err);
    while (good && exact.wide.steps_done < trace->step_count)
        good = trace_exact_step(&exact, err);
    size_t number;
    json_t *tensor;
    json_array_foreach(json_object_get(json, "tensors"), number, tensor)
    {
        const char *name = json_string_value(json_object_get(tensor, "name"));
        json_t *error = good && name ? app_exact_json(&exact, trace_find(trace, name), err) : NULL;
        good = good && (!name || error);
        json_object_set_new(tensor, "exact", error);
    }
    trace_exact_close(&exact);
    return good;
}

static int print_json(AppTrace *app, const AppOptions *options, int tensor)
{
    Error err = {.text = ""};
    if (!trace_run(&app->trace, &err))
        return app_fail(APP_FAILED, "%s", err.text);
    json_whole_begin();
    json_t *json = walk_json(app, options, tensor);
    if (options->exact && !add_exact(&app->trace, json, &err)) {
        json_decref(json);
        return app_fail(APP_FAILED, "%s", err.text);
    }
    // 9 significant digits bring every float32 back exactly.
    bool written = json_whole_print(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9), stdout, &err);
    json_decref(json);
    return written ? APP_DONE : app_fail(APP_FAILED, "%s", err.text);
}

static bool knows_stage(const Trace *trace, const char *stage)
{
    const char *names[2 * TRACE_STEPS_MAX + 1] = {NULL};
    char texts[TRACE_STEPS_MAX][64];
    for (int step = 0; step < trace->step_count; step++) {
        if (app_means_step(trace, step, stage))
            return true;
        names[2 * step] = trace->steps[step].stage->name;
        names[2 * step + 1] = trace_step_name(trace, step, texts[step]);
    }
    const char *meant = nearest_word(stage, names);
    app_fail(APP_MISUSED, TELL(NO_STAGE), trace->scenario->name, stage,
             meant ? TELL(DID_YOU_MEAN) : "", meant ? meant : "", meant ? TELL(MEANT_END) : "");
    return false;
}

static bool knows_tensor(const Trace *trace, const char *tensor)
{
    if (trace_find(trace, tensor) >= 0)
        return true;
    const char *names[TRACE_TENSORS_MAX + 1] = {NULL};
    for (int i = 0; i < trace->tensor_count; i++)
        names[i] = trace->tensors[i].name;
    const char *meant = nearest_name(tensor, names);
    app_fail(APP_MISUSED, TELL(NO_TENSOR), trace->scenario->name, tensor,
             meant ? TELL(DID_YOU_MEAN) : "", meant ? meant : "", meant ? TELL(MEANT_END) : "");
    return false;
}

static int print_walk(AppTrace *app, const AppOptions *options, bool json)
{
    if (json)
        return print_json(app, options,
                          options->tensor ? trace_find(&app->trace, options->tensor) : -1);
    Error err = {.text = ""};
    if (app->scenario.formula_count > 0) { // refused before anything is printed
        if (!trace_run(&app->trace, &err))
            return app_fail(APP_FAILED, "%s", err.text);
        trace_rewind(&app->trace);
        app_print_edits(&app->trace);
    }
    if (options->mistake)
        app_print_mistake(options, &app->scenario, stdout);
    return app_print_walk(app, &(AppWalk){options->stage, options->tensor, options->exact}, stdout);
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_print.options, &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(&command_print, stdout);
        return app_finish_output();
    }
    bool json = options.format && strcmp(options.format, "json") == 0;
    if (options.format && !json && strcmp(options.format, "text") != 0)
        return app_fail(APP_MISUSED, TELL(FORMAT_TEXT_JSON), options.format);

    if (!app_takes_one(&options) || !app_takes_mistake(&options))
        return APP_MISUSED;
    if (options.exact && (options.mistake || options.mine || options.compare))
        return app_fail(APP_MISUSED, TELL(EXACT_ALONE_ONLY));

    static AppTrace app; // too large for a small stack
    if (!app_open(&app, &options))
        return APP_FAILED;
    int code = APP_MISUSED;
    if (options.compare)
        code = app_print_comparison(&app, options.compare, json, stdout);
    else if (options.formulas && (!options.stage || knows_stage(&app.trace, options.stage)))
        code = app_print_formulas(&app, options.stage, json);
    else if (options.formulas)
        code = APP_MISUSED;
    else if ((!options.stage || knows_stage(&app.trace, options.stage)) &&
             (!options.tensor || knows_tensor(&app.trace, options.tensor)))
        code = print_walk(&app, &options, json);
    app_close(&app);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_print = {
    .name = "print",
    .arguments = "SCENARIO|FILE.yaml [--stage S] [--tensor T] [--backward] [--exact] [--formulas] "
                 "[--format text|json]",
    .is_first = true,
    .summary = WORDS("Print every stage as text or JSON", "모든 단계를 텍스트나 JSON으로"),
    .details = WORDS(
        "  --stage S      only this stage: score, or \"project q\" for one of its calls\n"
        "  --tensor T     only this tensor, formatted like PyTorch's print(tensor)\n"
        "  --format json  names, axes, shapes, strides, sha256; with --tensor, also its data\n"
        "  --mine DIR     use your functions from workspace DIR as stages\n"
        "  --backward     add the backward pass: a loss and the gradient of every tensor\n"
        "  --exact        compare float32 with float64: the rounding error of each step and\n"
        "                 of all steps, in ulps; with --tensor T, for each number\n"
        "  --formula F    compute one step by another formula, and rerun the steps after it:\n"
        "                 --formula 'scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k'; repeatable\n"
        "  --formulas     print every step as a formula that runs; see attnscope help formula\n"
        "  --compare WHAT print the difference from a second run at each step: an option\n"
        "                 (attention.scale=none), \"mistake NAME\", or a scenario\n"
        "  --mistake M    explain a known mistake and run with it; see list mistakes\n"
        "  --lang en|ko   the language of the explanation [the locale's]\n"
        "  --text \"...\"   your own sentence instead of the scenario's input\n"
        "  --pair \"...\"   a second sentence, if the scenario uses a model's tokenizer\n"
        "  --set KEY=VALUE  change any field: --set attention.scale=sqrt_d_model\n"
        "  --spill FOLDER   keep large tensors in files there, for runs larger than memory\n",
        "  --stage S      이 단계만: score, 또는 그 호출 하나면 \"project q\"\n"
        "  --tensor T     이 텐서만, PyTorch의 print(tensor)처럼\n"
        "  --format json  이름, 축, 모양, 스트라이드, sha256. 지정한 텐서는 데이터도\n"
        "  --mine DIR     그 작업 폴더의 내 함수를 단계로 실행합니다\n"
        "  --backward     역전파도: 손실과 모든 텐서의 기울기\n"
        "  --exact        float32 옆에 float64: 단계 하나와 전체의 반올림 오차를 마지막 자리\n"
        "                 단위(ulp)로. --tensor T가 있으면 숫자마다\n"
        "  --formula F    단계 하나를 다른 수식으로, 그 뒤는 모두 다시 계산합니다. 여러 번 가능:\n"
        "                 --formula 'scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k'\n"
        "  --formulas     모든 단계를 실행되는 수식으로, 한 쪽에. 수식을 쓰는 법은 help formula\n"
        "  --compare WHAT 다른 방법이 단계마다 얼마나 다른지: 옵션(attention.scale=none),\n"
        "                 \"mistake NAME\", 시나리오\n"
        "  --mistake M    알려진 실수로 실행하고 먼저 설명합니다. attnscope list mistakes\n"
        "  --lang en|ko   언어 [로캘의 언어]\n"
        "  --text \"...\"   시나리오의 입력 대신 내 문장\n"
        "  --pair \"...\"   모델의 토크나이저로 나눌 때 그 뒤에 올 두 번째 문장\n"
        "  --set KEY=VALUE  아무 항목이나 바꿉니다: --set attention.scale=sqrt_d_model\n"
        "  --spill FOLDER   메모리보다 큰 실행에서 큰 텐서를 그 폴더의 파일에 둡니다\n"),
    .options =
        "set backward text pair stage tensor format exact formula formulas compare mistake lang "
        "mine",
    .names = APP_NAMES_SCENARIO | APP_NAMES_FILE,
    .formats = "text json",
    .run = run,
};

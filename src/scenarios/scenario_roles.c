// scenario_roles: inputs and weights that have been read, under the roles by which stages ask for them. See
// scenario_internal.h.
#include "scenario_internal.h"

// per_head[h,d,i] = weight[h*d_k+i, d]: a view.
static Tensor per_head_view(const Reading *reading, const Layer *layer)
{
    ptrdiff_t heads = reading->scenario->options.heads;
    ptrdiff_t split[] = {heads, layer->out / heads, layer->in};
    Tensor view;
    Error err;
    bool viewed = tensor_view(&layer->weight, 3, split, &view, &err);
    return viewed ? tensor_transpose(&view, 1, 2) : (Tensor){.rank = 0};
}

// Adds a tensor that may have been drawn.
static void add_drawn(Scenario *scenario, ScenarioTensor added)
{
    scenario_add(scenario, added.role, added.name, added.tensor, added.from);
    scenario->tensors[scenario->tensor_count - 1].draw = added.draw;
}

// The tensors of a layer under the roles of the call that uses it.
static void add_layer(Reading *reading, LayerNumber number, LayerNumber call)
{
    Layer *layer = &reading->layers[number];
    Scenario *scenario = reading->scenario;
    if (scenario_is_per_head(reading, number) && !layer->per_head.storage.bytes)
        layer->per_head = per_head_view(reading, layer);
    bool has_per_head = layer->per_head.storage.bytes != NULL;
    if (layer->weight.storage.bytes) // what the matrices of the heads are views of is only shown
        add_drawn(scenario, (ScenarioTensor){has_per_head ? "" : layer_weight_names[call],
                                             layer_weight_names[number], layer->weight, layer->from,
                                             layer->weight_draw, reading->block});
    if (has_per_head)
        add_drawn(scenario, (ScenarioTensor){layer_per_head_names[call],
                                             layer_per_head_names[number], layer->per_head,
                                             layer->from, layer->weight_draw, reading->block});
    if (layer->bias.storage.bytes)
        add_drawn(scenario,
                  (ScenarioTensor){layer_bias_names[call], layer_bias_names[number], layer->bias,
                                   layer->bias_from, layer->bias_draw, reading->block});
}

void scenario_attention_add(Reading *reading)
{
    for (int i = 0; i < 3 && !reading->inputs[INPUT_Q].node; i++)
        add_layer(reading, reading->projection[i], LAYER_Q + (LayerNumber)i);
    if (reading->layers[LAYER_OUT].used)
        add_layer(reading, LAYER_OUT, LAYER_OUT);
}

void scenario_tensors_add(Reading *reading)
{
    for (InputNumber i = 0; i < INPUT_COUNT; i++)
        if (reading->inputs[i].node)
            add_drawn(reading->scenario,
                      (ScenarioTensor){input_names[i], input_names[i], reading->inputs[i].tensor,
                                       reading->inputs[i].from, reading->inputs[i].draw, 0});
    if (reading->layers[LAYER_EMBEDDING].used)
        add_layer(reading, LAYER_EMBEDDING, LAYER_EMBEDDING);
    scenario_attention_add(reading);
    if (reading->layers[LAYER_READOUT].used)
        add_layer(reading, LAYER_READOUT, LAYER_READOUT);
}

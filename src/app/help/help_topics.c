// help_topics: what help tells about beside commands: topics, variables of the environment, what words may
// name. See help_format.h.
#include "help_format.h"

#include "scenario_format.h"

// The grammar of formula.h, as a person reads it.
#define FORMULA_HELP \
    "How formulas are written\n" \
    "\n" \
    "Every step of a scenario is a formula that runs: `attnscope print causal\n" \
    "--formulas` shows them all. The loop of a stage is the same, faster; the tests\n" \
    "hold the two together.\n" \
    "\n" \
    "  scores[b,h,i,j] = sum_d q[b,h,i,d] * k[b,h,j,d]\n" \
    "\n" \
    "name[i,j] = value     Computes every element of a tensor. Letters that stand\n" \
    "                      alone in brackets are axes. An axis has one size\n" \
    "                      wherever it stands alone; where two tensors say\n" \
    "                      different sizes, both are told.\n" \
    "q[b,l, h*d_k + i]     An index may be computed. It is rounded down, and must\n" \
    "                      only lie inside its tensor.\n" \
    "sum_d x               Adds x for every d. It takes in the factors behind it,\n" \
    "                      up to the next + or -. sum_l,b goes along two axes, the\n" \
    "                      first one fastest. max_k is the largest, mean_e the sum\n" \
    "                      divided by how many there are. last(d): 1 at the last d\n" \
    "+ - * / % ^           As usual; % is the remainder, ^ the power.\n" \
    "= != < <= > >=        1 where it holds, else 0: [w = target]\n" \
    "and or not            Of such numbers; 0 is no, everything else yes.\n" \
    "c ? a : b             a where c holds, else b; the other is not computed.\n" \
    "|x|                   Without its sign. Functions: exp log log2 sqrt sin cos\n" \
    "                      tanh erf floor float32 min(a,b) max(a,b)\n" \
    "inf pi d_k scale      Constants, sizes, and options of the scenario.\n" \
    "a = ...; b = ...      Several definitions. What is no tensor of the step is a\n" \
    "                      helper: its name, with values for its parameters,\n" \
    "                      stands for its expression. It sees the axes of the\n" \
    "                      tensor that is computed.\n" \
    "(+ bias[o])           Takes part if the tensor is given, likewise (or m[i,j]);\n" \
    "                      given(m) asks.\n" \
    "x[...]                All axes, on both sides.  `a+b`  Any other name.\n" \
    "# ...                 A remark.\n" \
    "\n" \
    "A tensor is called as in the trace (q_proj.weight), or by the last part of that\n" \
    "name (weight). One element of a tensor of one element needs no brackets.\n" \
    "\n" \
    "In float32 every operation is rounded. A sum begins at +0 and goes up along its\n" \
    "axes; terms that are products are multiplied and added in one rounding.\n" \
    "\n" \
    "definitions = definition { \";\" definition }\n" \
    "definition  = name [ \"[\" values \"]\" ] \"=\" value\n" \
    "value       = or [ \"?\" value \":\" value ]\n" \
    "or          = and { \"or\" and | \"(or\" and \")\" }\n" \
    "and         = comparison { \"and\" comparison }\n" \
    "comparison  = sum [ (\"=\" | \"!=\" | \"<\" | \"<=\" | \">\" | \">=\") sum ]\n" \
    "sum         = product { (\"+\" | \"-\") product | \"(+\" product \")\" }\n" \
    "product     = signed { (\"*\" | \"/\" | \"%\") signed }\n" \
    "signed      = (\"-\" | \"not\") signed | atom [ \"^\" signed ]\n" \
    "atom        = number | name | name \"[\" values \"]\" | function \"(\" values \")\"\n" \
    "            | (\"sum_\" | \"mean_\" | \"max_\") axis { \",\" axis } product\n" \
    "            | \"(\" value \")\" | \"[\" value \"]\" | \"|\" value \"|\"\n"
#define FORMULA_HELP_KOREAN \
    "수식을 쓰는 법\n" \
    "\n" \
    "시나리오의 모든 단계는 실행되는 수식입니다. `attnscope print causal\n" \
    "--formulas`가 모두 보여 줍니다. 단계의 루프는 같은 것을 더 빨리 계산하며,\n" \
    "테스트가 둘이 같은지 확인합니다.\n" \
    "\n" \
    "  scores[b,h,i,j] = sum_d q[b,h,i,d] * k[b,h,j,d]\n" \
    "\n" \
    "name[i,j] = 값        텐서의 모든 원소를 계산합니다. 대괄호 안에 홀로 있는\n" \
    "                      글자는 축입니다. 홀로 있는 곳 어디에서나 축의 크기는\n" \
    "                      같아야 합니다. 두 텐서의 크기가 다르면 둘 다 알려\n" \
    "                      줍니다.\n" \
    "q[b,l, h*d_k + i]     인덱스는 계산해도 됩니다. 내림하며, 텐서 안에 있기만\n" \
    "                      하면 됩니다.\n" \
    "sum_d x               모든 d에 대해 x를 더합니다. 다음 +나 - 앞까지의 인수를\n" \
    "                      모두 포함합니다. sum_l,b는 두 축을 따라가며 첫 축이\n" \
    "                      가장 빨리 바뀝니다. max_k는 최댓값, mean_e는 합을\n" \
    "                      개수로 나눈 것입니다. last(d): 마지막 d에서 1\n" \
    "+ - * / % ^           보통과 같습니다. %는 나머지, ^는 거듭제곱입니다.\n" \
    "= != < <= > >=        성립하면 1, 아니면 0: [w = target]\n" \
    "and or not            그런 수에 씁니다. 0은 아니요, 나머지는 예입니다.\n" \
    "c ? a : b             c가 성립하면 a, 아니면 b. 나머지는 계산하지 않습니다.\n" \
    "|x|                   절댓값. 함수: exp log log2 sqrt sin cos tanh erf floor\n" \
    "                      float32 min(a,b) max(a,b)\n" \
    "inf pi d_k scale      상수, 크기, 시나리오의 옵션.\n" \
    "a = ...; b = ...      정의 여러 개. 단계의 텐서가 아닌 것은 도우미입니다.\n" \
    "                      매개변수에 값을 준 이름이 그 식을 대신합니다. 계산하는\n" \
    "                      텐서의 축을 볼 수 있습니다.\n" \
    "(+ bias[o])           텐서가 있으면 들어갑니다. (or m[i,j])도 같습니다.\n" \
    "                      given(m)은 있는지 묻습니다.\n" \
    "x[...]                양쪽의 모든 축.\n" \
    "# ...                 설명.\n" \
    "\n" \
    "텐서의 이름은 실행의 이름(q_proj.weight)이나 그 마지막 부분(weight)입니다.\n" \
    "원소가 하나인 텐서에는 대괄호가 없어도 됩니다.\n" \
    "\n" \
    "float32에서는 연산마다 반올림합니다. 합은 +0에서 시작해 축을 따라 올라가고,\n" \
    "항이 곱이면 곱하고 더하는 것을 한 번에 반올림합니다.\n" \
    "\n" \
    "정의들  = 정의 { \";\" 정의 }\n" \
    "정의    = 이름 [ \"[\" 값들 \"]\" ] \"=\" 값\n" \
    "값      = 또는 [ \"?\" 값 \":\" 값 ]\n" \
    "또는    = 그리고 { \"or\" 그리고 | \"(or\" 그리고 \")\" }\n" \
    "그리고  = 비교 { \"and\" 비교 }\n" \
    "비교    = 합 [ (\"=\" | \"!=\" | \"<\" | \"<=\" | \">\" | \">=\") 합 ]\n" \
    "합      = 곱 { (\"+\" | \"-\") 곱 | \"(+\" 곱 \")\" }\n" \
    "곱      = 부호 { (\"*\" | \"/\" | \"%\") 부호 }\n" \
    "부호    = (\"-\" | \"not\") 부호 | 원자 [ \"^\" 부호 ]\n" \
    "원자    = 수 | 이름 | 이름 \"[\" 값들 \"]\" | 함수 \"(\" 값들 \")\"\n" \
    "        | (\"sum_\" | \"mean_\" | \"max_\") 축 { \",\" 축 } 곱\n" \
    "        | \"(\" 값 \")\" | \"[\" 값 \"]\" | \"|\" 값 \"|\"\n"

static const HelpVariable variables[] = {
#define HELP_VARIABLE(name, english, korean) {name, WORDS(english, korean)},
#include "help_environment.def"
#undef HELP_VARIABLE
};

static const HelpNames all_names[] = {
    {APP_NAMES_SCENARIO, "scenarios"},
    {APP_NAMES_LECTURE, "lectures"},
    {APP_NAMES_EXERCISE, "exercises"},
    {APP_NAMES_MISTAKE, "mistakes"},
    {APP_NAMES_FILE, NULL},
    {APP_NAMES_FOLDER, NULL},
};

const HelpVariable *help_variable(int number)
{
    return number < (int)(sizeof variables / sizeof *variables) ? &variables[number] : NULL;
}

const HelpNames *help_names(int number)
{
    return number < (int)(sizeof all_names / sizeof *all_names) ? &all_names[number] : NULL;
}

const HelpTopic *help_topic(int number)
{
    static HelpTopic topics[] = {
        {.name = "scenario",
         .about = WORDS("the format of scenario files", "시나리오 파일의 형식")},
        {.name = "formula",
         .about = WORDS("how formulas are written", "수식을 쓰는 법"),
         .text = WORDS(FORMULA_HELP, FORMULA_HELP_KOREAN)},
    };
    topics[0].text = scenario_format; // generated, and so no constant here
    return number < (int)(sizeof topics / sizeof *topics) ? &topics[number] : NULL;
}

// session_source: see session_source.h.
#include "session_source.h"

#include <stdio.h>
#include <string.h>
#include "session_words.h"
#include "utf8.h"

// --- what is different, one after the other

static void add(char text[SESSION_SOURCE_MAX], const char *more)
{
    enum { COLUMNS = SESSION_SOURCE_MAX / 3 }; // of at most three bytes each
    char whole[SESSION_SOURCE_MAX + SCENARIO_EDIT_MAX];
    snprintf(whole, sizeof whole, "%s%s%.*s", text, text[0] ? "; " : "", SCENARIO_EDIT_MAX - 4,
             more);
    for (char *at = whole; *at; at++)
        *at = *at == '\n' || *at == '\r' || *at == '\t' ? ' ' : *at; // it is one line
    utf8_cut(whole, COLUMNS, text, SESSION_SOURCE_MAX);
}

static void add_request(const ScenarioRequest *request, char text[SESSION_SOURCE_MAX])
{
    if (request->text)
        add(text, TELL(SOURCE_TEXT));
    for (int i = 0; i < request->set_count; i++)
        if (strcmp(request->sets[i], "backward=true") != 0) // it adds numbers and changes none
            add(text, request->sets[i]);
}

static void add_mine(const LearnerStages *mine, char text[SESSION_SOURCE_MAX])
{
    char names[SESSION_SOURCE_MAX] = "";
    if (!mine)
        return;
    for (int i = 0; mine->stages && mine->stages[i]; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : TELL(SOURCE_OWN),
                 mine->stages[i]);
    }
    add(text, names[0] ? names : TELL(SOURCE_FUNCTIONS));
}

static void add_edits(const WhatIf *what_if, char text[SESSION_SOURCE_MAX])
{
    for (size_t i = 0; i < what_if->done; i++)
        add(text, what_if->edits[i].text);
}

const char *session_changed_by(const Session *session, char text[SESSION_SOURCE_MAX])
{
    const Comparison *comparison = &session->comparison;
    bool is_difference = comparison_window_trace(session) != &session->run.trace;
    bool is_other = comparison->open && comparison->swapped;
    text[0] = '\0';
    if (is_difference) {
        char both[SESSION_SOURCE_MAX];
        snprintf(both, sizeof both, TELL(SOURCE_DIFFERENCE), SESSION_SOURCE_MAX / 2,
                 comparison_title(session));
        add(text, both);
    }
    if (!is_difference && is_other && (comparison->hidden || comparison->is_changed))
        add(text, comparison_title(session));
    add_request(&session->run.trace.scenario->request, text);
    if (!is_other || comparison->is_changed)
        add_edits(&session->what_if, text);
    if (!is_other)
        add_mine(session->mine.functions, text);
    return text;
}

const char *session_document(const Session *session)
{
    char text[SESSION_SOURCE_MAX];
    const Scenario *scenario = session->run.trace.scenario;
    bool is_documents = !scenario->is_own && !session_changed_by(session, text)[0];
    return is_documents ? scenario->document : NULL;
}

const char *session_own_weights(const Session *session)
{
    const Scenario *scenario = session->run.trace.scenario;
    return scenario->is_own && !scenario->is_weights_file ? scenario->weights : NULL;
}

// my-policy: a policy of guard-host.
//
// It sees what a tool call does, not how it is spelled: commands with their wrappers peeled off, and effects with a
// stable name and a severity. Each rule below is one function; add yours beside them, and a case to `fixtures/`.
//
// An instance of the policy serves one call, and its memory goes with it, so nothing is freed here. What is returned the
// bindings free, so every text of it is allocated.

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/guest.h"
#include "json.h"

typedef guest_string_t text_t;
typedef guard_policy_types_finding_t finding_t;
typedef guard_policy_types_outcome_t outcome_t;
typedef guard_policy_syntax_effect_t effect_t;
typedef guard_policy_syntax_command_t command_t;
typedef guard_policy_context_facts_t facts_t;

#define ABSTAIN GUARD_POLICY_TYPES_OUTCOME_ABSTAIN
#define ASK GUARD_POLICY_TYPES_OUTCOME_ASK
#define DENY GUARD_POLICY_TYPES_OUTCOME_DENY
#define COUNT(list) (sizeof(list) / sizeof *(list))

// What runs a command as another user.
static const char *const ELEVATORS[] = {"sudo", "doas", "su"};
static const char *const PACKAGE_MANAGERS[] = {"npm", "pnpm", "yarn", "pip", "pip3"};
static const char *const REGISTRY_OPTIONS[] = {"--registry", "--index-url", "--extra-index-url"};
static const char *const TEXT_KEYS[] = {"content", "new_string", "new_source"};

// ---- Texts

static text_t text_of(const char *text) {
    return (text_t){(uint8_t *)text, strlen(text)};
}

static bool equal(text_t a, text_t b) {
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static bool is(text_t text, const char *other) {
    return equal(text, text_of(other));
}

static bool begins(text_t text, text_t start) {
    return text.len >= start.len && memcmp(text.ptr, start.ptr, start.len) == 0;
}

static text_t from(text_t text, size_t start) {
    return (text_t){text.ptr + start, text.len - start};
}

// Where `needle` begins in `text`; the text's length if it is not in there.
static size_t find(text_t text, const char *needle) {
    for (size_t at = 0; at < text.len; at++) {
        if (begins(from(text, at), text_of(needle))) return at;
    }
    return text.len;
}

static const char *one_of(text_t text, const char *const *list, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (is(text, list[i])) return list[i];
    }
    return NULL;
}

static bool holds(json_t list, text_t text) {
    for (size_t i = 0; i < list.len; i++) {
        if (equal(list.items[i].text, text)) return true;
    }
    return false;
}

// What comes after the last `byte`; all of it if there is none.
static text_t after_last(text_t text, char byte) {
    for (size_t at = text.len; at > 0; at--) {
        if (text.ptr[at - 1] == (uint8_t)byte) return from(text, at);
    }
    return text;
}

static text_t until(text_t text, const char *bytes) {
    size_t len = 0;
    while (len < text.len && !(text.ptr[len] && strchr(bytes, text.ptr[len]))) len++;
    return (text_t){text.ptr, len};
}

static text_t without_slashes(text_t text) {
    while (text.len && text.ptr[text.len - 1] == '/') text.len--;
    return text;
}

// A new text: the pattern, with a text in the place of each `%`.
static text_t say(const char *pattern, ...) {
    text_t said = {NULL, 0};
    va_list texts;
    va_start(texts, pattern);
    for (; *pattern; pattern++) {
        text_t piece = *pattern == '%' ? va_arg(texts, text_t) : (text_t){(uint8_t *)pattern, 1};
        said.ptr = realloc(said.ptr, said.len + piece.len + 1);
        if (!said.ptr) abort();
        memcpy(said.ptr + said.len, piece.ptr, piece.len);
        said.len += piece.len;
    }
    va_end(texts);
    return said;
}

// ---- What the policy is

static struct {
    json_t protected_branches, scratch, registry, allowed_hosts;
} settings;

// The settings in guard.toml, with their defaults.
static const struct {
    const char *key;
    json_t *value;
    const char *json;
} SETTINGS[] = {
    {"protected-branches", &settings.protected_branches, "[\"main\", \"master\"]"},
    {"scratch", &settings.scratch, "[\"/tmp\"]"},
    {"registry", &settings.registry, "\"\""},
    {"allowed-hosts", &settings.allowed_hosts, "[\"localhost\", \"127.0.0.1\"]"},
};

static const char *const TOOLS[] = {"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"};

static const struct {
    const char *id, *summary;
    outcome_t outcome;
} RULES[] = {
    {"protected-branch", "a protected branch is rewritten or removed", DENY},
    {"outside-project", "a change outside of the project", ASK},
    {"elevated", "a command with the rights of another user", ASK},
    {"foreign-registry", "packages from another registry", ASK},
    {"unknown-host", "a connection to a host that is not allowed", ASK},
    {"private-key", "a private key in the text of a file", DENY},
    {"unclear", "a command that cannot be followed to its end", ASK},
};

static const struct {
    const char *tool, *input;
    outcome_t outcome;
    const char *rule;
} EXAMPLES[] = {
    {"Bash", "{\"command\": \"git push --force origin main\"}", DENY, "protected-branch"},
    {"Bash", "{\"command\": \"sudo ls\"}", ASK, "elevated"},
    {"Bash", "{\"command\": \"ls\"}", ABSTAIN, ""},
};

static void *room(size_t len, size_t size) {
    void *items = calloc(len, size);
    if (!items) abort();
    return items;
}

void exports_guard_policy_policy_describe(exports_guard_policy_policy_manifest_t *manifest) {
    memset(manifest, 0, sizeof *manifest);
    manifest->id = say("my-policy");
    manifest->version = say("0.1.0");
    manifest->summary = say("keeps changes in the project, branches whole, and traffic to known hosts");
    manifest->tools.len = COUNT(TOOLS);
    manifest->tools.ptr = room(COUNT(TOOLS), sizeof *manifest->tools.ptr);
    for (size_t i = 0; i < COUNT(TOOLS); i++) manifest->tools.ptr[i] = say(TOOLS[i]);
    manifest->rules.len = COUNT(RULES);
    manifest->rules.ptr = room(COUNT(RULES), sizeof *manifest->rules.ptr);
    for (size_t i = 0; i < COUNT(RULES); i++) {
        manifest->rules.ptr[i] = (guard_policy_types_rule_t){
            .id = say(RULES[i].id), .summary = say(RULES[i].summary), .default_ = RULES[i].outcome, .ceiling = DENY};
    }
    manifest->examples.len = COUNT(EXAMPLES);
    manifest->examples.ptr = room(COUNT(EXAMPLES), sizeof *manifest->examples.ptr);
    for (size_t i = 0; i < COUNT(EXAMPLES); i++) {
        manifest->examples.ptr[i] = (guard_policy_types_example_t){.tool = say(EXAMPLES[i].tool),
                                                                   .input = say(EXAMPLES[i].input),
                                                                   .outcome = EXAMPLES[i].outcome,
                                                                   .rule = say(EXAMPLES[i].rule)};
    }
}

static bool is_list_of_strings(const json_t *value) {
    if (value->kind != JSON_ARRAY) return false;
    for (size_t i = 0; i < value->len; i++) {
        if (value->items[i].kind != JSON_STRING) return false;
    }
    return true;
}

// An error is told to the person who wrote the settings.
bool exports_guard_policy_policy_configure(guest_string_t *given, guest_string_t *error) {
    json_t object;
    if (!json_read(*given, &object) || object.kind != JSON_OBJECT) {
        *error = say("the settings are not an object");
        return false;
    }
    for (size_t i = 0; i < COUNT(SETTINGS); i++) json_read(text_of(SETTINGS[i].json), SETTINGS[i].value);
    for (size_t i = 0; i < object.len; i++) {
        size_t which = 0;
        while (which < COUNT(SETTINGS) && !is(object.keys[i], SETTINGS[which].key)) which++;
        if (which == COUNT(SETTINGS)) {
            *error = say("unknown setting `%`", object.keys[i]);
            return false;
        }
        bool is_text = SETTINGS[which].value->kind == JSON_STRING;
        const json_t *value = &object.items[i];
        if (is_text ? value->kind != JSON_STRING : !is_list_of_strings(value)) {
            *error = say(is_text ? "`%` is not a string" : "`%` is not a list of strings", object.keys[i]);
            return false;
        }
        *SETTINGS[which].value = *value;
    }
    return true;
}

// ---- The rules

static exports_guard_policy_policy_decision_t decision;

static void found(const char *rule, outcome_t outcome, text_t message, text_t remedy) {
    size_t len = decision.findings.len++;
    finding_t *findings = realloc(decision.findings.ptr, (len + 1) * sizeof *findings);
    if (!findings) abort();
    findings[len] = (finding_t){say(rule), outcome, message, remedy, {NULL, 0}};
    decision.findings.ptr = findings;
    if (outcome > decision.outcome) decision.outcome = outcome;
}

// The program's name without its folder.
static text_t program_of(const command_t *command) {
    return command->argv.len ? after_last(command->argv.ptr[0].text, '/') : text_of("");
}

static void protected_branch(const effect_t *effect) {
    text_t operation = effect->operation, branch = effect->target;
    if (!begins(operation, text_of("git.push."))) return;
    if (branch.len == 0) {
        text_t message = say("`%` names no branch, and the current one may be protected", operation);
        found("protected-branch", ASK, message, say("name the branch that you mean"));
    } else if (holds(settings.protected_branches, branch)) {
        text_t message = say("`%` would rewrite or remove `%`, a protected branch", operation, branch);
        found("protected-branch", DENY, message, say("push a branch of your own and open a pull request"));
    }
}

static bool is_below(text_t path, text_t folder) {
    return begins(path, folder) && (path.len == folder.len || path.ptr[folder.len] == '/');
}

static void outside_project(const effect_t *effect, const facts_t *facts) {
    const guard_policy_types_resolved_path_t *path = &effect->path;
    bool changes = is(effect->kind, "write") || is(effect->kind, "delete") || is(effect->kind, "metadata");
    if (!changes || path->raw.len == 0 || path->project_relative.len > 0) return;
    for (size_t i = 0; i < settings.scratch.len; i++) {
        if (is_below(path->canonical, settings.scratch.items[i].text)) return;
    }
    outcome_t outcome = effect->severity >= GUARD_POLICY_SYNTAX_SEVERITY_DESTRUCTIVE ? DENY : ASK;
    text_t message = say("`%` lies outside of the project", effect->target);
    found("outside-project", outcome, message, say("stay below `%`", facts->project_root));
}

static void elevated(const command_t *command, const facts_t *facts) {
    const char *by = NULL;
    for (size_t i = 0; i < command->via.len && !by; i++) {
        by = one_of(command->via.ptr[i].kind, ELEVATORS, COUNT(ELEVATORS));
    }
    if (!by) by = one_of(program_of(command), ELEVATORS, COUNT(ELEVATORS));
    if (!by) return;
    // Nobody is asked in this mode.
    outcome_t outcome = is(facts->permission_mode, "bypassPermissions") ? DENY : ASK;
    text_t first = command->argv.len ? command->argv.ptr[0].text : text_of("");
    text_t message = say("`%` runs with the rights of another user", first);
    found("elevated", outcome, message, say("run it without `%`", text_of(by)));
}

// The registry that a word names, alone or together with the next one.
static bool names_registry(const command_t *command, size_t at, text_t *value) {
    text_t word = command->argv.ptr[at].text;
    size_t sign = find(word, "=");
    if (!one_of((text_t){word.ptr, sign}, REGISTRY_OPTIONS, COUNT(REGISTRY_OPTIONS))) return false;
    bool is_alone = sign == word.len;
    if (is_alone && at + 1 == command->argv.len) return false;
    *value = is_alone ? command->argv.ptr[at + 1].text : from(word, sign + 1);
    return true;
}

static void foreign_registry(const command_t *command) {
    text_t program = program_of(command), registry = settings.registry.text, value;
    if (!one_of(program, PACKAGE_MANAGERS, COUNT(PACKAGE_MANAGERS))) return;
    for (size_t at = 0; at < command->argv.len; at++) {
        if (!names_registry(command, at, &value)) continue;
        if (equal(without_slashes(value), without_slashes(registry))) continue;
        text_t remedy = registry.len ? say("use `%`", registry) : say("leave the option out");
        found("foreign-registry", ASK, say("`%` would take packages from `%`", program, value), remedy);
    }
}

// The host of an address, with or without scheme, user, port and path.
static text_t host_of(text_t address) {
    size_t scheme = find(address, "://");
    text_t rest = scheme < address.len ? from(address, scheme + 3) : address;
    return until(after_last(until(rest, "/?#"), '@'), ":");
}

static void unknown_host(const effect_t *effect) {
    if (!is(effect->kind, "network")) return;
    if (!effect->certain) {
        text_t message = say("where `%` leads is known only at run time", effect->target);
        found("unknown-host", ASK, message, say("write the address out"));
        return;
    }
    text_t host = host_of(effect->target);
    for (size_t i = 0; i < settings.allowed_hosts.len; i++) {
        text_t allowed = settings.allowed_hosts.items[i].text;
        if (equal(host, allowed)) return;
        if (host.len > allowed.len && equal(from(host, host.len - allowed.len - 1), say(".%", allowed))) return;
    }
    text_t message = say("`%` is not one of the allowed hosts", host);
    found("unknown-host", ASK, message, say("have it added to `allowed-hosts`"));
}

static void private_keys(const json_t *input) {
    const json_t *file = json_get(input, "file_path");
    if (!file || file->kind != JSON_STRING) file = json_get(input, "notebook_path");
    text_t name = file && file->kind == JSON_STRING ? file->text : text_of("");
    for (size_t i = 0; i < COUNT(TEXT_KEYS); i++) {
        const json_t *text = json_get(input, TEXT_KEYS[i]);
        if (!text || text->kind != JSON_STRING || find(text->text, "PRIVATE KEY-----") == text->text.len) continue;
        text_t message = say("the text for `%` holds a private key", name);
        found("private-key", DENY, message, say("refer to the key by its path"));
    }
}

bool exports_guard_policy_policy_decide(guest_string_t *tool, guest_string_t *input,
                                        exports_guard_policy_policy_decision_t *answer, guest_string_t *error) {
    json_t object;
    if (!json_read(*input, &object)) {
        *error = say("the input is not JSON");
        return false;
    }
    guard_policy_analysis_analysis_t analysis;
    guard_policy_analysis_current(&analysis);
    facts_t facts;
    guard_policy_context_get(&facts);
    decision = (exports_guard_policy_policy_decision_t){ABSTAIN, {NULL, 0}};
    for (size_t i = 0; i < analysis.effects.len; i++) protected_branch(&analysis.effects.ptr[i]);
    for (size_t i = 0; i < analysis.effects.len; i++) outside_project(&analysis.effects.ptr[i], &facts);
    for (size_t i = 0; i < analysis.commands.len; i++) elevated(&analysis.commands.ptr[i], &facts);
    for (size_t i = 0; i < analysis.commands.len; i++) foreign_registry(&analysis.commands.ptr[i]);
    for (size_t i = 0; i < analysis.effects.len; i++) unknown_host(&analysis.effects.ptr[i]);
    private_keys(&object);
    if (is(*tool, "Bash") && analysis.coverage != GUARD_POLICY_SYNTAX_COVERAGE_COMPLETE) {
        text_t message = say("the command cannot be followed to its end");
        found("unclear", ASK, message, say("write it without names that are known only at run time"));
    }
    *answer = decision;
    return true;
}

//! Justfiles: the commands of the recipes that a call reaches, as lines of a makefile.

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::syntax::Word;

use super::{MOST, Recipes};
use crate::limits;
use crate::walk::templates::{interpolated, split_outside};
use crate::wrappers::layer::quoted;
use crate::wrappers::shells::is_shell;

/// The maximum length of a variable's value, in bytes.
const LONGEST: usize = 512;

/// The values of variables and parameters. `None` if a value isn't known.
type Values<'t> = BTreeMap<&'t str, Option<String>>;

struct Parameter<'t> {
    name: &'t str,
    default: Option<&'t str>,
    is_variadic: bool,
}

struct Recipe<'t> {
    name: &'t str,
    parameters: Vec<Parameter<'t>>,
    /// The names of the recipes that run before or after this one.
    needs: Vec<&'t str>,
    lines: Vec<&'t str>,
    /// The interpreter of the whole body, from an attribute.
    script: Option<String>,
}

/// The parts of a justfile that determine its commands.
#[derive(Default)]
struct Justfile<'t> {
    recipes: Vec<Recipe<'t>>,
    aliases: BTreeMap<&'t str, &'t str>,
    /// The names and expressions of variables.
    variables: Vec<(&'t str, &'t str)>,
    /// The words of the program that runs each line.
    shell: Vec<&'t str>,
    /// Commands in the values of variables.
    commands: Vec<&'t str>,
}

/// Returns the recipes of a justfile that a call with these words and goals reaches.
pub(in crate::walk) fn recipes_of_just(text: &str, words: &[Word], goals: &[&str]) -> Recipes {
    let file = Justfile::read(text);
    if file.recipes.len() >= MOST {
        limits::reached("too many rules to follow");
    }
    let settings = ["working-directory", "no-cd", "set shell"];
    let changes = |line: &str| !line.starts_with([' ', '\t']) && settings.iter().any(|part| line.contains(part));
    let mut is_certain = !text.lines().any(changes);
    let at = first_goal(words, goals).unwrap_or(words.len());
    let (before, behind) = words.split_at_checked(at).unwrap_or((words, &[]));
    let variables = file.values(before);
    let calls = file.calls(behind, &variables);
    let mut wanted: Vec<(&Recipe<'_>, Option<Values<'_>>)> =
        calls.into_iter().map(|(recipe, values)| (recipe, Some(values))).collect();
    let mut seen = BTreeSet::new();
    let mut found: Vec<String> = Vec::new();
    let mut length = 0;
    while let Some((recipe, values)) = wanted.pop() {
        if seen.len() >= MOST || length > limits::SOURCE || !seen.insert((recipe.name, values.clone())) {
            continue;
        }
        wanted.extend(recipe.needs.iter().filter_map(|need| file.recipe(need)).map(|need| (need, None)));
        // The arguments of a dependency aren't known.
        let unknown = || recipe.parameters.iter().map(|parameter| (parameter.name, None));
        let values = values.unwrap_or_else(|| variables.clone().into_iter().chain(unknown()).collect());
        is_certain &= !recipe.lines.iter().any(|line| line.contains("{{") || line.contains("#!"));
        let commands = file.commands_of(recipe, &values);
        length += commands.len();
        found.push(commands);
    }
    // Dependencies are found after the recipes that need them.
    found.extend(file.commands.iter().map(|command| format!("_ != {command}\n")));
    found.reverse();
    Recipes { text: found.concat(), is_certain, names_start: false }
}

impl<'t> Recipe<'t> {
    /// Reads a header such as `@name *parameters: needs`.
    fn read(line: &'t str, script: Option<String>) -> Option<Self> {
        let header =
            *split_outside(line, true, |char| char == ':').first().filter(|header| header.len() < line.len())?;
        let mut words = words_of(header).into_iter();
        let name = words.next()?.trim_start_matches('@');
        let parameters = words.map(|word| {
            let (name, default) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let is_variadic = name.starts_with(['*', '+']);
            Parameter { name: name.trim_start_matches(['*', '+', '$']), default, is_variadic }
        });
        let needs = line.get(header.len() + 1..).unwrap_or_default();
        let needs = words_of(needs).into_iter().take_while(|word| !word.starts_with('#'));
        let needs = needs.filter_map(|word| word.trim_matches(['(', ')']).split_whitespace().next());
        Some(Recipe { name, parameters: parameters.collect(), needs: needs.collect(), lines: Vec::new(), script })
    }
}

impl<'t> Justfile<'t> {
    fn read(text: &'t str) -> Self {
        let mut file = Justfile::default();
        let mut script = None;
        for line in text.lines() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                file.recipes.last_mut().into_iter().for_each(|recipe| recipe.lines.push(line));
            } else if line.starts_with('[') {
                script = interpreter(line).or(script);
            } else if let Some((names, value)) = line.split_once(":=").filter(|(names, _)| !names.contains([':', '=']))
            {
                file.set(names, value.trim());
            } else if file.recipes.len() < MOST {
                file.recipes.extend(Recipe::read(line, script.take()));
            }
        }
        file
    }

    /// Reads an assignment, an alias or a setting.
    fn set(&mut self, names: &'t str, value: &'t str) {
        let mut names = names.split_whitespace();
        match (names.next(), names.next()) {
            (Some("alias"), Some(name)) => {
                self.aliases.insert(name, value.split_whitespace().next().unwrap_or_default());
            }
            (Some("set"), Some("shell")) => self.shell = texts(value),
            (Some("export"), Some(name)) | (Some(name), None) => {
                if self.variables.len() < MOST {
                    self.variables.push((name, value));
                }
                self.commands.extend(value.split('`').skip(1).step_by(2).filter(|command| !command.is_empty()));
                self.commands.extend(shell_calls(value));
            }
            _ => {}
        }
    }

    /// Returns the recipe with this name, without its modules and folder.
    fn recipe(&self, name: &str) -> Option<&Recipe<'t>> {
        let own = |name: &str| name.rsplit(['/', ':']).next().unwrap_or_default().to_owned();
        let name = own(name);
        let name = self.aliases.get(name.as_str()).map_or(name, |target| own(target));
        self.recipes.iter().find(|recipe| recipe.name == name)
    }

    /// Returns the recipes that these words call, or the first one, with the values of their parameters.
    fn calls<'a>(&'a self, words: &[Word], variables: &Values<'a>) -> Vec<(&'a Recipe<'t>, Values<'a>)> {
        let mut found = Vec::new();
        let mut rest = words.iter();
        if words.is_empty() {
            found.extend(self.recipes.first().map(|recipe| (recipe, bound(recipe, &mut rest, variables))));
        }
        while let Some(word) = rest.next() {
            if let Some(recipe) = self.recipe(&word.text).filter(|_| found.len() < MOST) {
                found.push((recipe, bound(recipe, &mut rest, variables)));
            }
        }
        found
    }

    /// Returns the values of variables. Those that the words before the recipe set take precedence: `NAME=VALUE`.
    fn values<'a>(&self, words: &'a [Word]) -> Values<'a>
    where
        't: 'a,
    {
        let assigned = words.iter().filter_map(|word| Some((word.text.split_once('=')?, word)));
        let assigned = assigned.map(|((name, value), word)| (name, (!word.dynamic).then(|| value.to_owned())));
        let mut values: Values<'a> = assigned.collect();
        for (name, expression) in &self.variables {
            if !values.contains_key(name) {
                let value = value(expression, &values);
                values.insert(*name, value);
            }
        }
        values
    }

    /// Returns a recipe's commands as lines of a makefile.
    fn commands_of(&self, recipe: &Recipe<'t>, values: &Values<'_>) -> String {
        let indent = recipe.lines.first().map_or(0, |line| line.len() - line.trim_start().len());
        let is_indented = |line: &str| line.get(..indent).is_some_and(|start| start.trim().is_empty());
        let lines = recipe.lines.iter().map(|line| match is_indented(line) {
            true => line.get(indent..).unwrap_or_default(),
            false => line.trim_start(),
        });
        let lines: Vec<String> = lines.map(|line| interpolated(line, |expression| value(expression, values))).collect();
        let calls = recipe.lines.iter().filter(|line| line.contains("{{")).flat_map(|line| shell_calls(line));
        let mut text: String = calls.map(|command| format!("_ != {command}\n")).collect();
        let shebang = lines.first().and_then(|line| line.strip_prefix("#!"));
        if let Some(program) = shebang.or(recipe.script.as_deref()) {
            text.extend(["\t", program.trim(), " <<< ", on_one_line(&lines.join("\n")).as_str(), "\n"]);
            return text;
        }
        let shell = self.shell.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
        let is_plain = shell.is_empty() || is_shell(shell);
        for line in lines.join("\n").replace("\\\n", "").lines() {
            let code = if is_plain { line.to_owned() } else { quoted(line.trim_start_matches(['@', '-', ' '])) };
            let program = self.shell.iter().filter(|_| !is_plain).map(|word| quoted(word) + " ").collect::<String>();
            text.extend(["\t", program.as_str(), code.as_str(), "\n"]);
        }
        text
    }
}

/// Takes a recipe's arguments from the words.
fn bound<'a>(recipe: &Recipe<'a>, rest: &mut std::slice::Iter<'_, Word>, variables: &Values<'a>) -> Values<'a> {
    let mut values = variables.clone();
    for parameter in &recipe.parameters {
        let taken = if parameter.is_variadic { usize::MAX } else { 1 };
        let given: Vec<&Word> = rest.by_ref().take(taken).collect();
        let value = match (given.as_slice(), parameter.default) {
            ([], Some(default)) => value(default, &values),
            ([], None) => parameter.is_variadic.then(String::new),
            (given, _) if given.iter().any(|word| word.dynamic) => None,
            (given, _) => Some(given.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")),
        };
        values.insert(parameter.name, value);
    }
    values
}

/// Returns the value of an expression of texts and names joined by `+`.
fn value(expression: &str, values: &Values<'_>) -> Option<String> {
    let mut result = String::new();
    for piece in split_outside(expression, true, |char| char == '+') {
        let piece = piece.trim();
        result.push_str(match plain_text(piece) {
            Some(text) => text,
            None => values.get(piece)?.as_deref()?,
        });
        if result.len() > LONGEST {
            return None;
        }
    }
    Some(result)
}

/// Returns the position of the first goal among the words.
fn first_goal(words: &[Word], goals: &[&str]) -> Option<usize> {
    let first = goals.first()?;
    words.iter().position(|word| word.text == *first)
}

fn words_of(text: &str) -> Vec<&str> {
    split_outside(text, true, char::is_whitespace).into_iter().filter(|word| !word.is_empty()).collect()
}

/// Returns the text in quotes that is the whole expression.
fn plain_text(expression: &str) -> Option<&str> {
    let quote = expression.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    let inner = expression.strip_prefix(quote)?.strip_suffix(quote)?;
    (!(inner.contains(quote) || quote == '"' && inner.contains('\\'))).then_some(inner)
}

/// Returns the texts in a list such as `['python3', '-c']`.
fn texts(list: &str) -> Vec<&str> {
    let inner = list.trim().trim_start_matches('[').split(']').next().unwrap_or_default();
    split_outside(inner, true, |char| char == ',').into_iter().filter_map(|text| plain_text(text.trim())).collect()
}

/// Returns the interpreter in an attribute: `[script]`, `[script('python3')]`.
fn interpreter(attribute: &str) -> Option<String> {
    let inner = attribute.trim_start_matches('[').rsplit_once(']').map_or("", |(inner, _)| inner);
    let attributes = split_outside(inner, true, |char| char == ',').into_iter();
    let rest = attributes.filter_map(|attribute| attribute.trim().strip_prefix("script"));
    let rest = rest.map(str::trim).find(|rest| rest.is_empty() || rest.starts_with('('))?;
    let words = texts(rest.trim_matches(['(', ')']));
    Some(if words.is_empty() { "sh -eu".to_owned() } else { words.join(" ") })
}

/// Returns the literal commands of calls of `shell`.
fn shell_calls(expression: &str) -> impl Iterator<Item = &str> {
    let calls = expression.split("shell(").skip(1);
    calls.filter_map(|call| {
        let quote = call.chars().next().filter(|char| matches!(char, '"' | '\''))?;
        call.split(quote).nth(1)
    })
}

/// Writes `--set NAME VALUE` as `NAME=VALUE`.
pub(in crate::walk) fn with_plain_settings(words: &[Word]) -> Vec<Word> {
    let mut found = Vec::with_capacity(words.len());
    let mut rest = words;
    loop {
        rest = match rest {
            [] => return found,
            [option, name, value, behind @ ..] if option.text == "--set" => {
                found.push(Word { text: format!("{}={}", name.text, value.text), ..value.clone() });
                behind
            }
            [word, behind @ ..] => {
                found.push(word.clone());
                behind
            }
        };
    }
}

/// Quotes code as one line of shell.
fn on_one_line(code: &str) -> String {
    format!("$'{}'", code.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::expand::literal;

    #[test]
    fn recipes_become_lines_of_a_makefile() {
        for (text, call, expected) in [
            ("@a:\n  x\n", "a", "\tx\n"),
            ("a:\n  x\nb:\n  y\nalias c := b\n", "c", "\ty\n"),
            ("[no-cd]\n@a: b\n  x\nb:\n  y\n", "", "\ty\n\tx\n"),
            ("v := `x`\na:\n", "a", "_ != x\n"),
            ("v := 'x'\na:\n  {{v}} {{w}}\n", "a", "\tx {{w}}\n"),
            ("v := 'x'\na:\n  {{v}}\n", "v=y a", "\ty\n"),
            ("a b c='d' *e:\n  {{b}} {{c}} {{e}}\n", "a 1", "\t1 d \n"),
            ("a *e:\n  x {{e}}\n", "a --b ;c", "\tx --b ;c\n"),
            ("a: (b 'c')\nb d='e':\n  {{d}}\n", "a", "\t{{d}}\n"),
            ("a:\n  #!/bin/bash\n  if x\n    y\n", "a", "\t/bin/bash <<< $'#!/bin/bash\\nif x\\n  y'\n"),
            ("[script('python3')]\na:\n  x\n", "a", "\tpython3 <<< $'x'\n"),
            ("set shell := ['python3', '-c']\na:\n  x y\n", "a", "\tpython3 -c 'x y'\n"),
            ("set shell := ['bash', '-c']\na:\n  x \\\n  y\n", "a", "\tx y\n"),
        ] {
            let words: Vec<Word> = call.split_whitespace().map(literal).collect();
            let goals: Vec<&str> = call.split_whitespace().filter(|word| !word.contains('=')).collect();
            assert_eq!(recipes_of_just(text, &words, &goals).text, expected, "{text} {call}");
        }
    }
}

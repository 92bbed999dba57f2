//! Infers the shapes of an expression's parts from the document of a call, and finds names and values that no call can
//! have.
//!
//! Values that vary between calls, such as a tool's input, are never rejected.

use cel::IdedExpr;
use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};
use policy_input_document::{Shape, unknown_name};

/// The macros that bind a name.
const MACROS: [&str; 5] = ["all", "exists", "exists_one", "filter", "map"];

/// The invalid word, and the error.
pub(crate) type Broken = (String, String);

/// Returns the first key, value or macro that can't work.
pub(crate) fn find_broken(expression: &IdedExpr) -> Option<Broken> {
    Scope::default().check_expression(expression)
}

/// The names that macros bind around an expression, innermost last.
#[derive(Default)]
struct Scope<'a> {
    bound: Vec<(&'a str, Option<Shape>)>,
}

impl<'a> Scope<'a> {
    fn check_expression(&mut self, expression: &'a IdedExpr) -> Option<Broken> {
        match &expression.expr {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => None,
            Expr::Select(select) => {
                self.check_expression(&select.operand).or_else(|| self.key(&select.operand, &select.field))
            }
            Expr::List(list) => list.elements.iter().find_map(|element| self.check_expression(element)),
            Expr::Map(map) => map.entries.iter().find_map(|entry| self.check_entry(&entry.expr)),
            Expr::Struct(of) => of.entries.iter().find_map(|entry| self.check_entry(&entry.expr)),
            Expr::Comprehension(of) => {
                let broken = self.check_expression(&of.iter_range).or_else(|| self.check_expression(&of.accu_init));
                broken.or_else(|| {
                    self.within(of, |scope| {
                        [&of.loop_cond, &of.loop_step, &of.result]
                            .into_iter()
                            .find_map(|part| scope.check_expression(part))
                    })
                })
            }
            Expr::Call(call) => {
                let (name, target) = (call.func_name.as_str(), call.target.as_deref());
                // The variable of an unknown macro isn't bound, so it looks like a value.
                if let (Some(_), [IdedExpr { expr: Expr::Ident(_), .. }, _, ..]) = (target, call.args.as_slice())
                    && let Some(meant) = misspelt_macro(name)
                {
                    return Some((name.to_owned(), unknown_name("macro", name, &[meant])));
                }
                let parts = || target.into_iter().chain(&call.args);
                parts().find_map(|part| self.check_expression(part)).or_else(|| {
                    match (name, target, call.args.as_slice()) {
                        (operators::EQUALS | operators::NOT_EQUALS, None, [one, other]) => {
                            self.check_comparison(one, other).or_else(|| self.check_comparison(other, one))
                        }
                        (operators::IN, None, [value, IdedExpr { expr: Expr::List(list), .. }]) => {
                            list.elements.iter().find_map(|element| self.check_comparison(value, element))
                        }
                        (operators::INDEX, None, [of, key]) => self.key(of, text(key)?),
                        ("startsWith", Some(value), [start]) => {
                            let start = text(start)?;
                            Some((start.to_owned(), self.shape(value)?.refuse_start(start)?))
                        }
                        ("matches", Some(value), [pattern]) => {
                            let pattern = text(pattern)?;
                            Some((pattern.to_owned(), self.shape(value)?.refuse_pattern(pattern)?))
                        }
                        _ => None,
                    }
                })
            }
        }
    }

    fn check_entry(&mut self, entry: &'a EntryExpr) -> Option<Broken> {
        match entry {
            EntryExpr::StructField(field) => self.check_expression(&field.value),
            EntryExpr::MapEntry(entry) => {
                self.check_expression(&entry.key).or_else(|| self.check_expression(&entry.value))
            }
        }
    }

    /// Checks a key of the value `of`.
    fn key(&mut self, of: &'a IdedExpr, key: &str) -> Option<Broken> {
        let known = self.shape(of)?.key(key).err()?;
        Some((key.to_owned(), unknown_name("name", key, &known)))
    }

    /// Checks a literal that is compared with a value, and returns it if they can never be equal.
    fn check_comparison(&mut self, value: &'a IdedExpr, other: &'a IdedExpr) -> Option<Broken> {
        let other = text(other)?;
        Some((other.to_owned(), self.shape(value)?.refuse(other)?))
    }

    /// Runs `act` with the names of a comprehension bound.
    fn within<T>(&mut self, of: &'a ComprehensionExpr, act: impl FnOnce(&mut Self) -> T) -> T {
        let element = self.shape(&of.iter_range).and_then(|list| list.element());
        let before = self.bound.len();
        // With two variables, the first one is an index or a key.
        match &of.iter_var2 {
            Some(second) => self.bound.extend([(of.iter_var.as_str(), None), (second.as_str(), element)]),
            None => self.bound.push((&of.iter_var, element)),
        }
        self.bound.push((&of.accu_var, None));
        let result = act(self);
        self.bound.truncate(before);
        result
    }

    /// Returns the shape of an expression. `None` if it is unknown.
    fn shape(&mut self, expression: &'a IdedExpr) -> Option<Shape> {
        match &expression.expr {
            Expr::Ident(name) => match self.bound.iter().rev().find(|(bound, _)| bound == name) {
                Some((_, shape)) => shape.clone(),
                None => Shape::document().key(name).ok()?,
            },
            Expr::Select(select) if !select.test => self.shape(&select.operand)?.key(&select.field).ok()?,
            Expr::Call(call) if call.func_name == operators::INDEX => {
                let [of, key] = call.args.as_slice() else { return None };
                let of = self.shape(of)?;
                of.element().or_else(|| of.key(text(key)?).ok()?)
            }
            // `map` and `filter` append the elements to a list.
            Expr::Comprehension(of) => {
                let element = appended_element(&of.loop_step)?;
                let element = self.within(of, |scope| scope.shape(element))?;
                Some(Shape::List(Box::new(element)))
            }
            _ => None,
        }
    }
}

/// Returns the element that a step of `map` or `filter` appends.
fn appended_element(step: &IdedExpr) -> Option<&IdedExpr> {
    let Expr::Call(call) = &step.expr else { return None };
    match (call.func_name.as_str(), call.args.as_slice()) {
        (operators::CONDITIONAL, [_, then, _]) => appended_element(then),
        (operators::ADD, [_, IdedExpr { expr: Expr::List(list), .. }]) => list.elements.first(),
        _ => None,
    }
}

/// Returns a string literal.
fn text(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

/// Returns the macro with a similar name.
fn misspelt_macro(name: &str) -> Option<&'static str> {
    let near = |known: &&str| known.starts_with(name) || name.starts_with(*known);
    MACROS.into_iter().filter(|known| *known != name && name.len() > 2).find(near)
}

#[cfg(test)]
mod tests {
    use cel::parser::PrattParser;

    use super::*;

    fn word(text: &str) -> Option<String> {
        find_broken(&PrattParser::new().parse(text).unwrap()).map(|(word, _)| word)
    }

    #[test]
    fn a_name_or_value_that_no_call_has_is_found_behind_macros() {
        for (text, expected) in [
            ("analysis.comands.size() > 0", "comands"),
            ("has(analysis.comands)", "comands"),
            ("analysis['comands'].size() > 0", "comands"),
            ("analysis.effects.exists(e, e.operaton == 'x')", "operaton"),
            ("analysis.effects[0].path.canonicl == ''", "canonicl"),
            ("analysis.commands.filter(c, c.certain).map(c, c.agv)[0] == []", "agv"),
            ("analysis.commands.map(c, c.words).exists(w, w[0].txt == '')", "txt"),
            ("analysis.commands.exist(c, c.program == 'curl')", "exist"),
            ("analysis.effects.exists(e, e.operation == 'package.instal')", "package.instal"),
            ("analysis.effects.exists(e, 'package.instal' != e.operation)", "package.instal"),
            ("analysis.effects.exists(e, e.operation.startsWith('git.psuh.'))", "git.psuh."),
            ("analysis.effects.exists(e, e.operation.matches('^git[.]psuh'))", "^git[.]psuh"),
            ("analysis.effects.exists(e, e.kind == 'packge')", "packge"),
            ("analysis.effects.exists(e, e.tags.manger == 'npm')", "manger"),
            ("history.exists(h, h.kind in ['dennied'])", "dennied"),
            ("tool in ['Write', 'Eidt']", "Eidt"),
            ("tool == 'bash' || false", "bash"),
            ("analysis.commands.exists(c, c.program == 'npm install')", "npm install"),
            ("analysis.commands.exists(c, c.program in ['npm', '/bin/sh'])", "/bin/sh"),
            ("analysis.effects.exists(e, e.path.canonical.startsWith('db/'))", "db/"),
            ("input.comand == 'ls'", "comand"),
            ("{'a': [context.pwd]}.a == []", "pwd"),
        ] {
            assert_eq!(word(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "analysis.effects.exists(e, has(e.tags.remote) && e.tags.remote == 'origin')",
            "analysis.effects.exists(e, data.anything.exists(e, e.x == 'y'))",
            "data.commands.exists(c, c.agv == 'x')",
            "analysis.effects.exists(e, e.operation.matches('^(git|teapot)[.]') && e.kind == 'quantum')",
            "analysis.effects.exists(e, e.path.kind == 'packge' && e.tags.remotes == '')",
            "tool == 'mcp__box__run' || tool == 'Frobnicate' || 'x' in [tool]",
            "input.commands == [] && input.filepath == '' && 'comand' in input",
            "analysis.commands.exists(c, c.program == 'npm' && 'install' in c.argv)",
            "analysis.effects.exists(e, e.path.project_relative.startsWith('db/') || e.target.startsWith('db/'))",
            "tool.replace(tool, 'bash') == 'bash' && input.command == 'bash'",
            "[{'operaton': 1}].exists(e, e.operaton == 1)",
        ] {
            assert_eq!(word(text), None, "{text}");
        }
    }
}

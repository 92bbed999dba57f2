//! The names in a text: each function must be there, each key that is asked for by name must be in the document or in
//! the data, and each pattern that is written out must compile.
//!
//! The engine finds the first and the last only when it comes to the call, which may be at the one command that a rule is
//! for; a key that is not there it takes for false.

use policy_input_document::{KEYS, keys_of};
use regex::RegexBuilder;
use regorus::unstable::{BUILTINS, Expr, Literal, Module, Query, Ref, Rule, RuleAssign, RuleHead, Span};

/// The size limit of the engine for a compiled pattern.
const PATTERN_BYTES: usize = 100 << 10;

/// Functions that take a regular expression, and at which place.
const PATTERNS: [(&str, usize); 5] = [
    ("regex.find_all_string_submatch_n", 0),
    ("regex.find_n", 0),
    ("regex.match", 0),
    ("regex.replace", 1),
    ("regex.split", 0),
];

/// The first name or call that cannot work: where, and why. `data` has the keys of the data.
pub(crate) fn first_broken(modules: &[Ref<Module>], data: Vec<String>) -> Option<(Span, String)> {
    let mut own = Vec::new();
    for rule in modules.iter().flat_map(|module| &module.policy) {
        if let Rule::Spec { head: RuleHead::Func { refr, .. }, .. } = rule.as_ref() {
            own.extend(path(refr));
        }
    }
    let mut calls = Calls { own, data, found: None };
    for module in modules {
        calls.all(module.imports.iter().map(|import| &import.refr));
        module.policy.iter().for_each(|rule| calls.rule(rule));
    }
    calls.found
}

/// `a.b.c`, as a call names a function.
fn path(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Var { span, .. } => Some(span.text().to_owned()),
        Expr::RefDot { refr, field, .. } => Some(format!("{}.{}", path(refr)?, field.0.text())),
        _ => None,
    }
}

struct Calls {
    /// The functions of the text.
    own: Vec<String>,
    /// What stands below `data`.
    data: Vec<String>,
    found: Option<(Span, String)>,
}

impl Calls {
    fn rule(&mut self, rule: &Rule) {
        match rule {
            Rule::Default { value, args, .. } => {
                self.all(args);
                self.expression(value);
            }
            Rule::Spec { head, bodies, .. } => {
                match head {
                    RuleHead::Compr { refr, assign, .. } => {
                        self.expression(refr);
                        self.assign(assign.as_ref());
                    }
                    RuleHead::Set { refr, key, .. } => {
                        self.expression(refr);
                        self.all(key);
                    }
                    RuleHead::Func { args, assign, .. } => {
                        self.all(args);
                        self.assign(assign.as_ref());
                    }
                }
                for body in bodies {
                    self.assign(body.assign.as_ref());
                    self.query(&body.query);
                }
            }
        }
    }

    fn assign(&mut self, assign: Option<&RuleAssign>) {
        self.all(assign.map(|assign| &assign.value));
    }

    fn query(&mut self, query: &Query) {
        for statement in &query.stmts {
            match &statement.literal {
                Literal::SomeVars { .. } => {}
                Literal::SomeIn { key, value, collection, .. } => self.all(key.iter().chain([value, collection])),
                Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => self.expression(expr),
                Literal::Every { domain, query, .. } => {
                    self.expression(domain);
                    self.query(query);
                }
            }
            self.all(statement.with_mods.iter().map(|with| &with.r#as));
        }
    }

    fn all<'a>(&mut self, expressions: impl IntoIterator<Item = &'a Ref<Expr>>) {
        expressions.into_iter().for_each(|expression| self.expression(expression));
    }

    fn expression(&mut self, expression: &Expr) {
        match expression {
            Expr::Call { span, fcn, params, .. } => {
                if let Some(name) = path(fcn) {
                    self.call(span, &name, params);
                }
                self.all(params);
            }
            Expr::Array { items, .. } | Expr::Set { items, .. } => self.all(items),
            Expr::Object { fields, .. } => self.all(fields.iter().flat_map(|(_, key, value)| [key, value])),
            Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => {
                self.expression(term);
                self.query(query);
            }
            Expr::ObjectCompr { key, value, query, .. } => {
                self.all([key, value]);
                self.query(query);
            }
            Expr::UnaryExpr { expr, .. } => self.expression(expr),
            Expr::RefDot { refr, field, .. } => {
                if let Some(path) = path(refr) {
                    self.key(&path, &field.0);
                }
                self.expression(refr);
            }
            Expr::RefBrack { refr, index, .. } => self.all([refr, index]),
            Expr::BinExpr { lhs, rhs, .. }
            | Expr::BoolExpr { lhs, rhs, .. }
            | Expr::ArithExpr { lhs, rhs, .. }
            | Expr::AssignExpr { lhs, rhs, .. } => self.all([lhs, rhs]),
            Expr::Membership { key, value, collection, .. } => self.all(key.iter().chain([value, collection])),
            Expr::String { .. }
            | Expr::RawString { .. }
            | Expr::Number { .. }
            | Expr::Bool { .. }
            | Expr::Null { .. }
            | Expr::Var { .. } => {}
        }
    }

    /// A key of what `path` names.
    fn key(&mut self, path: &str, key: &Span) {
        let known: Vec<String> = match path {
            "data" => self.data.clone(),
            "input" => KEYS.map(str::to_owned).into(),
            _ => path.strip_prefix("input.").map(keys_of).unwrap_or_default(),
        };
        if self.found.is_none() && !known.is_empty() && !known.iter().any(|name| name == key.text()) {
            let known = known.join("`, `");
            self.found = Some((key.clone(), format!("unknown name `{}`, expected one of `{known}`", key.text())));
        }
    }

    fn call(&mut self, span: &Span, name: &str, params: &[Ref<Expr>]) {
        if self.found.is_some() {
            return;
        }
        let local = name.strip_prefix("data.guard.").unwrap_or(name);
        let is_known = name == "print" || BUILTINS.contains_key(name) || self.own.iter().any(|own| own == local);
        if !is_known {
            self.found = Some((span.clone(), format!("could not find function {name}")));
            return;
        }
        let place = PATTERNS.iter().find(|(function, _)| *function == name).map(|(_, place)| *place);
        let Some(parameter) = place.and_then(|place| params.get(place)) else { return };
        let (Expr::String { span, value, .. } | Expr::RawString { span, value, .. }) = parameter.as_ref() else {
            return;
        };
        let Ok(pattern) = value.as_string() else { return };
        if let Err(error) = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build() {
            let why = error.to_string();
            let why = why.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            let why = why.trim().trim_start_matches("error: ");
            self.found = Some((span.clone(), format!("`{pattern}` is no regular expression here: {why}")));
        }
    }
}

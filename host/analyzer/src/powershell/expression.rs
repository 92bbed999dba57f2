//! PowerShell expressions: their known values, and the commands that run during evaluation.

use super::dotnet::{self, Receiver};
use super::strings::{DOUBLE, SINGLE};
use super::values::{Piece, Text, Value};
use super::{ITEM, Reader};

/// Operators consisting of signs, longest first.
const OPERATORS: &[&str] = &["..", "??", "+", "-", "*", "/", "%", "?", ":"];

impl Reader<'_> {
    /// Reads an expression up to its end. `commas`: whether a comma makes a list instead of ending the expression.
    pub(super) fn expression(&mut self, commas: bool) -> Value {
        self.deeper(|reader| reader.operands(commas))
    }

    fn operands(&mut self, commas: bool) -> Value {
        let mut left = self.unary();
        loop {
            self.cursor.blanks();
            if commas && self.cursor.peek() == Some(',') {
                self.cursor.next();
                self.cursor.lines();
                let right = self.unary();
                left.code.extend(right.code);
                left.code.extend(right.block);
                left.words.extend(right.words);
                left.table = None;
                continue;
            }
            let Some(operator) = self.operator() else { return left };
            self.cursor.lines();
            let right = if commas { self.unary_list() } else { self.unary() };
            left = combined(&operator, left, right);
        }
    }

    /// Reads operands separated by commas, which bind more tightly than operators.
    fn unary_list(&mut self) -> Value {
        let mut value = self.unary();
        loop {
            self.cursor.blanks();
            if self.cursor.peek() != Some(',') {
                return value;
            }
            self.cursor.next();
            self.cursor.lines();
            let next = self.unary();
            value.code.extend(next.code);
            value.words.extend(next.words);
        }
    }

    /// Reads a binary operator.
    fn operator(&mut self) -> Option<String> {
        if self.cursor.starts_with("-") {
            let word = self.cursor.rest().get(1..).unwrap_or_default();
            let end = word.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(word.len());
            if end > 0 {
                let name = word.get(..end).unwrap_or_default().to_lowercase();
                self.cursor.eat("-");
                self.cursor.take_while(|char| char.is_ascii_alphabetic());
                return Some(name);
            }
        }
        if self.cursor.starts_with("++") || self.cursor.starts_with("--") {
            self.cursor.next();
            self.cursor.next();
            return self.operator();
        }
        OPERATORS.iter().find(|operator| self.cursor.eat(operator)).map(|operator| (*operator).to_owned())
    }

    fn unary(&mut self) -> Value {
        let mut negated = false;
        loop {
            self.cursor.blanks();
            let is_word = |name: &str| {
                self.cursor.rest().get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                    && !self.cursor.rest().get(name.len()..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
            };
            let word =
                ["-not", "-bnot", "-join", "-split", "-isplit", "-csplit"].into_iter().find(|name| is_word(name));
            if let Some(word) = word {
                self.cursor.eat(self.cursor.rest().get(..word.len()).unwrap_or_default());
            } else if !["++", "--", "!", "+", "-", ","].iter().any(|sign| self.cursor.eat(sign)) {
                break;
            }
            negated = true;
        }
        let value = self.primary();
        if negated && value.literal().is_none() { Value::opaque(vec![value]) } else { value }
    }

    fn primary(&mut self) -> Value {
        self.cursor.blanks();
        let Some(first) = self.cursor.peek() else { return Value::default() };
        let value = if let Some(text) = self.here_string() {
            Value::of(text)
        } else if SINGLE.contains(&first) {
            self.cursor.next();
            Value::of(self.single())
        } else if DOUBLE.contains(&first) {
            self.cursor.next();
            Value::of(self.double())
        } else {
            match first {
                '$' => {
                    self.cursor.next();
                    self.dollar().unwrap_or_else(Value::unknown)
                }
                '(' => {
                    self.cursor.next();
                    self.parenthesis()
                }
                '@' => self.at_sign(),
                '{' => {
                    self.cursor.next();
                    self.block()
                }
                '[' => return self.type_first(),
                _ => self.number_or_word(),
            }
        };
        self.postfix(value)
    }

    fn number_or_word(&mut self) -> Value {
        let word = self.cursor.take_while(|char| char.is_alphanumeric() || matches!(char, '_' | '.'));
        if word.is_empty() {
            return Value::default();
        }
        if !word.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            self.partial("a word of PowerShell stands where a value belongs");
        }
        Value::of(Text::quoted(word))
    }

    /// Reads `@( ... )`, `@{ ... }` or `@name`.
    pub(super) fn at_sign(&mut self) -> Value {
        self.cursor.next();
        if self.cursor.eat("(") {
            return self.parenthesis();
        }
        if self.cursor.eat("{") {
            return self.hash_table();
        }
        let name = self.cursor.take_while(|char| char.is_alphanumeric() || char == '_').to_lowercase();
        Value { table: self.tables.get(&name).cloned(), splat: Some(name), ..Value::default() }
    }

    /// Reads the content of parentheses, after the opening one.
    pub(super) fn parenthesis(&mut self) -> Value {
        self.cursor.lines();
        let value = self.deeper(|reader| reader.sequence_value(')'));
        if self.cursor.before() != Some(')') {
            self.cursor.lines();
            if !self.cursor.eat(")") {
                self.partial("a parenthesis of PowerShell has no end");
            }
        }
        value
    }

    /// Reads statements, and returns their values.
    fn sequence_value(&mut self, end: char) -> Value {
        let mut values = Vec::new();
        loop {
            self.separators();
            match self.cursor.peek() {
                None => break,
                Some(char) if char == end => {
                    self.cursor.next();
                    break;
                }
                Some(_) => {}
            }
            let at = self.cursor.at();
            values.push(self.statement_value());
            if self.cursor.at() == at {
                self.partial("a piece of PowerShell is not understood");
                self.cursor.next();
            }
        }
        let mut values = values.into_iter();
        let Some(mut result) = values.next() else { return Value::default() };
        for value in values {
            result.code.extend(value.code);
            result.code.extend(value.block);
            result.words.extend(value.words);
        }
        result
    }

    /// Reads `{ ... }`, after the brace.
    pub(super) fn block(&mut self) -> Value {
        let code = self.deeper(|reader| reader.body());
        Value { block: Some(code), ..Value::default() }
    }

    /// Reads `@{ key = value; ... }`, after the brace.
    fn hash_table(&mut self) -> Value {
        let mut table = Vec::new();
        loop {
            self.separators();
            if self.cursor.eat("}") {
                break;
            }
            if self.cursor.peek().is_none() {
                self.partial("a hash table of PowerShell has no end");
                break;
            }
            let at = self.cursor.at();
            let is_name = |char: char| char.is_alphanumeric() || char == '_';
            let key = match self.cursor.peek() {
                Some(first) if is_name(first) => Value::of(Text::quoted(self.cursor.take_while(is_name))),
                _ => self.primary(),
            };
            self.cursor.lines();
            if self.cursor.eat("=") {
                self.cursor.lines();
                let value = self.statement_value();
                let name = key.literal().unwrap_or_default().to_lowercase();
                table.push((name, value));
            }
            if self.cursor.at() == at {
                self.partial("a piece of PowerShell is not understood");
                self.cursor.next();
            }
        }
        Value { words: vec![Text::unknown()], table: Some(table), ..Value::default() }
    }

    /// Reads `[type]::Member` or `[type]value`.
    fn type_first(&mut self) -> Value {
        let start = self.cursor.at();
        self.cursor.next();
        let name = self.cursor.take_while(|char| char.is_alphanumeric() || "._+".contains(char)).to_owned();
        if !self.cursor.eat("]") {
            // `[int[]]`, `[Parameter(...)]`.
            self.cursor.back_to(start);
            self.cursor.skip_balanced();
        }
        self.cursor.blanks();
        if self.cursor.starts_with("::") {
            let value = Value { type_name: Some(super::types::plain_name(&name)), ..Value::default() };
            return self.postfix(value);
        }
        let casts = self.cursor.peek().is_some_and(|char| {
            "$('\"@[{".contains(char) || char.is_alphanumeric() || DOUBLE.contains(&char) || SINGLE.contains(&char)
        });
        if !casts {
            return Value { type_name: Some(super::types::plain_name(&name)), ..Value::default() };
        }
        let mut value = self.deeper(Self::primary);
        if super::types::is_file(&name) || name.eq_ignore_ascii_case("wmiclass") {
            value.type_name = Some(super::types::plain_name(&name));
        }
        value
    }

    /// Reads the members, elements and calls after a value.
    pub(super) fn postfix(&mut self, mut value: Value) -> Value {
        loop {
            let is_static = self.cursor.starts_with("::");
            if is_static || self.starts_member() {
                if !is_static && self.cursor.peek() == Some('?') {
                    self.cursor.next();
                }
                self.cursor.eat(if is_static { "::" } else { "." });
                value = self.member(value, is_static);
            } else if self.cursor.peek() == Some('[') && !value.words.is_empty() {
                self.cursor.next();
                let index = self.expression(true);
                self.cursor.lines();
                if !self.cursor.eat("]") {
                    self.partial("a bracket of PowerShell has no end");
                }
                value = element(value, index);
            } else if !self.cursor.eat("++") && !self.is_decrement() {
                return value;
            }
        }
    }

    fn is_decrement(&mut self) -> bool {
        let behind = self.cursor.rest().strip_prefix("--");
        let ends = behind.is_some_and(|rest| !rest.starts_with(|char: char| char.is_alphanumeric()));
        ends && self.cursor.eat("--")
    }

    fn starts_member(&self) -> bool {
        let rest = self.cursor.rest();
        let rest = rest.strip_prefix('?').unwrap_or(rest);
        let Some(name) = rest.strip_prefix('.') else { return false };
        name.starts_with(|first: char| first.is_alphabetic() || "_$'\"({".contains(first))
    }

    fn member(&mut self, value: Value, is_static: bool) -> Value {
        let name = match self.cursor.peek() {
            Some('$') => {
                self.cursor.next();
                self.variable_name().map(|_| String::new())
            }
            Some('\'') => {
                self.cursor.next();
                self.single().literal()
            }
            Some('"') => {
                self.cursor.next();
                self.double().literal()
            }
            _ => Some(self.cursor.take_while(|char| char.is_alphanumeric() || char == '_').to_owned()),
        };
        let name = name.unwrap_or_default().to_lowercase();
        if !self.cursor.eat("(") {
            // `.ForEach{ }`, `.Where{ }`.
            if self.cursor.peek() == Some('{') && matches!(name.as_str(), "foreach" | "where") {
                self.cursor.next();
                let block = self.block();
                return self.called(value, &name, vec![block], is_static);
            }
            return property(value, &name);
        }
        let arguments = self.arguments();
        self.called(value, &name, arguments, is_static)
    }

    /// Reads the arguments of a call, after the parenthesis.
    fn arguments(&mut self) -> Vec<Value> {
        let mut arguments = Vec::new();
        loop {
            self.cursor.lines();
            if self.cursor.eat(")") {
                return arguments;
            }
            if self.cursor.peek().is_none() {
                self.partial("a parenthesis of PowerShell has no end");
                return arguments;
            }
            let at = self.cursor.at();
            arguments.push(self.expression(false));
            self.cursor.lines();
            self.cursor.eat(",");
            if self.cursor.at() == at {
                self.partial("a piece of PowerShell is not understood");
                self.cursor.next();
            }
        }
    }

    fn called(&mut self, value: Value, name: &str, arguments: Vec<Value>, is_static: bool) -> Value {
        if let Some(block) = value.block.clone().filter(|_| name.starts_with("invoke")) {
            let mut result = Value::opaque(arguments);
            result.code.extend(value.code);
            result.code.push(block);
            return result;
        }
        if matches!(name, "foreach" | "where") {
            let mut result = value.clone();
            for argument in arguments {
                let body = argument.block.clone().or_else(|| {
                    argument
                        .literal()
                        .map(|method| dotnet::method(&Value::of(item()), &method.to_lowercase(), &[]).code)
                });
                if let Some(body) = body {
                    result.code.push(super::pipeline::for_each(&value.words, &body));
                }
            }
            return result;
        }
        let receiver =
            if is_static { Receiver::Type(value.type_name.clone().unwrap_or_default()) } else { Receiver::Object };
        let call = match receiver {
            Receiver::Type(type_name) => dotnet::static_call(&type_name, name, &arguments),
            Receiver::Object => dotnet::method(&value, name, &arguments),
        };
        if let Some(reason) = call.reason {
            self.partial(reason);
        }
        let used = format!("{}{}", call.code, call.output);
        let mut result = match (call.words, call.output) {
            (Some(words), _) => Value { words, type_name: call.type_name, ..Value::default() },
            (None, output) if !output.is_empty() => Value::of(Text::of(Piece::Output(output))),
            _ => Value::unknown(),
        };
        if call.is_text_run {
            result.block = Some(call.code);
        } else if !call.code.is_empty() {
            result.code.push(call.code);
        }
        let mut rest = Value::default();
        rest.absorb(value);
        arguments.into_iter().for_each(|argument| rest.absorb(argument));
        let is_many = rest.code.len() > super::cmdlets::MANY;
        result.code.extend(rest.code.into_iter().filter(|code| is_many || !used.contains(code.as_str())));
        result
    }
}

pub(super) fn item() -> Text {
    Text::of(Piece::Variable(ITEM.to_owned()))
}

/// Returns the value of a member that isn't a call.
fn property(value: Value, name: &str) -> Value {
    // These properties of a file are still its path.
    let keeps = matches!(
        name,
        "fullname" | "path" | "pspath" | "providerpath" | "value" | "source" | "name" | "content" | "password"
    );
    if keeps || value.type_name.is_some() && value.words.is_empty() {
        return Value { type_name: value.type_name.clone(), ..value };
    }
    if let Some(found) = value.table.as_ref().and_then(|table| table.iter().find(|(key, _)| key == name)) {
        return found.1.clone();
    }
    let mut result = Value::opaque(vec![value]);
    result.type_name = None;
    result
}

fn element(value: Value, index: Value) -> Value {
    let at = index.literal().and_then(|index| index.parse::<usize>().ok());
    let known = value.words.len() > 1;
    if let Some(word) = at.filter(|_| known).and_then(|at| value.words.get(at)) {
        return Value { words: vec![word.clone()], code: value.code.clone(), ..Value::default() };
    }
    Value::opaque(vec![value, index])
}

/// Returns the result of an operator on two values.
fn combined(operator: &str, left: Value, right: Value) -> Value {
    let joins = matches!(operator, "+" | "f" | "join");
    if operator == "+" && left.words.len() == 1 && right.words.len() == 1 {
        let mut result = left;
        result.code.extend(right.code);
        if let (Some(word), Some(more)) = (result.words.first_mut(), right.words.into_iter().next()) {
            word.pieces.extend(more.pieces);
        }
        return result;
    }
    if operator == "join"
        && let (false, Some(between)) = (left.words.is_empty(), right.literal())
    {
        let mut pieces = Vec::new();
        for word in left.words {
            if !pieces.is_empty() {
                pieces.push(Piece::Quoted(between.clone()));
            }
            pieces.extend(word.pieces);
        }
        return Value { words: vec![Text { pieces }], code: left.code, ..Value::default() };
    }
    if operator == "f"
        && let Some(template) = left.literal()
    {
        return formatted(&template, right);
    }
    if joins && operator == "+" {
        let mut result = left;
        result.code.extend(right.code);
        result.words.extend(right.words);
        return result;
    }
    Value::opaque(vec![left, right])
}

/// Evaluates `'... {0} ...' -f values`.
fn formatted(template: &str, values: Value) -> Value {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        pieces.push(Piece::Quoted(before.to_owned()));
        let (inner, tail) = behind.split_once('}').unwrap_or((behind, ""));
        let digits = inner.split([',', ':']).next().unwrap_or_default();
        let word = digits.parse::<usize>().ok().and_then(|index| values.words.get(index));
        pieces.extend(word.cloned().unwrap_or_else(Text::unknown).pieces);
        rest = tail;
    }
    pieces.push(Piece::Quoted(rest.to_owned()));
    Value { words: vec![Text { pieces }], code: values.code, ..Value::default() }
}

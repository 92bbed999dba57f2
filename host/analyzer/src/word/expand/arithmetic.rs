//! Arithmetic that the text itself determines: numbers, and variables with a numeric value.

use super::Values;

/// The maximum number of evaluated operators and parentheses.
const MOST: usize = 64;

/// Returns the value of an expression with `+ - * / %` and parentheses. `None` if it depends on unknown values.
pub(crate) fn evaluate(text: &str, values: &dyn Values) -> Option<i64> {
    let mut expression = Expression { rest: text.trim(), values, left: MOST };
    let value = expression.sum()?;
    expression.rest.is_empty().then_some(value)
}

/// Returns the expression in the source of `$((...))` or `$[...]`.
pub(super) fn inner(source: &str) -> Option<&str> {
    let double = source.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))"));
    double.or_else(|| source.strip_prefix("$[")?.strip_suffix(']'))
}

struct Expression<'t> {
    rest: &'t str,
    values: &'t dyn Values,
    left: usize,
}

impl Expression<'_> {
    fn step(&mut self, operators: &[char]) -> Option<char> {
        let found = self.rest.chars().next().filter(|char| operators.contains(char))?;
        self.rest = self.rest.get(1..)?.trim_start();
        self.left = self.left.saturating_sub(1);
        Some(found)
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        while let Some(operator) = self.step(&['+', '-']) {
            let other = self.product()?;
            value = if operator == '+' { value.checked_add(other)? } else { value.checked_sub(other)? };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.operand()?;
        while let Some(operator) = self.step(&['*', '/', '%']) {
            let other = self.operand()?;
            value = match operator {
                '*' => value.checked_mul(other)?,
                '/' => value.checked_div(other)?,
                _ => value.checked_rem(other)?,
            };
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<i64> {
        if self.left == 0 {
            return None;
        }
        match self.step(&['(', '-', '+']) {
            Some('(') => {
                let value = self.sum()?;
                self.step(&[')'])?;
                return Some(value);
            }
            Some('-') => return self.operand()?.checked_neg(),
            Some(_) => return self.operand(),
            None => {}
        }
        let rest = self.rest.strip_prefix('$').unwrap_or(self.rest);
        let (braced, rest) = rest.strip_prefix('{').map_or((false, rest), |rest| (true, rest));
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len());
        let (word, rest) = rest.split_at_checked(end)?;
        let rest = if braced { rest.strip_prefix('}')? } else { rest };
        self.rest = rest.trim_start();
        number(word).or_else(|| {
            let value = self.values.value(word).filter(|value| !value.dynamic)?;
            number(value.text.trim())
        })
    }
}

/// Parses a number like a shell: decimal, octal or hexadecimal.
fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8).ok(),
        None => text.parse().ok().filter(|_| !text.starts_with(['+', '-'])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::expand::NoVariables;

    #[test]
    fn constants_have_a_value() {
        for (text, expected) in [
            ("1+1", Some(2)),
            (" 2 * (3 - 1) ", Some(4)),
            ("-1+0x10", Some(15)),
            ("010", Some(8)),
            ("7/2%2", Some(1)),
            ("1/0", None),
            ("x", None),
            ("1 2", None),
            ("", None),
            ("a=1", None),
        ] {
            assert_eq!(evaluate(text, &NoVariables), expected, "{text}");
        }
    }

    #[test]
    fn a_long_expression_ends() {
        for text in ["(".repeat(5_000), "-".repeat(5_000), "1+".repeat(5_000)] {
            assert_eq!(evaluate(&text, &NoVariables), None);
        }
    }
}

//! Whether a text can be parsed and walked without running out of stack: the parser recurses, and the tree is as deep as
//! the text is nested. One pass over the tokens.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

/// Brackets, f-strings and indented blocks inside each other.
const NESTED: usize = 24;
/// Operators in a row of which each one takes all that follows.
const DEEP: usize = 24;
/// Calls, members and operators in one expression, of which each one holds all that stands before it.
const CHAIN: usize = 200;
/// Tokens in one text.
const TOKENS: usize = 60_000;

/// Counts between two brackets.
#[derive(Default)]
struct Level {
    deep: usize,
    chain: usize,
    lambda: bool,
}

/// The reason why the text is not parsed, if there is one.
pub(super) fn check(code: &str) -> Result<(), &'static str> {
    let mut lexer = lex(code, Mode::Module);
    let mut levels = vec![Level::default()];
    let mut indents = 0_usize;
    let mut after_operand = false;
    for _ in 0..TOKENS {
        let token = lexer.next_token();
        let Some(level) = levels.last_mut() else { return Ok(()) };
        match token {
            TokenKind::EndOfFile => return Ok(()),
            TokenKind::Indent => indents += 1,
            TokenKind::Dedent => indents = indents.saturating_sub(1),
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                level.chain += usize::from(after_operand);
                levels.push(Level::default());
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace | TokenKind::FStringEnd | TokenKind::TStringEnd => {
                levels.pop();
                if levels.is_empty() {
                    levels.push(Level::default());
                }
            }
            TokenKind::Newline => *level = Level::default(),
            TokenKind::Comma | TokenKind::Semi => {
                level.chain = 0;
                // The elements of a list are not inside each other; but a lambda may have several parameters.
                level.deep = if level.lambda { level.deep } else { 0 };
            }
            TokenKind::Lambda => {
                level.lambda = true;
                level.deep += 1;
            }
            TokenKind::Else | TokenKind::Not | TokenKind::Await | TokenKind::Yield => level.deep += 1,
            TokenKind::DoubleStar | TokenKind::Tilde | TokenKind::ColonEqual => level.deep += 1,
            TokenKind::Minus | TokenKind::Plus | TokenKind::Star if !after_operand => level.deep += 1,
            TokenKind::Dot => level.chain += 1,
            kind if kind.is_operator() => level.chain += 1,
            _ => {}
        }
        let over = levels.last().is_some_and(|level| level.deep > DEEP || level.chain > CHAIN);
        if over || levels.len() + indents > NESTED {
            return Err("the code is nested too deeply");
        }
        if token.is_trivia() {
            continue;
        }
        after_operand = matches!(
            token,
            TokenKind::Name
                | TokenKind::Rpar
                | TokenKind::Rsqb
                | TokenKind::Rbrace
                | TokenKind::Int
                | TokenKind::Float
                | TokenKind::Complex
                | TokenKind::String
                | TokenKind::FStringEnd
                | TokenKind::TStringEnd
        ) || token.is_soft_keyword()
            || matches!(token, TokenKind::True | TokenKind::False | TokenKind::None | TokenKind::Ellipsis);
    }
    Err("the code is too long")
}

//! The intermediate representation (IR) of scripts: the languages are lowered to it, and [`crate::eval`] evaluates it.
//!
//! It has what matters for effects and nothing else: an operation whose value is never known is [`Expression::Opaque`].
//! Trees are bounded in depth by the lowering, and a site is the address of a node, so that a tree stays where it is.

use std::rc::Rc;

/// A lowered text.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// The statements, unless the text can't be parsed at all.
    pub(crate) body: Option<Block>,
    /// Why the statements are not all of the text, if they aren't.
    pub(crate) reason: Option<&'static str>,
    /// Names and texts that the source writes with escapes.
    pub(crate) unescaped: String,
}

/// Statements in the order in which they run.
pub(crate) type Block = Vec<Statement>;

/// The name of the variable that holds the value of a script's last expression statement, if the language gives it to
/// `eval`.
pub(crate) const RESULT: &str = "#result";

/// The first character of names in a class's body that are its members, and no variables of the body.
pub(crate) const FIELD: char = '.';

/// The method that initializes an object of a class.
pub(crate) const INITIALIZER: &str = "__init__";

/// A statement.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    /// Evaluates an expression.
    Expression(Box<Expression>),
    /// Evaluates a value, and sets each target to it.
    Assign { targets: Vec<Expression>, value: Box<Expression> },
    /// Changes a target in place, as `+=` does.
    Update { target: Box<Expression>, operator: Operator, value: Box<Expression> },
    /// Forgets names, members and items.
    Delete(Vec<Expression>),
    /// Ends the function with a value.
    Return(Option<Box<Expression>>),
    /// Runs one of the branches. One without a test may run if no other does.
    If(Vec<Branch>),
    /// Runs the body for each element of a row.
    For { target: Box<Expression>, row: Box<Expression>, body: Block },
    /// Runs the body as long as the test holds. `first`: it runs once before the test. `setup` runs before each test.
    While { first: bool, setup: Block, test: Box<Expression>, body: Block },
    /// Enters contexts, which targets are set to, runs the body, and leaves them.
    With { contexts: Vec<(Expression, Option<Expression>)>, body: Block },
    /// Runs the body, then `otherwise` or a handler, and `finally` in any case.
    Try { body: Block, handlers: Vec<Branch>, otherwise: Block, finally: Block },
    /// Defines a function under a name.
    Function(Box<Function>),
    /// Defines a class under a name.
    Class(Box<Class>),
    /// Sets all names that a module has.
    ImportAll(String),
    /// Names that belong to the script.
    Global(Vec<String>),
    /// Names that belong to the function around.
    Nonlocal(Vec<String>),
    /// Ends the turn of the loop around.
    Break,
}

/// A branch of [`Statement::If`], or a handler of [`Statement::Try`], whose test is the class of what it handles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branch {
    pub(crate) test: Option<Expression>,
    pub(crate) body: Block,
}

/// A function. One without a name is an expression.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) decorators: Vec<Expression>,
    pub(crate) parameters: Parameters,
    pub(crate) body: Block,
}

/// The parameters of a function.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters {
    /// Those by place, then those by name alone.
    pub(crate) all: Vec<Parameter>,
    /// The number of those by place.
    pub(crate) by_place: usize,
    /// The parameters for the other arguments by place and by name.
    pub(crate) rest: Option<String>,
    pub(crate) named_rest: Option<String>,
}

/// A parameter.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) default: Option<Expression>,
}

/// A class.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    pub(crate) name: String,
    /// The classes that it inherits from, and options.
    pub(crate) bases: Arguments,
    /// Fields that are declared with their types, in their order.
    pub(crate) fields: Vec<String>,
    pub(crate) body: Block,
}

/// The arguments of a call. One by name without a name is a table of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments {
    pub(crate) values: Vec<Expression>,
    pub(crate) named: Vec<(Option<String>, Expression)>,
}

impl Arguments {
    /// The argument at a place, or by its name.
    pub(crate) fn get(&self, at: usize, name: &str) -> Option<&Expression> {
        let named = || self.named.iter().find(|(known, _)| known.as_deref() == Some(name)).map(|(_, value)| value);
        self.values.get(at).or_else(named)
    }
}

/// An operator between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitOr,
    BitXor,
    /// Any other, whose value is never known.
    Other,
}

/// An expression.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    /// A value that is never known, of which nothing is evaluated.
    Unknown,
    /// An expression that is nested too deeply to be lowered.
    TooDeep,
    /// A function that may do anything.
    Hidden,
    /// No value: `None`, `null` or `undefined`.
    None,
    Bool(bool),
    Int(i64),
    /// A number that is no integer.
    Float,
    /// A text, or bytes.
    Text(Rc<str>),
    /// A text that is put together of others and of values.
    Template(Vec<Expression>),
    /// The text of a value as the language writes it in code.
    Quoted(Box<Expression>),
    /// The value of a name.
    Name(String),
    /// Something of a library by its full name, whatever the names of the script are.
    Library(&'static str),
    /// A module by its name.
    Module(Rc<str>),
    /// A member by its name.
    Member(Box<Expression>, String),
    /// An item by its key.
    Index(Box<Expression>, Box<Expression>),
    /// A part of a row, from one place to another one, by steps.
    Slice(Box<Expression>, Box<[Option<Expression>; 3]>),
    /// A call.
    Call(Box<Expression>, Arguments),
    /// Operators between operands, from left to right.
    Binary(Box<Expression>, Vec<(Operator, Expression)>),
    /// A number with the other sign.
    Negate(Box<Expression>),
    /// One of the operands, as `and` and `or` give: all but the first may not be evaluated.
    Logical(Vec<Expression>),
    /// One of two values, after a test.
    Conditional(Box<[Expression; 3]>),
    /// The last of several values.
    Sequence(Vec<Expression>),
    /// Evaluates operands to a value that is never known.
    Opaque(Vec<Expression>),
    /// Sets a name, and has its value.
    Assign(String, Box<Expression>),
    /// A row that can be changed.
    List(Vec<Expression>),
    /// A row that can't be changed.
    Tuple(Vec<Expression>),
    /// A table of keys and values. A value without a key is another table.
    Table(Vec<(Option<Expression>, Expression)>),
    /// The elements of a row, inside another row or arguments.
    Spread(Box<Expression>),
    /// A function without a name.
    Function(Box<Function>),
    /// A row, or with a key a table, with an element for each turn of loops.
    Comprehension {
        loops: Vec<Loop>,
        key: Option<Box<Expression>>,
        element: Box<Expression>,
    },
    /// Gives a value to the loop that goes through the function.
    Yield(Option<Box<Expression>>),
    /// The same with each element of a row.
    YieldFrom(Box<Expression>),
}

/// A loop of [`Expression::Comprehension`].
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub(crate) target: Expression,
    pub(crate) row: Expression,
    pub(crate) tests: Vec<Expression>,
}

impl Expression {
    pub(crate) fn text(text: &str) -> Expression {
        Expression::Text(text.into())
    }

    pub(crate) fn member(self, name: &str) -> Expression {
        Expression::Member(Box::new(self), name.to_owned())
    }

    pub(crate) fn index(self, key: Expression) -> Expression {
        Expression::Index(Box::new(self), Box::new(key))
    }

    pub(crate) fn call(self, values: Vec<Expression>) -> Expression {
        Expression::Call(Box::new(self), Arguments { values, ..Arguments::default() })
    }

    pub(crate) fn is_spread(&self) -> bool {
        matches!(self, Expression::Spread(_))
    }

    /// With an operator and another operand behind it.
    pub(crate) fn binary(self, operator: Operator, right: Expression) -> Expression {
        match self {
            Expression::Binary(first, mut rest) => {
                rest.push((operator, right));
                Expression::Binary(first, rest)
            }
            first => Expression::Binary(Box::new(first), vec![(operator, right)]),
        }
    }
}

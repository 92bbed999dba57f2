//! Converts between the contract's types and the ones that wasmtime generates from `wit/`.

use guard_contract as contract;

use crate::bindings::facts::project;
use crate::bindings::history;
use crate::bindings::interfaces::{context, syntax, types};
use guard_facts::manifests;

/// Converts to another type of the same shape. Strings are moved, not copied.
pub(crate) trait Convert<T> {
    fn convert(self) -> T;
}

macro_rules! same {
    ($($kind:ident)*) => {$(
        impl Convert<$kind> for $kind {
            fn convert(self) -> $kind {
                self
            }
        }
    )*};
}

same!(String bool u32 i32);

impl Convert<String> for &'static str {
    fn convert(self) -> String {
        self.to_owned()
    }
}

impl<T, U: Convert<T>> Convert<Vec<T>> for Vec<U> {
    fn convert(self) -> Vec<T> {
        self.into_iter().map(Convert::convert).collect()
    }
}

impl<A, B, T: Convert<A>, U: Convert<B>> Convert<(A, B)> for (T, U) {
    fn convert(self) -> (A, B) {
        (self.0.convert(), self.1.convert())
    }
}

impl<T, U: Convert<T>, E> Convert<Result<T, E>> for Result<U, E> {
    fn convert(self) -> Result<T, E> {
        self.map(Convert::convert)
    }
}

macro_rules! records {
    ($($from:path => $to:path { $($field:ident)* })*) => {$(
        impl Convert<$to> for $from {
            fn convert(self) -> $to {
                $to { $($field: self.$field.convert()),* }
            }
        }
    )*};
}

macro_rules! enums {
    ($($from:path => $to:path { $($case:ident)* })*) => {$(
        impl Convert<$to> for $from {
            fn convert(self) -> $to {
                match self {
                    $(Self::$case => <$to>::$case,)*
                }
            }
        }
    )*};
}

// Types that a guest returns.
enums! {
    types::Outcome => contract::Outcome { Abstain Allow Warn Ask Deny }
    types::Level => contract::Level { Error Warn Info Debug }
    types::Presence => contract::Presence { Yes No Unknown }
    syntax::Coverage => contract::syntax::Coverage { Complete Partial Unparsed }
    syntax::Severity => contract::syntax::Severity { Routine Notable Destructive Catastrophic }
}
records! {
    types::Finding => contract::Finding { rule outcome message remedy tags }
    types::Decision => contract::Decision { outcome findings }
    types::Rule => contract::Rule { id summary default ceiling }
    types::Example => contract::Example { tool input outcome rule }
    types::Manifest => contract::Manifest { id version summary tools rules grants examples }
    types::ResolvedPath => contract::ResolvedPath { raw lexical canonical project_relative git_root exists kind }
    syntax::Span => contract::syntax::Span { start end }
    syntax::Part => contract::syntax::Part { kind text quoted }
    syntax::Word => contract::syntax::Word { text dynamic quoted glob parts }
    syntax::Assignment => contract::syntax::Assignment { name value }
    syntax::Redirection => contract::syntax::Redirection { fd operator target body body_quoted }
    syntax::Position => contract::syntax::Position { pipeline index length operator background within }
    syntax::Via => contract::syntax::Via { kind detail }
    syntax::Command => contract::syntax::Command {
        id parent argv assignments redirections position via span cwd certain
    }
    syntax::Effect => contract::syntax::Effect { kind operation severity target path command_id certain tags }
    syntax::Script => contract::syntax::Script { language text command_id certain }
    syntax::Analysis => contract::syntax::Analysis { coverage reasons commands effects scripts }
}

// Types that are passed to a guest.
enums! {
    contract::Presence => types::Presence { Yes No Unknown }
    contract::FactFault => types::Fault { Absent Denied TooLarge NotText Failed }
    contract::syntax::Coverage => syntax::Coverage { Complete Partial Unparsed }
    contract::syntax::Severity => syntax::Severity { Routine Notable Destructive Catastrophic }
}
records! {
    contract::ResolvedPath => types::ResolvedPath { raw lexical canonical project_relative git_root exists kind }
    manifests::Manifest => project::Manifest { path kind name version manager dependencies scripts }
    contract::Event => history::Event { number time kind tool target certain tags }
    contract::CallFacts => context::Facts { cwd project_root home session harness permission_mode original_tool }
    contract::syntax::Span => syntax::Span { start end }
    contract::syntax::Part => syntax::Part { kind text quoted }
    contract::syntax::Word => syntax::Word { text dynamic quoted glob parts }
    contract::syntax::Assignment => syntax::Assignment { name value }
    contract::syntax::Redirection => syntax::Redirection { fd operator target body body_quoted }
    contract::syntax::Position => syntax::Position { pipeline index length operator background within }
    contract::syntax::Via => syntax::Via { kind detail }
    contract::syntax::Command => syntax::Command {
        id parent argv assignments redirections position via span cwd certain
    }
    contract::syntax::Effect => syntax::Effect { kind operation severity target path command_id certain tags }
    contract::syntax::Script => syntax::Script { language text command_id certain }
    contract::syntax::Analysis => syntax::Analysis { coverage reasons commands effects scripts }
}

//! Policies in Rego and in CEL: the policy that all languages share, and their settings in a whole process.

mod folder;
mod equivalence;
mod settings;

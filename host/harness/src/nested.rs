//! The reply of Claude Code and of harnesses that share its keys: a decision at the top level or within
//! `hookSpecificOutput`.
//!
//! The adapter and the capabilities determine which parts a harness knows.

use serde::Serialize;
use serde_json::{Map, Value};

use super::capabilities::{Rewrites, Surface};
use super::response::Response;

/// A whole reply, with every key of this family of harnesses.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Nested<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<Output<'a>>,
}

/// The event-specific part of a reply.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output<'a> {
    pub(super) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<Behavior<'a>>,
}

/// The decision on a permission request.
#[derive(Debug, Serialize)]
pub(super) struct Behavior<'a> {
    pub(super) behavior: &'static str,
    pub(super) message: &'a str,
}

impl<'a> Nested<'a> {
    /// Creates the reply before a tool call, with the parts that the surface supports.
    pub(super) fn before_tool(response: &'a Response, surface: &Surface) -> Self {
        let output = Output { hook_event_name: "PreToolUse", ..Output::default() };
        let decided = |decision, reason: &'a str, context| Nested {
            hook_specific_output: Some(Output {
                permission_decision: Some(decision),
                permission_decision_reason: Some(reason),
                additional_context: context,
                ..Output { hook_event_name: "PreToolUse", ..Output::default() }
            }),
            ..Nested::default()
        };
        match response {
            Response::Nothing => Nested::default(),
            Response::Note(text) => Nested {
                system_message: surface.tells_user.then_some(text.as_str()),
                hook_specific_output: surface
                    .tells_model
                    .then_some(Output { additional_context: Some(text.as_str()), ..output }),
                ..Nested::default()
            },
            Response::Allow(text) => decided("allow", text, surface.tells_model.then_some(text.as_str())),
            Response::Ask(text) => decided("ask", text, None),
            Response::Deny(text) => decided("deny", text, None),
        }
    }
}

/// Formats the reply before a tool call, with the input that replaces the call's.
pub(super) fn with_input(response: &Response, input: &Map<String, Value>, surface: &Surface) -> String {
    let mut reply = Nested::before_tool(response, surface);
    let usual = || Output { hook_event_name: "PreToolUse", ..Output::default() };
    let output = reply.hook_specific_output.get_or_insert_with(usual);
    output.updated_input = Some(input);
    if surface.rewrites == Rewrites::WithAllow {
        output.permission_decision = Some("allow");
    }
    line(&reply)
}

/// Formats a reply as one line of JSON.
pub(super) fn line(reply: &impl Serialize) -> String {
    // Texts and fixed keys can't fail to serialize, and a reply that isn't JSON never allows.
    serde_json::to_string(reply).unwrap_or_default()
}

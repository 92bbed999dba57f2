//! Emacs code: functions that change files, whose arguments follow blanks.

use super::super::Found;

/// The maximum number of examined calls.
const MOST: usize = 64;

/// Adds the effects of a text's function calls on files.
pub(super) fn changes(found: &mut Vec<Found>, text: &str) {
    for (at, _) in text.match_indices('(').take(MOST) {
        let call = text.get(at + 1..).unwrap_or_default();
        let (name, arguments) = call.split_once(char::is_whitespace).unwrap_or((call, ""));
        let mut strings = arguments.split(')').next().unwrap_or_default().split('"').skip(1).step_by(2);
        let Some(first) = strings.next().map(str::to_owned) else { continue };
        let second = strings.next().map(str::to_owned);
        match name {
            "delete-directory"
                if arguments.split('"').nth(2).is_some_and(|rest| rest.trim_start().starts_with('t')) =>
            {
                found.push(Found::DeleteTree(first));
            }
            "delete-directory" | "delete-file" => found.push(Found::Delete(first)),
            "insert-file-contents" | "insert-file" | "load-file" => found.push(Found::Read(first)),
            "write-file" => found.push(Found::Write(first)),
            "rename-file" => {
                found.push(Found::Delete(first));
                found.extend(second.map(Found::Write));
            }
            "copy-file" => {
                found.push(Found::Read(first));
                found.extend(second.map(Found::Write));
            }
            _ => {}
        }
    }
}

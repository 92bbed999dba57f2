//! Texts that no program's name and no path of a call's document can be.

/// A path from the project's root.
const PROJECT_RELATIVE: &str = "project_relative";

/// Paths that are absolute or empty.
const ABSOLUTE: [&str; 5] = ["canonical", "cwd", "git_root", "lexical", "project_root"];

/// Returns the error for a text that is no program: it has a folder, or the program's arguments. A program's own name
/// can have spaces, as in `Google Chrome`.
pub(super) fn refuse_command(text: &str) -> Option<String> {
    let name = text.rsplit('/').next().unwrap_or_default();
    if name != text {
        let hint = if name.is_empty() { String::new() } else { format!(": write `{name}`") };
        return Some(format!("no `program` is `{text}`, because it has no folder{hint}"));
    }
    let mut words = text.split(' ');
    let (first, has_arguments) = (words.next().unwrap_or_default(), words.next().is_some());
    let is_lower = !text.contains(|letter: char| letter.is_uppercase());
    (has_arguments && !first.is_empty() && is_lower).then(|| {
        format!("no `program` is `{text}`: it is the first word only, `{first}`, and the other words are in `argv`")
    })
}

/// Returns the error for a relative path where all paths are absolute, or the reverse.
pub(super) fn refuse_path(key: &str, text: &str) -> Option<String> {
    let is_absolute = text.starts_with(['/', '\\']) || text.get(1..2) == Some(":");
    match key {
        PROJECT_RELATIVE if is_absolute => {
            Some(format!("no `{key}` begins with `{text}`: it is the path from the project's root"))
        }
        _ if ABSOLUTE.contains(&key) && !is_absolute && !text.is_empty() => {
            let meant = if key.contains("root") || key == "cwd" { "" } else { ", and `project_relative` is not" };
            Some(format!("no `{key}` begins with `{text}`: it is an absolute path{meant}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::shape::tests::at;

    #[test]
    fn a_program_has_no_folder_and_no_arguments() {
        let program = at("analysis.commands._.program");
        for text in ["npm install", "git push --force", "/usr/bin/curl", "./deploy.sh", "bin/"] {
            assert!(program.refuse(text).is_some() && program.refuse_start(text).is_some(), "{text}");
        }
        for text in ["npm", "deploy.sh", "Google Chrome", "", "g++", "[", "python3.12"] {
            assert_eq!((program.refuse(text), program.refuse_start(text)), (None, None), "{text}");
        }
        assert_eq!(at("analysis.effects._.operation").refuse("npm install"), None);
        assert_eq!(at("input").refuse("npm install"), None);
    }

    #[test]
    fn a_relative_path_is_refused_where_all_are_absolute() {
        for path in ["analysis.effects._.path.canonical", "analysis.commands._.cwd", "context.project_root"] {
            assert!(at(path).refuse_start("migrations/").is_some() && at(path).refuse("README.md").is_some(), "{path}");
            for text in ["/", "/repo/db", "C:/repo", r"\\host", ""] {
                assert_eq!((at(path).refuse_start(text), at(path).refuse(text)), (None, None), "{path} {text}");
            }
        }
        let relative = at("analysis.effects._.path.project_relative");
        assert!(relative.refuse_start("/db").is_some() && relative.refuse("/db/1.sql").is_some());
        assert_eq!(
            (relative.refuse_start("db/"), relative.refuse("db/1.sql"), relative.refuse("")),
            (None, None, None)
        );
        assert_eq!(at("analysis.effects._.target").refuse_start("db/"), None);
    }
}

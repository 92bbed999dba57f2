//! The tag `holds`: the existing files in a folder, or of a pattern, that an effect takes.

use guard_contract::call::CallContext;
use guard_contract::syntax::Analysis;
use guard_sdk::resolve::{HOLDS, Taken};

use crate::Facts;

/// The maximum number of effects whose files are listed in one call.
const EFFECTS: usize = 16;

/// Lists the files of effects whose paths are filled in.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts, at: &CallContext) {
    let mut marked = 0;
    for effect in &mut analysis.effects {
        let path = &effect.path;
        let taken = Taken {
            kind: &effect.kind,
            operation: &effect.operation,
            lexical: &path.lexical,
            canonical: &path.canonical,
            is_folder: path.kind == "dir",
            roots: [&at.project_root, &at.home],
        };
        let tag = |name: &str| effect.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        let Some(names) = taken.holds(facts, tag, |pattern| facts.held(pattern)) else { continue };
        effect.tags.push((HOLDS.to_owned(), names));
        marked += 1;
        if marked == EFFECTS {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resolver;
    use crate::analysis::{empty, fill_paths};
    use crate::fixed::FixedFacts;
    use guard_contract::syntax::{Coverage, Effect, Severity};
    use guard_contract::unresolved;

    fn held(kind: &str, path: &str, tags: &[(&str, &str)]) -> Option<String> {
        let world =
            "dirs = ['/repo/.git']\n[files]\n'/repo/db/1.sql' = ''\n'/repo/db/a/b' = ''\n[links]\n'/repo/l' = 'db'";
        let facts: FixedFacts = toml::from_str(world).unwrap();
        let effect = Effect {
            kind: kind.to_owned(),
            operation: format!("fs.{kind}"),
            severity: Severity::Notable,
            target: path.to_owned(),
            path: unresolved(path),
            command_id: 1,
            certain: true,
            tags: tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        };
        let mut analysis = Analysis { effects: vec![effect], ..empty(Coverage::Complete, None) };
        fill_paths(&mut analysis, &facts, &Resolver::new("/repo", "/home/u", "/repo"));
        let at = CallContext { project_root: "/repo".to_owned(), home: "/home/u".to_owned(), ..CallContext::default() };
        mark(&mut analysis, &facts, &at);
        let mut tags = analysis.effects.remove(0).tags.into_iter();
        tags.find(|(name, _)| name == HOLDS).map(|(_, value)| value)
    }

    #[test]
    fn effects_on_folders_and_patterns_list_their_files() {
        let all = Some("1.sql\na/\na/b".to_owned());
        assert_eq!(held("delete", "/repo/db", &[]), all);
        assert_eq!(held("read", "/repo/db", &[]), all);
        assert_eq!(held("read", "/repo/l", &[]), all);
        assert_eq!(held("write", "/repo/db", &[("archive", "yes")]), all);
        assert_eq!(held("read", "/repo/db/*", &[]).as_deref(), Some("1.sql\na/"));
        assert_eq!(held("delete", "/repo/d*", &[]).as_deref(), Some("db/\ndb/1.sql\ndb/a/\ndb/a/b"));
    }

    #[test]
    fn other_effects_list_nothing() {
        assert_eq!(held("delete", "/repo/l", &[]).as_deref(), Some(""), "a link");
        assert_eq!(held("delete", "/repo/db", &[("by", "rmdir")]).as_deref(), Some(""));
        assert_eq!(held("read", "/repo", &[]), None, "the project");
        assert_eq!(held("write", "/repo/db", &[]), None);
        assert_eq!(held("delete", "/repo/db/1.sql", &[]), None);
        assert_eq!(held("delete", "/repo/db", &[("disposable", "ignored")]), None);
        assert_eq!(held("read", "/repo/db", &[("where", "ssh")]), None);
    }
}

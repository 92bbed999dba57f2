//! Archives of releases, which by convention contain all their files in one folder: `curl-8.1.2.tar.gz`.

use crate::run::Run;

/// The maximum number of words that are examined in a command.
const WORDS: usize = 64;

/// Extensions of archives.
const ENDS: [&str; 9] = [".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".zip"];

/// Returns whether the command unpacks the archive of a release into the archive's own folder.
pub(super) fn has_folder(run: &Run<'_>) -> bool {
    let words = || run.arguments().iter().take(WORDS).map(|word| word.text.as_str());
    // Then members get other names.
    let renames = words().any(|word| {
        ["--strip", "--transform", "--xform"].iter().any(|option| word.starts_with(option))
            || word.starts_with('-') && word.contains('j') && run.name == "unzip"
            || word == "-s"
    });
    let printed = run.before().map(|before| &before.argv).into_iter().flatten().skip(1).take(WORDS);
    let addresses = printed.map(|word| word.text.as_str()).filter(|text| text.contains("://"));
    !renames && words().chain(addresses).any(is_release)
}

/// Returns whether a name contains a version, after a dash or the letter `v`.
fn is_release(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some(stem) = ENDS.iter().find_map(|end| name.strip_suffix(end)) else { return false };
    let is_version = |part: &str| {
        let digits = part.strip_prefix('v').unwrap_or(part);
        digits.starts_with(|first: char| first.is_ascii_digit()) && part.contains('.') || part.starts_with('$')
    };
    stem.split(['-', '_']).any(is_version)
}

#[cfg(test)]
mod tests {
    use super::is_release;

    #[test]
    fn the_name_of_a_release_has_a_version() {
        for name in ["curl-8.1.2.tar.gz", "https://x/v1.13.tar.gz", "a-${V}.tar.xz", "x_1.0_amd64.zip", "../a-v2.0.tgz"]
        {
            assert!(is_release(name), "{name}");
        }
        for name in ["app.tar.gz", "backup-2026.tar", "x.zip", "curl-8.1.2", "a-1.txt", "-xzf"] {
            assert!(!is_release(name), "{name}");
        }
    }
}

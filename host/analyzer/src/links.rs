//! [`Links`]: the links that a text creates, applied to the paths that it uses later.

use std::collections::BTreeMap;

use crate::limits;
use crate::word::expand::parameter;

/// The maximum number of links in one path, the same as Linux's limit.
const HOPS: usize = 40;

/// The absolute targets of links, by the link's absolute path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    known: BTreeMap<String, String>,
}

impl Links {
    /// Adds a link. Returns false if the limit is reached.
    pub(crate) fn insert(&mut self, link: &str, leads_to: &str) -> bool {
        let place = self.follow(link, false).unwrap_or_else(|| crate::run::path::lexical(link));
        if place.starts_with('/') && leads_to.starts_with('/') && place != leads_to {
            if self.known.len() >= limits::LINKS && !self.known.contains_key(&place) {
                return false;
            }
            self.known.insert(place, leads_to.to_owned());
        }
        true
    }

    /// Returns the target of a link at exactly this path.
    pub(crate) fn at(&self, path: &str) -> Option<&str> {
        self.known.get(&crate::run::path::lexical(path)).map(String::as_str)
    }

    /// Returns the absolute path for `path` if it contains a link. `last`: whether a link at its end is followed as
    /// well.
    pub(crate) fn follow(&self, path: &str, last: bool) -> Option<String> {
        if self.known.is_empty() || !path.starts_with('/') {
            return None;
        }
        let last = last || path.ends_with('/');
        let mut pending: Vec<&str> = path.rsplit('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
        let mut done = String::new();
        let mut hops = 0;
        while let Some(segment) = pending.pop() {
            if segment == ".." {
                done.truncate(done.rfind('/').unwrap_or(0));
                continue;
            }
            let target = if last || !pending.is_empty() { self.target(&done, segment) } else { None };
            match target.filter(|_| hops < HOPS) {
                Some(target) => {
                    hops += 1;
                    done.clear();
                    pending.extend(target.rsplit('/').filter(|segment| !matches!(*segment, "" | ".")));
                }
                None => {
                    done.push('/');
                    done.push_str(segment);
                }
            }
        }
        let place = if done.is_empty() { "/".to_owned() } else { done };
        (hops > 0).then_some(place)
    }

    /// Returns the target of the link with this name, or of one that the pattern matches.
    fn target(&self, folder: &str, name: &str) -> Option<&str> {
        let exact = self.known.get(&format!("{folder}/{name}"));
        let found = exact.or_else(|| {
            let is_pattern = name.contains(['*', '?', '[']);
            let mut links = self.known.iter().filter(|_| is_pattern);
            let fits = |place: &str| {
                let (parent, last) = place.rsplit_once('/').unwrap_or_default();
                parent == folder && parameter::matches(name, last)
            };
            links.find(|(place, _)| fits(place)).map(|(_, target)| target)
        });
        found.map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_through_links() {
        let mut links = Links::default();
        assert!(links.insert("/repo/q", "/home/u/.config"));
        assert!(links.insert("/repo/r", "/repo/q/deep"));
        assert!(links.insert("/repo/loop", "/repo/loop/x"));
        let follow = |path: &str, last: bool| links.follow(path, last).unwrap_or_default();
        assert_eq!(follow("/repo/q/a/b", false), "/home/u/.config/a/b");
        assert_eq!(follow("/repo/./x/../q/a", false), "/home/u/.config/a");
        assert_eq!(follow("/repo/q/../a", false), "/home/u/a");
        assert_eq!(follow("/repo/r/c", false), "/home/u/.config/deep/c");
        assert_eq!(follow("/repo/q*/a", false), "/home/u/.config/a");
        assert_eq!((follow("/repo/q", false), follow("/repo/q", true)), (String::new(), "/home/u/.config".to_owned()));
        assert_eq!(follow("/repo/q/", false), "/home/u/.config");
        assert_eq!(follow("/repo/other/q", true), "");
        assert!(follow("/repo/loop/y", true).starts_with('/'));
    }
}

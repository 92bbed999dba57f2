//! The values that the text gives to environment variables.

use super::Run;

/// The maximum number of earlier commands that are searched.
const MOST: usize = 64;

impl<'a> Run<'a> {
    /// Returns the value of the first of these variables that the command or an earlier one sets.
    pub(crate) fn variable(&self, names: &[&str]) -> Option<&'a str> {
        let place = usize::try_from(self.command.id).map_or(0, |id| id.saturating_sub(1));
        let earlier = self.commands.get(..place).unwrap_or_default().iter().rev().take(MOST);
        let is_wanted = |name: &str| names.contains(&name);
        let own = self.command.assignments.iter().rfind(|set| is_wanted(&set.name));
        own.map(|set| set.value.text.as_str()).or_else(|| {
            earlier.filter(|command| command.argv.is_empty() || command.program() == "export").find_map(|command| {
                let assigned = command.assignments.iter().map(|set| (set.name.as_str(), set.value.text.as_str()));
                let exported = command.argv.iter().skip(1).filter_map(|word| word.text.split_once('='));
                assigned.chain(exported).rfind(|(name, _)| is_wanted(name)).map(|(_, value)| value)
            })
        })
    }
}

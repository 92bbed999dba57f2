//! The losses of operations added by Rust families, and how to check first. The program tables contain their own.

/// An operation, its loss, and a harmless way to check first.
type Remediation = (&'static str, &'static str, &'static str);

/// Sorted by operation, for a binary search. A test checks the order.
const REMEDIATIONS: &[Remediation] = &[
    (
        "execute.helper",
        "nothing yet: a program that isn't visible in the command would run",
        "name the program in a command of its own",
    ),
    (
        "execute.served",
        "nothing yet: everyone who connects could run commands here",
        "serve files with a program that runs none",
    ),
    ("files.delete-listed", "every file that matches the pattern", "list them first with `ls`"),
    ("fs.attributes", "the protection of a file against changes", "see it with `lsattr`"),
    ("fs.mode", "the current modes of the files, which aren't recorded", "see them with `ls -l`"),
    (
        "fs.move.temporary",
        "the moved files, once the trash or the temporary folder is emptied",
        "move it to a folder that is kept",
    ),
    ("fs.owner", "the current owners of the files, which aren't recorded", "see them with `ls -l`"),
    ("git.abort", "the commit that is skipped", "see which it is with `git status`"),
    ("git.branch.delete", "commits that are in no other branch", "see them with `git log --oneline -5 BRANCH`"),
    ("git.branch.move", "commits that are in no other branch", "see them with `git log --oneline -5 BRANCH`"),
    ("git.discard", "changes that are in no commit", "see them with `git diff`, or keep them with `git stash`"),
    (
        "git.history.rewrite",
        "the link to other clones: every commit gets a new ID",
        "see what it is with `git log --oneline`",
    ),
    (
        "git.hooks.remove",
        "the checks before each commit and push, for this clone",
        "look at the hook first with `ls -l .git/hooks`",
    ),
    ("git.notes.remove", "notes that are in no commit", "see them with `git notes list`"),
    ("git.objects.prune", "commits and changes that are in no branch", "see them with `git fsck --lost-found`"),
    ("git.push.delete", "a branch or tag that others may use", "see its commits with `git log origin/BRANCH`"),
    ("git.ref.delete", "commits that are only in this reference", "see them with `git show-ref`"),
    ("git.reflog.expire", "the reflog, which is needed to recover lost commits", "see it with `git reflog`"),
    ("git.stash.drop", "changes that are only in the stash", "see them with `git stash show -p`"),
    ("git.tag.delete", "the tag, which a release may use", "see it with `git show TAG`"),
    ("git.tag.move", "the tag's old commit, which a release may use", "see it with `git show TAG`"),
    ("git.worktree.remove", "changes in that worktree that are in no commit", "see them with `git -C FOLDER status`"),
    ("graph.delete", "nodes and relations of the graph", "count them first with the same `MATCH`"),
    ("http.delete", "the resource at that address, perhaps without a copy", "look at it first with a GET request"),
    ("mongo.delete", "documents of the collection", "count them first with `countDocuments`"),
    ("mongo.drop-collection", "the collection with all its documents", "count them first with `countDocuments`"),
    ("mongo.drop-database", "the database with all its collections", "list them first with `show collections`"),
    ("mongo.drop-index", "an index that queries depend on", "see it with `getIndexes`"),
    ("mongo.drop-shard", "a part of the cluster", "see it with `sh.status()`"),
    ("mongo.drop-user", "the access of people and programs", "see them with `getUsers`"),
    ("mongo.shutdown", "the server that others use", "see who does with `currentOp`"),
    ("mongo.update", "the old values of every document", "count them first with `countDocuments`"),
    (
        "process.kill",
        "the unsaved work of these processes, which can include other users'",
        "see which they are with `pgrep -a NAME`",
    ),
    ("redis.client-kill", "the connections of others", "see them with `redis-cli CLIENT LIST`"),
    ("redis.cluster", "the place of the node in its cluster", "see it with `redis-cli CLUSTER NODES`"),
    ("redis.config", "the settings or the users of the store", "see them with `redis-cli CONFIG GET NAME`"),
    ("redis.delete", "the values of the keys", "see them with `redis-cli TYPE KEY`"),
    ("redis.flush", "every key of the database", "count them first with `redis-cli DBSIZE`"),
    ("redis.flush-all", "every key of every database", "count them first with `redis-cli INFO keyspace`"),
    (
        "redis.module",
        "nothing yet: it loads code into the server, or removes code",
        "see what there is with `redis-cli MODULE LIST`",
    ),
    (
        "redis.replicate",
        "the data, which is replaced by that of another server",
        "see what it is now with `redis-cli INFO replication`",
    ),
    ("redis.script-flush", "scripts that programs call by name", "see what there is with `redis-cli FUNCTION LIST`"),
    ("redis.shutdown", "the server that others use", "see who does with `redis-cli CLIENT LIST`"),
    ("redis.swap", "the places of two databases", "count their keys first with `redis-cli INFO keyspace`"),
    ("remote.delete", "files on another machine or in a store", "list them first"),
    ("secret.send", "secrets, to whoever receives them", "ask the user what may be sent"),
    ("sql.alter-database", "the database for everyone who uses it by this name", "ask the user which programs use it"),
    ("sql.call", "data that the procedure changes, which isn't visible here", "read the procedure first"),
    ("sql.drop-column", "the values of the column in every row", "save the table first"),
    ("sql.drop-object", "the keyspace, tablespace or collection with everything in it", "save it first"),
    ("sql.drop-partition", "every row of the partition", "count its rows first, and save them"),
    ("sql.drop-role", "the access of people and programs", "list what the role owns first"),
    ("sql.execute-program", "nothing yet: a program runs as the database's user", "ask the user to run it"),
    ("sql.grant", "nothing yet: an account gets full access", "say which rights it needs, and ask the user for those"),
    (
        "sql.protection-off",
        "the checks that triggers, rules or row policies make",
        "leave them on, or ask the user to switch them off",
    ),
    ("sql.purge", "logs that restores and replicas need", "save the logs first"),
    (
        "sql.read-file",
        "nothing yet: a file of the server is read as the database's user",
        "ask the user for the file's content",
    ),
    ("sql.reassign", "the owner of everything that the role owns", "list what the role owns first"),
    ("sql.rename", "the table's name, which programs use", "ask the user which programs use it"),
    ("sql.restore", "the current content of the database", "save it first under another name"),
    ("sql.restore-clean", "the current content of the database", "save it first with `pg_dump`"),
    ("sql.revoke", "the access of people and programs", "see first who has access now"),
    (
        "sql.script",
        "data that the file's statements change, on a server that others use",
        "read the file first, and run it in a transaction that you roll back",
    ),
    ("sql.setting", "the server's current setting, for everyone who uses it", "see the present value first"),
    ("sql.shutdown", "the server that others use", "see who does with a query of its processes"),
    ("sql.uninstall", "a part of the server, and what uses it stops working", "see first what uses it"),
    ("sql.write-file", "a file of the server, as the database's user", "write the result where you run the client"),
    ("system.crontab.remove", "every scheduled job of the user", "see them with `crontab -l`"),
    ("trash.empty", "files that could still be restored", "see them first, such as with `trash-list`"),
    (
        "vcs.branch.delete",
        "the branch's name, which is needed to find its commits",
        "see them first with the program's `log` command",
    ),
    ("vcs.clean", "files that are in no commit", "see them first with the program's `status` command"),
    (
        "vcs.delete",
        "the files, also in the repository after a commit",
        "see what is there with the program's `list` or `status` command",
    ),
    ("vcs.discard", "changes that are in no commit", "see them first with the program's `diff` command"),
    ("vcs.history.rewrite", "commits, or the link to other clones", "see them first with the program's `log` command"),
    (
        "vcs.push.force",
        "the server's single line of history: others get a second head",
        "see what would be sent with `hg outgoing`",
    ),
];

/// Returns an operation's loss, and the way to check first. `None` if the operation's own rule is more precise.
pub(super) fn of(operation: &str) -> Option<(&'static str, &'static str)> {
    let place = REMEDIATIONS.binary_search_by_key(&operation, |(name, ..)| name).ok()?;
    REMEDIATIONS.get(place).map(|(_, loses, instead)| (*loses, *instead))
}

#[cfg(test)]
mod tests {
    use super::REMEDIATIONS;

    #[test]
    fn operations_are_sorted() {
        assert!(REMEDIATIONS.is_sorted_by_key(|(operation, ..)| operation));
    }
}

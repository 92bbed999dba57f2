# Tests of single rules, with a document as small as they need.
package policy_test

test_private_key if {
    some finding in data.guard.deny with input as {"tool": "Write", "input": {"content": "-----BEGIN PRIVATE KEY-----"}}
    finding.rule == "private-key"
}

test_public_text if {
    count(data.guard.deny) == 0 with input as {"tool": "Write", "input": {"content": "public"}}
}

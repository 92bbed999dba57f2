package guard

# A release is made by the workflow, not by hand.
deny contains {"rule": "no-manual-release", "message": message, "remedy": "push a tag; the workflow publishes it"} if {
    some effect in input.analysis.effects
    effect.operation == "package.publish"
    message := "a release is published by hand"
}

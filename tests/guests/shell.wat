;; A whole policy, of which every hostile guest beside this file replaces a part.
;;
;; A part begins at a line `;;@ NAME` and ends at the next line of that form. Unchanged, the policy covers every tool,
;; declares one rule, `known` (default and ceiling ask), and answers every call with one finding of it.
;;
;; The memory is a module of its own, so that imports can be lowered before the policy is instantiated. Below 32768 lie
;; the static data, above it is what `realloc` gives out. Records are laid out as the canonical ABI wants them.
(component
  (import "guard:policy/types@0.1.0" (instance $types
    (type $outcome' (enum "abstain" "allow" "warn" "ask" "deny"))
    (export "outcome" (type $outcome (eq $outcome')))
    (type $finding' (record
      (field "rule" string) (field "outcome" $outcome) (field "message" string) (field "remedy" string)
      (field "tags" (list (tuple string string)))))
    (export "finding" (type $finding (eq $finding')))
    (type $decision' (record (field "outcome" $outcome) (field "findings" (list $finding))))
    (export "decision" (type $decision (eq $decision')))
    (type $rule' (record
      (field "id" string) (field "summary" string) (field "default" $outcome) (field "ceiling" $outcome)))
    (export "rule" (type $rule (eq $rule')))
    (type $example' (record
      (field "tool" string) (field "input" string) (field "outcome" $outcome) (field "rule" string)))
    (export "example" (type $example (eq $example')))
    (type $manifest' (record
      (field "id" string) (field "version" string) (field "summary" string) (field "tools" (list string))
      (field "rules" (list $rule)) (field "grants" (list string)) (field "examples" (list $example))))
    (export "manifest" (type $manifest (eq $manifest')))
    (type $fault' (enum "absent" "denied" "too-large" "not-text" "failed"))
    (export "fault" (type $fault (eq $fault')))
    (type $level' (enum "error" "warn" "info" "debug"))
    (export "level" (type $level (eq $level')))))
  (alias export $types "decision" (type $decision))
  (alias export $types "manifest" (type $manifest))
  (alias export $types "fault" (type $fault))
  (alias export $types "level" (type $level))
  ;;@ import
  ;;@ end

  (core module $memory
    ;;@ memory
    (memory (export "memory") 1)
    ;;@ end
    (global $free (mut i32) (i32.const 32768))
    (func (export "realloc") (param $old i32) (param $old-size i32) (param $align i32) (param $size i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
      (global.set $free (i32.add (local.get $at) (local.get $size)))
      (if (i32.gt_u (global.get $free) (i32.mul (memory.size) (i32.const 65536)))
        (then (drop (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 1))))))
      (local.get $at)))
  (core instance $memory (instantiate $memory))
  (alias core export $memory "memory" (core memory $bytes))
  (alias core export $memory "realloc" (core func $realloc))

  (core module $policy
    ;;@ core-import
    ;;@ end
    (import "memory" "memory" (memory 1))
    ;; Texts.
    (data (i32.const 256) "test-guest")
    (data (i32.const 272) "0.1.0")
    (data (i32.const 288) "a guest of the tests")
    (data (i32.const 320) "*")
    (data (i32.const 336) "known")
    (data (i32.const 352) "the guest was asked")
    (data (i32.const 384) "undeclared")
    (data (i32.const 400) "the guest refuses")
    ;; The manifest: id, version, summary, tools, rules; no grants, no examples.
    (data (i32.const 512)
      "\00\01\00\00\0a\00\00\00" "\10\01\00\00\05\00\00\00" "\20\01\00\00\14\00\00\00"
      "\40\02\00\00\01\00\00\00" "\50\02\00\00\01\00\00\00" "\00\00\00\00\00\00\00\00" "\00\00\00\00\00\00\00\00")
    (data (i32.const 576) "\40\01\00\00\01\00\00\00")
    ;; The rule: id, summary, default and ceiling (3 is ask).
    (data (i32.const 592) "\50\01\00\00\05\00\00\00" "\20\01\00\00\14\00\00\00" "\03\03\00\00")
    ;; The result of `configure` at 640: ok.
    ;; The result of `decide`: ok at 704, outcome at 708, findings at 712 and their number at 716.
    (data (i32.const 704) "\00\00\00\00" "\03\00\00\00" "\00\03\00\00" "\01\00\00\00")
    ;; The finding: rule at 768, outcome at 776, message at 780, no remedy at 788, no tags at 796.
    (data (i32.const 768)
      "\50\01\00\00\05\00\00\00" "\03\00\00\00" "\60\01\00\00\13\00\00\00"
      "\00\00\00\00\00\00\00\00" "\00\00\00\00\00\00\00\00")
    ;;@ start
    ;;@ describe
    (func $describe (result i32) (i32.const 512))
    ;;@ configure
    (func $configure (param $settings i32) (param $length i32) (result i32) (i32.const 640))
    ;;@ decide
    (func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
      (i32.const 704))
    ;;@ end
    (export "describe" (func $describe))
    (export "configure" (func $configure))
    (export "decide" (func $decide)))
  ;;@ instantiate
  (core instance $guest (instantiate $policy (with "memory" (instance $memory))))
  ;;@ end
  (alias core export $guest "describe" (core func $describe'))
  (alias core export $guest "configure" (core func $configure'))
  (alias core export $guest "decide" (core func $decide'))

  (func $describe (result $manifest)
    (canon lift (core func $describe') (memory $bytes)))
  (func $configure (param "settings" string) (result (result (error string)))
    (canon lift (core func $configure') (memory $bytes) (realloc $realloc)))
  (func $decide (param "tool" string) (param "input" string) (result (result $decision (error string)))
    (canon lift (core func $decide') (memory $bytes) (realloc $realloc)))
  (instance $exported
    (export "describe" (func $describe))
    (export "configure" (func $configure))
    (export "decide" (func $decide)))
  ;;@ export
  (export "guard:policy/policy@0.1.0" (instance $exported))
  ;;@ end
)

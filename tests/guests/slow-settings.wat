;; Counts to two millions over its settings, says so in its log, and traps if it is asked without that.
;;@ import
(import "guard:policy/log@0.1.0" (instance $log
  (alias outer 1 $level (type $l))
  (export "level" (type $level (eq $l)))
  (export "log" (func (param "level" $level) (param "message" string)))))
;;@ core-import
(import "log" "log" (func $log (param i32 i32 i32)))
;;@ instantiate
(core func $log (canon lower (func $log "log") (memory $bytes)))
(core instance $guest (instantiate $policy
  (with "memory" (instance $memory))
  (with "log" (instance (export "log" (func $log))))))
;;@ configure
(data (i32.const 1024) "counting")
(func $configure (param $settings i32) (param $length i32) (result i32)
  (local $count i32)
  (loop $again
    (local.set $count (i32.add (local.get $count) (i32.const 1)))
    (i32.store (i32.const 1040) (local.get $count))
    (br_if $again (i32.lt_u (local.get $count) (i32.const 2000000))))
  (call $log (i32.const 2) (i32.const 1024) (i32.const 8))
  (i32.const 640))
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (if (i32.ne (i32.load (i32.const 1040)) (i32.const 2000000)) (then (unreachable)))
  (i32.const 704))

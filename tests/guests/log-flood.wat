;; Logs a thousand lines of 40,000 bytes; answers as usual then.
;;@ import
(import "guard:policy/log@0.1.0" (instance $log
  (alias outer 1 $level (type $l))
  (export "level" (type $level (eq $l)))
  (export "log" (func (param "level" $level) (param "message" string)))))
;;@ memory
(memory (export "memory") 2)
;;@ core-import
(import "log" "log" (func $log (param i32 i32 i32)))
;;@ instantiate
(core func $log (canon lower (func $log "log") (memory $bytes)))
(core instance $guest (instantiate $policy
  (with "memory" (instance $memory))
  (with "log" (instance (export "log" (func $log))))))
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (local $left i32)
  (memory.fill (i32.const 65536) (i32.const 120) (i32.const 40000))
  (local.set $left (i32.const 1000))
  (loop $again
    (call $log (i32.const 0) (i32.const 65536) (i32.const 40000))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $again (local.get $left)))
  (i32.const 704))

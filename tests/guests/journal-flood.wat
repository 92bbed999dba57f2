;; Writes a thousand lines to the stream `notes`. Traps unless exactly 64 of them are taken; answers as usual then.
;;@ import
(import "guard:policy/journal@0.1.0" (instance $journal
  (alias outer 1 $fault (type $f))
  (export "fault" (type $fault (eq $f)))
  (export "append" (func (param "stream-name" string) (param "json-object" string) (result (result (error $fault)))))))
;;@ core-import
(import "journal" "append" (func $append (param i32 i32 i32 i32 i32)))
;;@ instantiate
(core func $append (canon lower (func $journal "append")
  (memory $bytes) (realloc $realloc)))
(core instance $guest (instantiate $policy
  (with "memory" (instance $memory))
  (with "journal" (instance (export "append" (func $append))))))
;;@ decide
(data (i32.const 1024) "notes")
(data (i32.const 1040) "{\"line\":1}")
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (local $left i32)
  (local $taken i32)
  (local.set $left (i32.const 1000))
  (loop $again
    (call $append (i32.const 1024) (i32.const 5) (i32.const 1040) (i32.const 10) (i32.const 2048))
    (local.set $taken (i32.add (local.get $taken) (i32.eqz (i32.load8_u (i32.const 2048)))))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $again (local.get $left)))
  (if (i32.ne (local.get $taken) (i32.const 64)) (then (unreachable)))
  (i32.const 704))

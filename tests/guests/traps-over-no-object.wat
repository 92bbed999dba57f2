;; Takes for granted that its input is an object.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (if (i32.ne (i32.load8_u (local.get $input)) (i32.const 123)) (then (unreachable)))
  (i32.const 704))

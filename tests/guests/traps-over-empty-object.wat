;; Takes for granted that an object holds something.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (if (i32.and (i32.eq (local.get $length) (i32.const 2)) (i32.eq (i32.load8_u (local.get $input)) (i32.const 123)))
    (then (unreachable)))
  (i32.const 704))

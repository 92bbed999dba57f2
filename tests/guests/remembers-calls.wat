;; Words its message otherwise at every second call of the same instance.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 352) (i32.xor (i32.load8_u (i32.const 352)) (i32.const 1)))
  (i32.const 704))

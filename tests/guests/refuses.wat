;; Answers with an error.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 704) (i32.const 1))
  (i32.store (i32.const 708) (i32.const 400))
  (i32.store (i32.const 712) (i32.const 17))
  (i32.const 704))

;; Answers with an outcome that does not exist.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 708) (i32.const 9))
  (i32.const 704))

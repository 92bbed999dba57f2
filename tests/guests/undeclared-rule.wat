;; Reports a rule that its manifest does not hold.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (i32.store (i32.const 768) (i32.const 384))
  (i32.store (i32.const 772) (i32.const 10))
  (i32.const 704))

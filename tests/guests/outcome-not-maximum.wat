;; Abstains while its finding asks.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 708) (i32.const 0))
  (i32.const 704))

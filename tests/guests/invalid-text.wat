;; Gives a message that is not UTF-8.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 354) (i32.const 0xff))
  (i32.const 704))

;; Points to findings outside of its memory.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (i32.store (i32.const 712) (i32.const 0x7ffffff0))
  (i32.const 704))

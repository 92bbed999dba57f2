;; Gives a message of 10 MiB of spaces.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (drop (memory.grow (i32.const 161)))
  (memory.fill (i32.const 65536) (i32.const 32) (i32.const 10485760))
  (i32.store (i32.const 780) (i32.const 65536))
  (i32.store (i32.const 784) (i32.const 10485760))
  (i32.const 704))

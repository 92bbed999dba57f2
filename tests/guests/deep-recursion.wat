;; Calls itself without end.
;;@ decide
(func $deeper (param $depth i32) (result i32)
  (i32.add (call $deeper (i32.add (local.get $depth) (i32.const 1))) (local.get $depth)))
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (call $deeper (i32.const 0)))

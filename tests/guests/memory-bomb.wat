;; Takes memory until it is refused, and would then go on trying.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (loop $again
    (drop (memory.grow (i32.const 16)))
    (br $again))
  (unreachable))

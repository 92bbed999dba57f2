;; Takes for granted that its settings are an object.
;;@ configure
(func $configure (param $settings i32) (param $length i32) (result i32)
  (if (i32.ne (i32.load8_u (local.get $settings)) (i32.const 123)) (then (unreachable)))
  (i32.const 640))

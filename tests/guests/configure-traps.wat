;; Traps on its settings.
;;@ configure
(func $configure (param $settings i32) (param $length i32) (result i32)
  (unreachable))

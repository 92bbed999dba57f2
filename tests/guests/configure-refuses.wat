;; Does not take its settings.
;;@ configure
(func $configure (param $settings i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 640) (i32.const 1))
  (i32.store (i32.const 644) (i32.const 400))
  (i32.store (i32.const 648) (i32.const 17))
  (i32.const 640))

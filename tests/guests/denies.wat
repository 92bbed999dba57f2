;; Denies every input that holds `rm -rf`, and has no opinion on others. Its rule may deny.
;;@ describe
(func $describe (result i32)
  (i32.store8 (i32.const 609) (i32.const 4))
  (i32.const 512))
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (local $at i32)
  (i32.store8 (i32.const 708) (i32.const 4))
  (i32.store8 (i32.const 776) (i32.const 4))
  (loop $next
    (if (i64.eq
          (i64.and (i64.load (i32.add (local.get $input) (local.get $at))) (i64.const 0xffffffffffff))
          (i64.const 0x66722d206d72))
      (then (return (i32.const 704))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $at) (local.get $length))))
  (i32.store8 (i32.const 708) (i32.const 0))
  (i32.store (i32.const 716) (i32.const 0))
  (i32.const 704))

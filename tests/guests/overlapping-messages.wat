;; Gives 10,000 findings whose messages are the same 10 MiB: little memory of the guest, 100 GB of the host.
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (local $at i32)
  (drop (memory.grow (i32.const 200)))
  (memory.fill (i32.const 65536) (i32.const 32) (i32.const 10485760))
  (i32.store (i32.const 780) (i32.const 65536))
  (i32.store (i32.const 784) (i32.const 10485760))
  (local.set $at (i32.const 12000000))
  (loop $again
    (memory.copy (local.get $at) (i32.const 768) (i32.const 36))
    (local.set $at (i32.add (local.get $at) (i32.const 36)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 12360000))))
  (i32.store (i32.const 712) (i32.const 12000000))
  (i32.store (i32.const 716) (i32.const 10000))
  (i32.const 704))

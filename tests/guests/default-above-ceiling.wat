;; Declares a rule whose default is above its ceiling.
;;@ describe
(func $describe (result i32)
  (i32.store8 (i32.const 608) (i32.const 4))
  (i32.const 512))

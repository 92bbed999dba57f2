;; Needs an interface of the contract's package that this host does not have, and never calls it.
;;@ import
(import "guard:policy/clock@0.1.0" (instance $clock (export "now" (func (result u64)))))
;;@ core-import
(import "clock" "now" (func $now (result i64)))
;;@ instantiate
(core func $now (canon lower (func $clock "now")))
(core instance $guest (instantiate $policy
  (with "memory" (instance $memory))
  (with "clock" (instance (export "now" (func $now))))))

;; A policy of a later contract.
;;@ export
(export "guard:policy/policy@0.9.0" (instance $exported))

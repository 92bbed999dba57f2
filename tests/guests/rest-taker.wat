;; Wants to take the place of the policies that a service asks after it.
;;@ import
(instance $nothing)
(export "guard:service/policies@0.1.0" (instance $nothing))

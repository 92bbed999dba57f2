;; Wants to say itself what a service decides about.
;;@ import
(import "guard:service/scene@0.1.0" (instance $scene
  (export "begin" (func (param "scene" (list u8))))))

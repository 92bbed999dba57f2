;; Asks WASI for the environment.
;;@ import
(import "wasi:cli/environment@0.2.0" (instance $environment
  (export "get-environment" (func (result (list (tuple string string)))))))
;;@ core-import
(import "environment" "get" (func $get (param i32)))
;;@ instantiate
(core func $get (canon lower (func $environment "get-environment")
  (memory $bytes) (realloc $realloc)))
(core instance $guest (instantiate $policy
  (with "memory" (instance $memory))
  (with "environment" (instance (export "get" (func $get))))))
;;@ decide
(func $decide (param $tool i32) (param $tool-length i32) (param $input i32) (param $length i32) (result i32)
  (call $get (i32.const 1024))
  (i32.const 704))

;; Could ask WASI for the environment, as the guests of most toolchains could, and does not.
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

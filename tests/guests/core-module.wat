;; WebAssembly, but no component.
(module (func (export "decide") (result i32) (i32.const 0)))

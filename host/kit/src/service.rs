//! A chain as one component that answers HTTP: the chain, what its policies see, the analyzer and the policies, put
//! together.
//!
//! ```text
//! wasi:http  <-  guard-service  ->  guard-bundle  ->  guard-scripts
//!                     |    \             |
//!                     |     link -> policy, link -> policy, ...
//!                     |                  |
//!                   config        guard-service-view
//! ```

use guard_chain::baked::Baked;
use guard_contract::FaultKind;
use wasm_compose::graph::{Component, ComponentId, CompositionGraph, EncodeOptions, InstanceId};
use wasmparser::Validator;

/// Why there is no service.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// This program was built without guests, or is damaged.
    #[error("this program does not hold `{0}`")]
    Missing(&'static str),
    /// A policy wants what a service cannot give it.
    #[error("the policy `{policy}` imports `{import}`, which a service does not give")]
    Import {
        /// The policy.
        policy: String,
        /// What it imports.
        import: String,
    },
    /// The chain has no form in bytes.
    #[error("the chain cannot be written: {0}")]
    Chain(FaultKind),
    /// The parts do not fit together.
    #[error("the parts do not fit together: {0}")]
    Compose(String),
}

/// A policy that is not in the bundle: its name in the chain, and its component.
pub type RowPolicy = (String, Vec<u8>);

/// Puts a service together. The places that the chain names are those of `row`.
///
/// # Errors
///
/// A part is missing, or a policy imports what a service does not give.
pub fn compose(baked: &Baked, row: &[RowPolicy]) -> Result<Vec<u8>, ServiceError> {
    let mut parts = Parts { graph: CompositionGraph::new(), validator: Validator::new() };
    let view = parts.carried("guard-service-view", &[])?;
    let scripts = parts.carried("guard-scripts", &[])?;
    let bundle = parts.carried("guard-bundle", &[view, scripts])?;
    let config = parts.add("config", config(&baked.to_bytes().map_err(ServiceError::Chain)?)?)?;
    let config = parts.closed(config, &[])?;
    let link = parts.component_carried("guard-service-link")?;
    // The view is the end of the row. Of two parts that export one interface, the first one is taken.
    let mut rest = view;
    for (place, (name, wasm)) in row.iter().enumerate().rev() {
        let component = parts.add(&format!("policy-{place}"), wasm.clone())?;
        let (policy, open) = parts.instance(component, &[view])?;
        if let Some(import) = open.into_iter().next() {
            return Err(ServiceError::Import { policy: name.clone(), import });
        }
        rest = parts.closed(link, &[policy, rest, view])?;
    }
    let service = parts.component_carried("guard-service")?;
    let (service, open) = parts.instance(service, &[rest, view, bundle, config])?;
    if let Some(import) = open.into_iter().find(|import| !import.starts_with("wasi:")) {
        return Err(ServiceError::Compose(format!("nothing gives `{import}`")));
    }
    parts
        .graph
        .encode(EncodeOptions { define_components: true, export: Some(service), validate: true })
        .map_err(composed)
}

fn composed(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Compose(format!("{error:#}"))
}

/// What a service is put together from.
struct Parts {
    graph: CompositionGraph<'static>,
    /// Reads all of them, so that their types are in one place.
    validator: Validator,
}

impl Parts {
    fn add(&mut self, name: &str, wasm: Vec<u8>) -> Result<ComponentId, ServiceError> {
        let component = Component::from_bytes(&mut self.validator, name, wasm).map_err(composed)?;
        self.graph.add_component(component).map_err(composed)
    }

    fn component_carried(&mut self, package: &'static str) -> Result<ComponentId, ServiceError> {
        let wasm = guard_builtins::of_service(package).ok_or(ServiceError::Missing(package))?;
        self.add(package, wasm)
    }

    fn carried(&mut self, package: &'static str, sources: &[InstanceId]) -> Result<InstanceId, ServiceError> {
        let component = self.component_carried(package)?;
        self.closed(component, sources)
    }

    /// An instance whose imports all come from these.
    fn closed(&mut self, component: ComponentId, sources: &[InstanceId]) -> Result<InstanceId, ServiceError> {
        let (instance, open) = self.instance(component, sources)?;
        match open.into_iter().next() {
            None => Ok(instance),
            Some(import) => Err(ServiceError::Compose(format!("nothing gives `{import}`"))),
        }
    }

    /// An instance whose imports come from these, as far as they have them, and the names of the others.
    fn instance(
        &mut self,
        component: ComponentId,
        sources: &[InstanceId],
    ) -> Result<(InstanceId, Vec<String>), ServiceError> {
        let instance = self.graph.instantiate(component).map_err(composed)?;
        let wanted = self
            .graph
            .get_component(component)
            .map(|component| component.imports().map(|(index, name, _)| (index, name.to_owned())).collect::<Vec<_>>());
        let mut open = Vec::new();
        for (index, name) in wanted.unwrap_or_default() {
            let gives = |source: &InstanceId| {
                let (_, given) = self.graph.get_component_of_instance(*source)?;
                Some((*source, given.export_by_name(&name)?.0))
            };
            match sources.iter().find_map(gives) {
                Some((source, export)) => {
                    self.graph.connect(source, Some(export), instance, index).map_err(composed)?
                }
                None => open.push(name),
            }
        }
        Ok((instance, open))
    }
}

/// A component that gives these bytes as `guard:service/config`.
fn config(bytes: &[u8]) -> Result<Vec<u8>, ServiceError> {
    // Where the list lies: its place and its length, and then the bytes.
    const START: usize = 8;
    let pages = (START + bytes.len()).div_ceil(64 << 10);
    let escaped = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let length = u32::try_from(bytes.len()).map_err(composed)?;
    let list = [(START as u32).to_le_bytes(), length.to_le_bytes()].concat();
    let (list, bytes) = (escaped(&list), escaped(bytes));
    let text = format!(
        r#"(component
          (core module $m
            (memory (export "memory") {pages})
            (data (i32.const 0) "{list}")
            (data (i32.const {START}) "{bytes}")
            (func (export "chain") (result i32) i32.const 0))
          (core instance $i (instantiate $m))
          (func $chain (result (list u8))
            (canon lift (core func $i "chain") (memory (core memory $i "memory"))))
          (instance $config (export "chain" (func $chain)))
          (export "guard:service/config@0.1.0" (instance $config)))"#
    );
    wat::parse_str(&text).map_err(composed)
}

//! Composes a chain to one component that serves HTTP: the chain, the view of its policies, the analyzer and the
//! policies.
//!
//! ```text
//! wasi:http  <-  guard-service  ->  guard-bundle  ->  guard-scripts
//!                     |    \             |
//!                     |     link -> policy, link -> policy, ...
//!                     |                  |
//!                   config        guard-service-view
//! ```

use guard_chain::embedded::EmbeddedChain;
use guard_contract::{FaultKind, Wasi};
use wasm_compose::graph::{
    Component, ComponentId, CompositionGraph, EncodeOptions, ExportIndex, ImportIndex, InstanceId,
};
use wasmparser::Validator;
use wit_component::{ComponentEncoder, DecodedWasm, StringEncoding, decode, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, WorldItem, WorldKey};

/// The error if a service can't be composed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// This program was built without guests, or is damaged.
    #[error("this program does not hold `{0}`")]
    Missing(&'static str),
    /// A policy needs an import that a service can't provide.
    #[error("the policy `{policy}` imports `{import}`, which a service does not give: {why}")]
    Import {
        /// The policy.
        policy: String,
        /// The import.
        import: String,
        /// The reason.
        why: String,
    },
    /// A policy imports or exports an interface that only the service's own parts may use.
    #[error("the policy `{policy}` imports or exports `{name}`, which only the parts of a service use")]
    Part {
        /// The policy.
        policy: String,
        /// The interface.
        name: String,
    },
    /// A policy lacks the type information of a component.
    #[error("the policy `{0}` does not export the types of the contract beside its functions")]
    Types(String),
    /// The chain can't be serialized.
    #[error("the chain cannot be written: {0}")]
    Chain(FaultKind),
    /// The parts don't fit together.
    #[error("the parts do not fit together: {0}")]
    Compose(String),
}

/// The prefixes of interfaces between the service's own parts.
const BETWEEN_PARTS: [&str; 2] = ["guard:service/", "guard:bundle/"];

/// A policy that isn't in the bundle.
#[derive(Debug, Clone)]
pub struct RowPolicy {
    /// Its name in the chain.
    pub name: String,
    /// Its component.
    pub wasm: Vec<u8>,
    /// How its WASI imports are resolved.
    pub wasi: Wasi,
}

/// Composes a service. The policies' positions in the chain are those in `row`.
///
/// # Errors
///
/// A part is missing, or a policy imports something that a service doesn't provide.
pub fn compose(embedded: &EmbeddedChain, row: &[RowPolicy]) -> Result<Vec<u8>, ServiceError> {
    let mut parts = Parts::new();
    let view = parts.instantiate_embedded("guard-service-view", &[])?;
    let scripts = parts.instantiate_embedded("guard-scripts", &[])?;
    let bundle = parts.instantiate_embedded("guard-bundle", &[view, scripts])?;
    let config = parts.add("config", config(&embedded.to_bytes().map_err(ServiceError::Chain)?)?)?;
    let config = parts.instantiate(config, &[])?;
    let link = parts.component_carried("guard-service-link")?;
    // The view is at the end of the row. If two parts export an interface, the first one is used.
    let mut rest = view;
    for (place, policy) in row.iter().enumerate().rev() {
        let component = parts.add(&format!("policy-{place}"), policy.wasm.clone())?;
        if let Some(name) = parts.between_parts(component) {
            return Err(ServiceError::Part { policy: policy.name.clone(), name });
        }
        let open = parts.open(component, &[view]);
        let component = match open.is_empty() {
            true => component,
            false => parts.add(&format!("closed-policy-{place}"), compose_policy(policy, &open)?)?,
        };
        let instance = parts.instantiate(component, &[view])?;
        let types = |_| ServiceError::Types(policy.name.clone());
        rest = parts.instantiate(link, &[instance, rest, view]).map_err(types)?;
    }
    let service = parts.component_carried("guard-service")?;
    let sources = [rest, view, bundle, config];
    if let Some(import) = parts.open(service, &sources).into_iter().find(|import| !import.starts_with("wasi:")) {
        return Err(ServiceError::Compose(format!("nothing gives `{import}`")));
    }
    let service = parts.instance(service, &sources)?;
    parts.encode(service)
}

fn compose_error(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Compose(format!("{error:#}"))
}

/// The parts of a service.
struct Parts {
    graph: CompositionGraph<'static>,
    /// Validates all parts, so that they share their types.
    validator: Validator,
}

impl Parts {
    fn new() -> Self {
        Parts { graph: CompositionGraph::new(), validator: Validator::new() }
    }

    /// Encodes the component that has the exports of this instance. Unresolved imports become its own.
    fn encode(&self, instance: InstanceId) -> Result<Vec<u8>, ServiceError> {
        let options = EncodeOptions { define_components: true, export: Some(instance), validate: true };
        self.graph.encode(options).map_err(compose_error)
    }

    fn add(&mut self, name: &str, wasm: Vec<u8>) -> Result<ComponentId, ServiceError> {
        let component = Component::from_bytes(&mut self.validator, name, wasm).map_err(compose_error)?;
        self.graph.add_component(component).map_err(compose_error)
    }

    fn component_carried(&mut self, package: &'static str) -> Result<ComponentId, ServiceError> {
        let wasm = guard_builtins::service_component(package).ok_or(ServiceError::Missing(package))?;
        self.add(package, wasm)
    }

    fn instantiate_embedded(
        &mut self,
        package: &'static str,
        sources: &[InstanceId],
    ) -> Result<InstanceId, ServiceError> {
        let component = self.component_carried(package)?;
        self.instantiate(component, sources)
    }

    /// Instantiates a component whose imports are all provided by these instances.
    fn instantiate(&mut self, component: ComponentId, sources: &[InstanceId]) -> Result<InstanceId, ServiceError> {
        match self.open(component, sources).into_iter().next() {
            None => self.instance(component, sources),
            Some(import) => Err(ServiceError::Compose(format!("nothing gives `{import}`"))),
        }
    }

    /// Instantiates a component and connects the imports that these instances provide.
    fn instance(&mut self, component: ComponentId, sources: &[InstanceId]) -> Result<InstanceId, ServiceError> {
        let instance = self.graph.instantiate(component).map_err(compose_error)?;
        for (index, name) in self.imports(component) {
            if let Some((source, export)) = self.find_export(&name, sources) {
                self.graph.connect(source, Some(export), instance, index).map_err(compose_error)?;
            }
        }
        Ok(instance)
    }

    /// Returns the imports that these instances don't provide.
    fn open(&self, component: ComponentId, sources: &[InstanceId]) -> Vec<String> {
        let names = self.imports(component).into_iter().map(|(_, name)| name);
        names.filter(|name| self.find_export(name, sources).is_none()).collect()
    }

    /// Returns an import or export from one of these packages.
    fn between_parts(&self, component: ComponentId) -> Option<String> {
        let component = self.graph.get_component(component)?;
        let imports = component.imports().map(|(_, name, _)| name);
        let mut names = imports.chain(component.exports().map(|(_, name, ..)| name));
        names.find(|name| BETWEEN_PARTS.iter().any(|package| name.starts_with(package))).map(str::to_owned)
    }

    fn imports(&self, component: ComponentId) -> Vec<(ImportIndex, String)> {
        let imports = self.graph.get_component(component).into_iter().flat_map(Component::imports);
        imports.map(|(index, name, _)| (index, name.to_owned())).collect()
    }

    /// Returns the first instance that exports an interface.
    fn find_export(&self, name: &str, sources: &[InstanceId]) -> Option<(InstanceId, ExportIndex)> {
        sources.iter().find_map(|source| {
            let (_, component) = self.graph.get_component_of_instance(*source)?;
            Some((*source, component.export_by_name(name)?.0))
        })
    }
}

/// Returns the policy with these imports replaced. It is composed separately, because the resource types of two
/// policies would be considered the same.
fn compose_policy(policy: &RowPolicy, names: &[String]) -> Result<Vec<u8>, ServiceError> {
    let mut parts = Parts::new();
    let absent = parts.add("absent", absent(policy, names)?)?;
    let absent = parts.instantiate(absent, &[])?;
    let component = parts.add("policy", policy.wasm.clone())?;
    let policy = parts.instance(component, &[absent])?;
    parts.encode(policy)
}

/// Returns a component that exports these imports of a policy and traps when one is called, as the hook does with
/// imports outside of the contract.
fn absent(policy: &RowPolicy, names: &[String]) -> Result<Vec<u8>, ServiceError> {
    let lacks = |why: String| ServiceError::Import { policy: policy.name.clone(), import: names.join("`, `"), why };
    if policy.wasi == Wasi::Frozen {
        return Err(lacks("its entry has `wasi = \"frozen\"`, and a service has no frozen WASI".to_owned()));
    }
    let encode = || {
        let DecodedWasm::Component(mut resolve, world) = decode(&policy.wasm)? else { return Ok(Vec::new()) };
        let wanted = |(key, item): &(&WorldKey, &WorldItem)| {
            matches!(item, WorldItem::Interface { .. }) && names.contains(&resolve.name_world_key(key))
        };
        let exports = resolve.worlds.get(world).into_iter().flat_map(|world| &world.imports).filter(wanted);
        let exports = exports.map(|(key, item)| (key.clone(), item.clone())).collect();
        if let Some(world) = resolve.worlds.get_mut(world) {
            world.imports.clear();
            world.exports = exports;
        }
        let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
        ComponentEncoder::default().module(&module)?.validate(true).encode()
    };
    encode().map_err(|error| lacks(format!("{error:#}")))
}

/// Returns a component that provides these bytes as `guard:service/config`.
fn config(bytes: &[u8]) -> Result<Vec<u8>, ServiceError> {
    // The memory has the list's pointer and length, followed by the bytes.
    const START: usize = 8;
    let pages = (START + bytes.len()).div_ceil(64 << 10);
    let escaped = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let length = u32::try_from(bytes.len()).map_err(compose_error)?;
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
    wat::parse_str(&text).map_err(compose_error)
}

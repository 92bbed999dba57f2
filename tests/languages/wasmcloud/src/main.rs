//! `on-wasmcloud MANIFEST COMPONENT ADDRESS`: checks a wadm manifest with wasmCloud's own types, and runs an HTTP
//! component on wasmCloud's host, with the manifest's number of instances.

use std::collections::HashMap;
use std::env;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use wadm_types::TraitProperty;
use wadm_types::validation::validate_manifest_file;
use wash_runtime::engine::Engine;
use wash_runtime::host::{HostApi, HostBuilder};
use wash_runtime::plugin::wasi_http::HttpServer;
use wash_runtime::types::{Component, LocalResources, Workload, WorkloadStartRequest};
use wash_runtime::wit::WitInterface;

/// Returns the number of instances in the manifest.
async fn instances(manifest: &str) -> anyhow::Result<i32> {
    let (manifest, failures) = validate_manifest_file(manifest).await?;
    ensure!(failures.is_empty(), "the manifest is not as wadm wants it: {failures:?}");
    let component = manifest.wasm_components().next().context("the manifest has no component")?;
    let of_trait = |property: &TraitProperty| match property {
        TraitProperty::SpreadScaler(scaler) => Some(scaler.instances),
        _ => None,
    };
    let scalers = component.traits.iter().flatten().filter_map(|held| of_trait(&held.properties));
    Ok(scalers.sum::<usize>().try_into()?)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [manifest, component, address] = arguments.as_slice() else {
        bail!("usage: on-wasmcloud MANIFEST COMPONENT ADDRESS");
    };
    let http = Arc::new(HttpServer::new(address.parse()?));
    let host = HostBuilder::new().with_engine(Engine::builder().build()?).with_plugin(http)?.build()?;
    let host = host.start().await?;
    let component = Component {
        bytes: tokio::fs::read(component).await?.into(),
        local_resources: LocalResources::default(),
        pool_size: instances(manifest).await?,
        max_invocations: 0,
    };
    let http = WitInterface {
        namespace: "wasi".to_owned(),
        package: "http".to_owned(),
        interfaces: ["incoming-handler".to_owned()].into(),
        version: None,
        config: HashMap::new(),
    };
    let workload = Workload {
        namespace: "guard".to_owned(),
        name: "guard-service".to_owned(),
        annotations: HashMap::new(),
        service: None,
        components: vec![component],
        host_interfaces: vec![http],
        volumes: Vec::new(),
    };
    host.workload_start(WorkloadStartRequest { workload }).await?;
    std::future::pending().await
}

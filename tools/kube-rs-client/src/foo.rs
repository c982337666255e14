use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, CustomResource, CustomResourceExt,
    api::{Patch, PatchParams},
    runtime::wait::{await_condition, conditions},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const GROUP: &str = "kube-rs.example.com";

#[derive(CustomResource, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "kube-rs.example.com",
    version = "v1",
    kind = "Foo",
    namespaced,
    status = "FooStatus",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas"
    )
)]
pub struct FooSpec {
    pub replicas: i32,
    pub note: Option<String>,
}

#[derive(Deserialize, Serialize, Clone, Debug, Default, JsonSchema)]
pub struct FooStatus {
    pub replicas: i32,
}

/// Returns when objects can be written.
pub async fn define(client: &Client) -> anyhow::Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = Foo::crd_name();
    let apply = PatchParams::apply("kube-rs-client").force();
    definitions
        .patch(name, &apply, &Patch::Apply(Foo::crd()))
        .await?;
    let definition = await_condition(definitions, name, conditions::is_crd_established()).await?;
    let names = definition.and_then(|definition| definition.status?.accepted_names);
    println!("  established as {names:?}");
    Ok(())
}

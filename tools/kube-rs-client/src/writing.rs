use std::collections::BTreeMap;

use k8s_openapi::api::{
    apps::v1::Deployment,
    coordination::v1::Lease,
    core::v1::{ConfigMap, Pod},
};
use kube::{
    Api, Client, Error, ResourceExt,
    api::{
        DeleteParams, DynamicObject, EvictParams, Patch, PatchParams, PostParams, Preconditions,
    },
};
use serde_json::json;

use crate::foo::{Foo, FooSpec};

pub async fn objects(client: &Client, namespace: &str) -> anyhow::Result<()> {
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let mut entry = config_maps
        .entry("entry")
        .await?
        .or_insert(ConfigMap::default);
    for value in ["first", "second"] {
        entry.get_mut().data = Some(BTreeMap::from([("value".to_owned(), value.to_owned())]));
        entry.commit(&PostParams::default()).await?;
    }
    println!("  an entry: {:?}", entry.get().data);
    println!("  absent: {:?}", config_maps.get_opt("absent").await?);
    let mut stale = config_maps.get("entry").await?;
    stale.metadata.resource_version = Some("1".to_owned());
    println!(
        "  stale: {}",
        refusal(
            config_maps
                .replace("entry", &PostParams::default(), &stale)
                .await
        )
    );
    let foreign = DeleteParams {
        preconditions: Some(Preconditions {
            uid: Some("another".to_owned()),
            ..Default::default()
        }),
        ..Default::default()
    };
    println!(
        "  another: {}",
        refusal(config_maps.delete("entry", &foreign).await.map(|_| ()))
    );

    let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "web", "image": "nginx" }] } },
        },
    });
    let made = deployments
        .patch(
            "web",
            &PatchParams::apply("kube-rs-client"),
            &Patch::Apply(&deployment),
        )
        .await?;
    println!("  defaults: {}", serde_json::to_string(&made.spec)?);
    deployments.restart("web").await?;
    let scale = deployments
        .patch_scale(
            "web",
            &PatchParams::default(),
            &Patch::Merge(json!({ "spec": { "replicas": 3 } })),
        )
        .await?;
    println!("  scale: {:?}", scale.spec);
    println!(
        "  generation: {:?}",
        deployments.get("web").await?.metadata.generation
    );

    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let pod = serde_json::from_value(
        json!({ "metadata": { "name": "pod" }, "spec": { "containers": [{ "name": "c", "image": "nginx" }] } }),
    )?;
    pods.create(&PostParams::default(), &pod).await?;
    println!(
        "  evicted: {:?}",
        pods.evict("pod", &EvictParams::default()).await?.status
    );

    let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "lease" },
        "spec": { "holderIdentity": "me", "renewTime": "2026-01-01T00:00:00.000001Z" },
    });
    println!(
        "  lease: {:?}",
        leases
            .patch(
                "lease",
                &PatchParams::apply("kube-rs-client"),
                &Patch::Apply(&lease)
            )
            .await?
            .spec
    );
    Ok(())
}

pub async fn custom_resources(client: &Client, namespace: &str) -> anyhow::Result<()> {
    let foos: Api<Foo> = Api::namespaced(client.clone(), namespace);
    let made = foos
        .create(
            &PostParams::default(),
            &Foo::new(
                "one",
                FooSpec {
                    replicas: 2,
                    note: None,
                },
            ),
        )
        .await?;
    println!(
        "  made: {:?} in generation {:?}",
        made.spec, made.metadata.generation
    );
    let status = json!({ "status": { "replicas": 2 } });
    foos.patch_status("one", &PatchParams::default(), &Patch::Merge(&status))
        .await?;
    println!(
        "  scale: {:?}",
        foos.get_scale("one")
            .await?
            .status
            .map(|status| status.replicas)
    );
    foos.patch_scale(
        "one",
        &PatchParams::default(),
        &Patch::Merge(json!({ "spec": { "replicas": 5 } })),
    )
    .await?;
    let scaled = foos.get("one").await?;
    println!(
        "  scaled: {:?} {:?} in generation {:?}",
        scaled.spec, scaled.status, scaled.metadata.generation
    );

    let applied = |replicas: i32| json!({ "apiVersion": "kube-rs.example.com/v1", "kind": "Foo", "metadata": { "name": "two" }, "spec": { "replicas": replicas } });
    foos.patch(
        "two",
        &PatchParams::apply("first"),
        &Patch::Apply(applied(1)),
    )
    .await?;
    let second = PatchParams::apply("second");
    println!(
        "  conflict: {}",
        refusal(foos.patch("two", &second, &Patch::Apply(applied(2))).await)
    );
    let forced = foos
        .patch("two", &second.force(), &Patch::Apply(applied(2)))
        .await?;
    let managers: Vec<_> = forced
        .managed_fields()
        .iter()
        .map(|entry| (&entry.manager, &entry.operation))
        .collect();
    println!("  forced: {:?} by {managers:?}", forced.spec);

    let unknown = Api::<DynamicObject>::namespaced_with(
        client.clone(),
        namespace,
        &kube::api::ApiResource::erase::<Foo>(&()),
    );
    let wrong = serde_json::from_value(
        json!({ "apiVersion": "kube-rs.example.com/v1", "kind": "Foo", "metadata": { "name": "Wrong_" }, "spec": { "replicas": "many" } }),
    )?;
    println!(
        "  wrong: {}",
        refusal(unknown.create(&PostParams::default(), &wrong).await)
    );
    Ok(())
}

/// As the server worded it, without what differs from run to run.
fn refusal<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(Error::Api(status)) => {
            let message = match status.message.split_once(" match the UID in record") {
                Some((same, _uid)) => same,
                None => &status.message,
            };
            let causes = status
                .details
                .map(|details| details.causes)
                .unwrap_or_default();
            format!("{} {} {message} {causes:?}", status.code, status.reason)
        }
        Err(error) => format!("not an answer: {error}"),
    }
}

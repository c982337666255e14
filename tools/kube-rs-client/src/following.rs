use futures::{Stream, TryStreamExt, pin_mut};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    core::PartialObjectMeta,
    runtime::{WatchStreamExt, reflector, watcher},
};
use serde_json::json;

/// A store holds what the server has: after a list in one piece, in pages, from a cache, and as the first events of a watch.
pub async fn all_ways(client: &Client, namespace: &str) -> anyhow::Result<()> {
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let ways = [
        ("listed", watcher::Config::default()),
        ("paged", watcher::Config::default().page_size(3)),
        ("from-cache", watcher::Config::default().any_semantic()),
        ("streamed", watcher::Config::default().streaming_lists()),
    ];
    for (way, config) in ways {
        follow(&config_maps, way, config.labels(&format!("way={way}"))).await?;
    }
    page_through(&config_maps).await?;
    let outlines: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(client.clone(), namespace);
    let applied =
        watcher(outlines, watcher::Config::default().labels("way=paged")).applied_objects();
    pin_mut!(applied);
    let first = applied
        .try_next()
        .await?
        .map(|object| (object.name_any(), object.types, object.metadata.labels));
    println!("  metadata alone: {first:?}");
    Ok(())
}

async fn follow(
    config_maps: &Api<ConfigMap>,
    way: &str,
    config: watcher::Config,
) -> anyhow::Result<()> {
    for number in 0..10 {
        let object = serde_json::from_value(json!({
            "metadata": { "name": format!("{way}-{number}"), "labels": { "way": way } },
            "data": { "step": "created" },
        }))?;
        config_maps.create(&PostParams::default(), &object).await?;
    }
    let (store, writer) = reflector::store();
    let events = watcher(config_maps.clone(), config).reflect(writer);
    pin_mut!(events);
    until(&mut events, || store.len() == 10).await?;
    config_maps
        .patch(
            &format!("{way}-3"),
            &PatchParams::default(),
            &Patch::Merge(json!({ "data": { "step": "patched" } })),
        )
        .await?;
    config_maps
        .delete(&format!("{way}-4"), &DeleteParams::default())
        .await?;
    until(&mut events, || store.len() == 9).await?;
    let mut held: Vec<_> = store
        .state()
        .iter()
        .map(|object| format!("{} {:?}", object.name_any(), object.data))
        .collect();
    held.sort();
    println!("  {way}: {held:?}");
    Ok(())
}

/// Reads on until the store is as it should be; an error of the watch ends it.
async fn until(
    events: &mut (impl Stream<Item = watcher::Result<watcher::Event<ConfigMap>>> + Unpin),
    is_so: impl Fn() -> bool,
) -> anyhow::Result<()> {
    while !is_so() {
        anyhow::ensure!(events.try_next().await?.is_some(), "the watch has ended");
    }
    Ok(())
}

async fn page_through(config_maps: &Api<ConfigMap>) -> anyhow::Result<()> {
    let mut params = ListParams::default().labels("way").limit(7);
    loop {
        let page = config_maps.list(&params).await?;
        println!(
            "  a page of {}, {:?} more",
            page.items.len(),
            page.metadata.remaining_item_count
        );
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(()),
        }
    }
}

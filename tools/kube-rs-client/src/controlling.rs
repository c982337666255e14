use std::{sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams},
    runtime::{
        Controller, WatchStreamExt,
        controller::Action,
        events::{Event, EventType, Recorder, Reporter},
        finalizer::{self, finalizer},
        wait::await_condition,
        watcher,
    },
};
use serde_json::json;
use tokio::sync::Notify;

use crate::foo::Foo;

type Failure = finalizer::Error<kube::Error>;

struct Context {
    client: Client,
    recorder: Recorder,
}

/// A controller keeps a ConfigMap for each Foo, makes it again when somebody deletes it, and lets no Foo go before it has cleaned up.
pub async fn run(client: &Client, namespace: &str) -> anyhow::Result<()> {
    let foos: Api<Foo> = Api::namespaced(client.clone(), namespace);
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let recorder = Recorder::new(
        client.clone(),
        Reporter {
            controller: "kube-rs-client".into(),
            instance: None,
        },
    );
    let context = Arc::new(Context {
        client: client.clone(),
        recorder,
    });
    // A controller does not wait for the watches of what it owns: what is made and deleted before such a watch begins, it never hears of.
    let watched = Arc::new(Notify::new());
    let watching = watched.clone();
    let owned = watcher(config_maps.clone(), watcher::Config::default())
        .inspect_ok(move |event| {
            if matches!(event, watcher::Event::InitDone) {
                watching.notify_one();
            }
        })
        .touched_objects();
    let controller = Controller::new(foos.clone(), watcher::Config::default())
        .owns_stream(owned)
        .run(
            reconcile,
            |_, _: &Failure, _| Action::requeue(Duration::from_secs(1)),
            context,
        )
        .for_each(|_| async {});
    let observed = async {
        let owned = await_condition(
            config_maps.clone(),
            "foo-one",
            |found: Option<&ConfigMap>| found.is_some(),
        )
        .await?;
        println!("  made: {:?}", owned.and_then(|owned| owned.data));
        watched.notified().await;
        config_maps
            .delete("foo-one", &DeleteParams::default())
            .await?;
        await_condition(config_maps, "foo-one", |found: Option<&ConfigMap>| {
            found.is_some()
        })
        .await?;
        println!("  made again");
        foos.delete("one", &DeleteParams::default()).await?;
        await_condition(foos.clone(), "one", |found: Option<&Foo>| found.is_none()).await?;
        println!("  cleaned up");
        foos.delete_collection(&DeleteParams::default(), &ListParams::default())
            .await?;
        await_condition(foos, "two", |found: Option<&Foo>| found.is_none()).await?;
        println!("  all are gone");
        anyhow::Ok(())
    };
    tokio::select! {
        () = controller => anyhow::bail!("the controller has ended"),
        result = observed => result,
    }
}

async fn reconcile(foo: Arc<Foo>, context: Arc<Context>) -> Result<Action, Failure> {
    let namespace = foo.namespace().unwrap_or_default();
    let foos: Api<Foo> = Api::namespaced(context.client.clone(), &namespace);
    finalizer(&foos, "kube-rs.example.com/clean-up", foo, |event| async {
        let finalizer::Event::Apply(foo) = event else {
            return Ok(Action::await_change());
        };
        let name = format!("foo-{}", foo.name_any());
        let owned = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": name, "ownerReferences": [foo.controller_owner_ref(&())] },
            "data": { "replicas": foo.spec.replicas.to_string() },
        });
        let config_maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &namespace);
        config_maps
            .patch(
                &name,
                &PatchParams::apply("kube-rs-client").force(),
                &Patch::Apply(owned),
            )
            .await?;
        let applied = Event {
            type_: EventType::Normal,
            reason: "Applied".into(),
            note: None,
            action: "Apply".into(),
            secondary: None,
        };
        context
            .recorder
            .publish(&applied, &foo.object_ref(&()))
            .await?;
        Ok(Action::await_change())
    })
    .await
}

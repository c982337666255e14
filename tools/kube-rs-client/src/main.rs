//! What kube-rs does all day, in a namespace that nobody else uses: it discovers, follows, writes and controls. It prints what it saw,
//! without what differs from run to run, so that two servers can be compared. It needs $KUBECONFIG.
//!
//!     kube-rs-client <namespace>

mod controlling;
mod following;
mod foo;
mod writing;

use std::time::Duration;

use anyhow::Context;
use kube::{
    Client,
    api::GroupVersionKind,
    discovery::{self, Discovery},
};

/// Every wait ends after this long: a server that says nothing is an error, with the name of what was waited for.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let namespace = std::env::args()
        .nth(1)
        .context("usage: kube-rs-client <namespace>")?;
    let client = Client::try_default().await?;
    within("discovery", discover(&client)).await?;
    within("following", following::all_ways(&client, &namespace)).await?;
    within("writing", writing::objects(&client, &namespace)).await?;
    within("a custom resource", foo::define(&client)).await?;
    within(
        "writing custom resources",
        writing::custom_resources(&client, &namespace),
    )
    .await?;
    within("controlling", controlling::run(&client, &namespace)).await
}

async fn within<T>(what: &str, work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    println!("{what}:");
    tokio::time::timeout(PATIENCE, work)
        .await
        .with_context(|| format!("{what} takes too long"))?
        .context(what.to_owned())
}

/// Both ways to ask what the server has give the same resources.
async fn discover(client: &Client) -> anyhow::Result<()> {
    let names = |found: Discovery| -> Vec<String> {
        let mut names: Vec<_> = found
            .groups()
            .flat_map(|group| group.recommended_resources())
            .map(|(resource, capabilities)| {
                format!(
                    "{} {} {:?}",
                    resource.api_version, resource.plural, capabilities.scope
                )
            })
            .collect();
        names.sort();
        names
    };
    let one_by_one = names(
        Discovery::new(client.clone())
            .exclude(&[foo::GROUP])
            .run()
            .await?,
    );
    let aggregated = names(
        Discovery::new(client.clone())
            .exclude(&[foo::GROUP])
            .run_aggregated()
            .await?,
    );
    anyhow::ensure!(
        one_by_one == aggregated,
        "{one_by_one:?} is not {aggregated:?}"
    );
    for name in aggregated {
        println!("  {name}");
    }
    let kind = GroupVersionKind::gvk("apps", "v1", "Deployment");
    let (resource, capabilities) = discovery::pinned_kind(client, &kind).await?;
    println!("  {} can {:?}", resource.plural, capabilities.operations);
    Ok(())
}

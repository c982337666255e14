//! Follows all pods of a server with a kube-rs reflector and reports what that took: a line of JSON when the store is
//! ready, another when the last of the ordered events has been applied.

use std::time::{Duration, Instant};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Config, ResourceExt};
use serde_json::json;

#[derive(Default)]
struct Options {
    server: String,
    ca: String,
    events: u64,
    last_version: String,
    drop_managed_fields: bool,
}

fn parse_options() -> Options {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--server" => options.server = value(),
            "--ca" => options.ca = value(),
            "--kind" => assert_eq!(value(), "pods", "this program follows pods only"),
            "--events" => options.events = value().parse().expect("--events takes a number"),
            "--last-version" => options.last_version = value(),
            "--drop-managed-fields" => options.drop_managed_fields = true,
            "--encoding" => assert_eq!(value(), "json", "kube-rs reads JSON only"),
            other => panic!("unknown option {other}"),
        }
    }
    options
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = parse_options();
    let mut config = Config::new(options.server.parse()?);
    config.read_timeout = None;
    if !options.ca.is_empty() {
        let certificate = pem::parse(std::fs::read(&options.ca)?)?;
        config.root_cert = Some(vec![certificate.into_contents()]);
    }
    let pods: Api<Pod> = Api::all(Client::try_from(config)?);

    let heap_before = heap_in_use();
    let cpu_before = cpu_seconds();
    let start = Instant::now();
    let (store, writer) = reflector::store();
    let watcher_config = watcher::Config::default().streaming_lists();
    let drop_managed_fields = options.drop_managed_fields;
    let stream = watcher(pods, watcher_config)
        .modify(move |pod| {
            if drop_managed_fields {
                pod.metadata.managed_fields = None;
            }
        })
        .reflect(writer);
    let last_version = options.last_version;
    let (done_sender, done) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let mut stream = std::pin::pin!(stream);
        let mut first = None;
        while let Some(event) = stream.next().await {
            let watcher::Event::Apply(pod) = event.expect("the watch failed") else { continue };
            let begun: &Instant = first.get_or_insert_with(Instant::now);
            if pod.resource_version().as_deref() == Some(last_version.as_str()) {
                let _ = done_sender.send(begun.elapsed());
                return;
            }
        }
    });
    store.wait_until_ready().await?;
    let synced = start.elapsed();
    let cpu = cpu_seconds() - cpu_before;
    let objects = store.len();
    println!(
        "{}",
        json!({
            "objects": objects,
            "syncSeconds": synced.as_secs_f64(),
            "cpuSeconds": cpu,
            "peakRssMb": peak_rss_mb(),
            "heapBytesAtSync": (heap_in_use() - heap_before) / objects as f64,
        })
    );
    let cpu_before = cpu_seconds();
    let took: Duration = done.await?;
    println!(
        "{}",
        json!({
            "eventsPerSecond": options.events as f64 / took.as_secs_f64(),
            "eventsCpuSeconds": cpu_seconds() - cpu_before,
            "eventsPeakRssMb": peak_rss_mb(),
            "heapBytesPerObject": (heap_in_use() - heap_before) / objects as f64,
        })
    );
    Ok(())
}

/// What the allocator has handed out and not got back, in all its arenas.
fn heap_in_use() -> f64 {
    // SAFETY: it only reads the allocator's counters.
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as f64
}

fn cpu_seconds() -> f64 {
    // SAFETY: the struct is plain data, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Not `ru_maxrss`, in which a process inherits the peak of the one that started it.
fn peak_rss_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = kilobytes.and_then(|text| text.trim().trim_end_matches(" kB").parse::<f64>().ok());
    digits.unwrap_or(0.0) / 1024.0
}

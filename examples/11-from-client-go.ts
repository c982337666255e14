/** A client-go program, line by line: the Go is in the comments. The whole table is in docs/from-client-go.md. */
import { SharedInformerFactory } from 'tidewatch';
import { type ExampleContext, runExample } from './example-cluster.ts';

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  // config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
  // clientset, err := kubernetes.NewForConfig(config)
  //   → const cluster = await Cluster.connect();

  // factory := informers.NewSharedInformerFactoryWithOptions(clientset, 30*time.Second,
  //     informers.WithNamespace("default"),
  //     informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "app" }))
  const factory = new SharedInformerFactory(cluster, {
    resyncMs: 30_000,
    namespace: 'default',
    tweakListOptions: (options) => {
      options.labelSelector = 'app';
    },
  });

  // podInformer := factory.Core().V1().Pods()
  // informer := podInformer.Informer()
  const podInformer = factory.core.v1.pods();
  const informer = podInformer.informer();

  // err = informer.AddIndexers(cache.Indexers{"byApp": func(obj any) ([]string, error) {
  //     return []string{obj.(*corev1.Pod).Labels["app"]}, nil
  // }})
  informer.addIndexers({ byApp: (pod) => [pod.metadata.labels?.app ?? ''] });

  // registration, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
  //     AddFunc: func(obj any, isInInitialList bool) { … },
  //     UpdateFunc: func(oldObj, newObj any) {
  //         if oldObj.(*corev1.Pod).ResourceVersion == newObj.(*corev1.Pod).ResourceVersion { return } // a resync
  //         …
  //     },
  //     DeleteFunc: func(obj any) {
  //         if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok { obj = tombstone.Obj }
  //         …
  //     },
  // })
  const registration = informer.addEventHandler({
    onAdd: (pod, isInInitialList) => log(`add ${pod.metadata.name}${isInInitialList ? ' (initial list)' : ''}`),
    onUpdate: (oldPod, newPod) => {
      if (oldPod.metadata.resourceVersion === newPod.metadata.resourceVersion) return; // a resync
      log(`update ${newPod.metadata.name}`);
    },
    onDelete: (pod, finalStateUnknown) =>
      log(`delete ${pod.metadata.name}${finalStateUnknown ? ' (final state unknown)' : ''}`),
  });

  // factory.Start(stopCh)
  // if !cache.WaitForCacheSync(stopCh, registration.HasSynced) { … }
  factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  await registration.synced;

  // pods, err := podInformer.Lister().Pods("default").List(labels.Everything())
  // pod, err := podInformer.Lister().Pods("default").Get("mysql") // errors.IsNotFound(err) when there is none
  // byApp, err := informer.GetIndexer().ByIndex("byApp", "mysql")
  const lister = podInformer.lister().namespace('default');
  log(`list: ${lister.list().length}, get: ${lister.get('mysql')?.metadata.name}, nobody: ${lister.get('nobody')}`);
  log(`by index: ${informer.indexer.byIndex('byApp', 'mysql').length}`);

  await meanwhile(async (others) => {
    await others.client(podInformer.resource).patch('mysql', { metadata: { labels: { tier: 'data' } } });
    await others.client(podInformer.resource).delete('wordpress');
  });

  // <-stopCh
  // factory.Shutdown()
  await untilDone();
  await factory.shutdown();
}

await runExample(import.meta.url, main);

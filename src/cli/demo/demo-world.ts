import { ApiServer } from '../../apiserver/apiserver.ts';
import type { PlannedFault } from '../../apiserver/request/fault-plan.ts';
import { Cluster } from '../../cluster/cluster.ts';
import { deployments, replicaSets } from '../../generated/api/apps/v1.ts';
import { nodes, type Pod, pods } from '../../generated/api/core/v1.ts';
import { SharedInformerFactory } from '../../informer/shared-informer-factory.ts';
import { type Inspector, serveInspector } from '../../inspector/inspector.ts';
import type { Clock } from '../../observe/clock.ts';
import { type Logger, silentLogger } from '../../observe/logger.ts';
import type { HandlerRegistration } from '../../processor/processor.ts';
import { type Exchange, observedTransport } from '../exchange-observer.ts';
import { problemText } from '../informer-status.ts';
import { DemoInformer } from './demo-informer.ts';
import { EventLog } from './event-log.ts';
import { seededRandom } from './seeded-random.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

/** The slow handler takes this long for each event. */
const SLOW_MS = 2_000;
/** How many changes are missed before the history is compacted. */
const MISSED_CHANGES = 4;

export interface DemoWorldOptions {
  clock: Clock;
  random: () => number;
  /** For the informers, whose turns nobody can foretell: of their own, so that they do not change the course of events. */
  jitter?: () => number;
  /** Changes a second. */
  rate: number;
  /** False: everything in process, without a socket. Default true. */
  listen?: boolean;
}

/** The server, the simulated cluster on it, the informers that follow it, and what can be done to them. */
export class DemoWorld {
  readonly server: ApiServer;
  readonly simulation: SimulatedCluster;
  readonly log: EventLog;
  readonly pods: DemoInformer<Pod>;
  readonly informers: readonly DemoInformer[];
  readonly #clock: Clock;
  readonly #cluster: Cluster;
  readonly #factory: SharedInformerFactory;
  readonly #stopping = new AbortController();
  #pausing: AbortController | undefined;
  #simulating: Promise<void> = Promise.resolve();
  #outage: PlannedFault | undefined;
  #slow: HandlerRegistration | undefined;

  private constructor(server: ApiServer, cluster: Cluster, simulation: SimulatedCluster, options: DemoWorldOptions) {
    const { clock, jitter = Math.random } = options;
    this.server = server;
    this.simulation = simulation;
    this.#clock = clock;
    this.#cluster = cluster;
    this.log = new EventLog(clock);
    const transport = observedTransport(cluster.transport, (exchange) => this.#logExchange(exchange));
    this.#factory = new SharedInformerFactory(
      { transport },
      {
        clock,
        random: jitter,
        logger: silentLogger,
        watchErrorHandler: (error, { informer, retryInMs = 0 }) => {
          const title = informer.split('.')[0] ?? informer;
          const when = retryInMs < 50 ? 'go on at once' : `try again in about ${Math.ceil(retryInMs / 1_000)} s`;
          this.log.add('problem', `% ${when}: ${problemText(error).replaceAll('%', '')}`, title);
        },
      },
    );
    const about = { clock, log: this.log };
    this.pods = new DemoInformer('pods', this.#factory.for(pods).informer(), about);
    this.informers = [
      this.pods as unknown as DemoInformer,
      new DemoInformer('replicasets', this.#factory.for(replicaSets).informer(), about) as unknown as DemoInformer,
      new DemoInformer('deployments', this.#factory.for(deployments).informer(), about) as unknown as DemoInformer,
      new DemoInformer('nodes', this.#factory.for(nodes).informer(), about) as unknown as DemoInformer,
    ];
  }

  static async start(options: DemoWorldOptions): Promise<DemoWorld> {
    const { clock, random, listen = true } = options;
    const server = await ApiServer.start({
      clock,
      random: seededRandom(random() * 2 ** 32),
      listen,
      logger: silentLogger,
    });
    const inside = Cluster.over(server.transport(), { clock, logger: silentLogger });
    const simulation = new SimulatedCluster({ ...options, cluster: inside });
    const cluster = listen
      ? await Cluster.connect({
          server: server.url,
          ...(server.token !== undefined && { token: server.token }),
          ...(server.ca !== undefined && { certificateAuthority: server.ca }),
          env: {},
          clock,
          logger: silentLogger,
        })
      : Cluster.over(server.transport(), { clock, logger: silentLogger });
    await simulation.fill();
    return new DemoWorld(server, cluster, simulation, options);
  }

  /** The informers begin, and so do the changes. */
  begin(): void {
    this.#factory.start({ signal: this.#stopping.signal });
    this.#resume();
  }

  /** Serves a page that shows the informers, with all that they hold: nothing here is anybody's secret. */
  inspect(port: number, logger: Logger): Promise<Inspector> {
    const show = [pods, replicaSets, deployments, nodes];
    return serveInspector({ factories: [this.#factory], port, show, clock: this.#clock, logger });
  }

  get isDown(): boolean {
    return this.#outage !== undefined;
  }

  get slowHandler(): HandlerRegistration | undefined {
    return this.#slow;
  }

  /** The connections break; the informers go on from the version that they have. */
  cutWatches(): void {
    this.log.add('action', 'the connections of all watches are cut');
    this.server.disconnectWatches({ abruptly: true });
  }

  /** The informers miss some changes, and the server forgets that they happened. */
  async compactHistory(): Promise<void> {
    if (this.isDown) return;
    await this.#pause();
    const refused = this.server.faults.add({ verb: 'watch' }, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    this.server.disconnectWatches({ abruptly: true });
    for (let change = 0; change < MISSED_CHANGES; change++) await this.simulation.step().catch(() => {});
    this.server.compact();
    this.log.add('action', `the history up to ${this.server.resourceVersion} is compacted while the watches are away`);
    refused.remove();
    this.#resume();
  }

  /** As if it was killed; what it stores survives. */
  async toggleServer(): Promise<void> {
    if (this.#outage) {
      this.#outage.remove();
      this.#outage = undefined;
      this.log.add('action', 'the server is back');
      this.#resume();
      return;
    }
    this.#outage = this.server.faults.add({}, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    this.server.disconnectWatches({ abruptly: true });
    this.log.add('action', 'the server is stopped');
    await this.#pause();
  }

  /** A second handler on pods, which is slow: it falls behind alone. */
  async toggleSlowHandler(): Promise<void> {
    const old = this.#slow;
    if (old) {
      this.#slow = undefined;
      this.log.add('action', `the slow handler is removed, with ${old.pending} events undelivered`);
      void old.remove();
      return;
    }
    const wait = () => this.#clock.sleep(SLOW_MS, this.#stopping.signal).catch(() => {});
    this.#slow = this.pods.informer.addEventHandler({ onAdd: wait, onUpdate: wait, onDelete: wait }, { name: 'slow' });
    this.log.add('action', `a handler of pods is added that takes ${SLOW_MS / 1_000} s for each event`);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#pause();
    await this.#factory.shutdown();
    await this.#cluster.close();
    await this.server.stop();
  }

  #resume(): void {
    if (this.#stopping.signal.aborted || this.#pausing !== undefined || this.isDown) return;
    this.#pausing = new AbortController();
    this.#simulating = this.simulation.run(this.#pausing.signal);
  }

  async #pause(): Promise<void> {
    this.#pausing?.abort();
    this.#pausing = undefined;
    await this.#simulating;
  }

  #logExchange({ path, query, isWatch, status }: Exchange): void {
    const plural = path.slice(path.lastIndexOf('/') + 1);
    if (!this.informers.some(({ title }) => title === plural)) return;
    const from = query.get('resourceVersion');
    const answer = status === 200 ? '' : status === undefined ? ': no answer' : `: ${status}`;
    if (!isWatch) this.log.add('request', `list %${answer}`, plural);
    else if (query.get('sendInitialEvents') === 'true')
      this.log.add('request', `list and watch % in one stream${answer}`, plural);
    else this.log.add('request', `watch %${answer}`, `${plural} from ${from ?? 'now'}`);
  }
}

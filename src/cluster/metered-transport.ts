import { isOpenEnded } from '../api/open-ended.ts';
import type { Transport } from '../api/transport.ts';
import { requestFailure } from '../api/transport-error.ts';
import type { Clock } from '../observe/clock.ts';
import type { Metrics } from '../observe/metrics.ts';
import { isMetered, markMetered, RequestMeter } from '../observe/request-meter.ts';

/** The transport, with its requests measured; itself when it does that already. */
export function meteredTransport(
  transport: Transport,
  options: { server: string; clock?: Clock | undefined; metrics?: Metrics | undefined },
): Transport {
  if (isMetered(transport)) return transport;
  const { server, clock, metrics } = options;
  const host = URL.canParse(server) ? new URL(server).host : server;
  const meter = new RequestMeter({ host, clock, metrics });
  const upgrade = transport.upgrade?.bind(transport);
  const made: Transport = {
    request: (request) =>
      meter.measure(request, isOpenEnded(request.query), requestFailure, () => transport.request(request)),
    ...(upgrade && {
      upgrade: (request) => meter.measure({ ...request, method: 'GET' }, true, requestFailure, () => upgrade(request)),
    }),
    close: async () => {
      await transport.close();
      meter.end();
    },
  };
  markMetered(made);
  return made;
}

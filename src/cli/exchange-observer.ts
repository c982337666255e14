import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';

/** One request and how it was answered; `status` is undefined when no response came. */
export interface Exchange {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  readonly status: number | undefined;
}

/** A transport that passes everything on, and tells of each exchange once its head is there. */
export function observedTransport(transport: Transport, onExchange: (exchange: Exchange) => void): Transport {
  const tell = ({ path, query: text }: TransportRequest, status: number | undefined): void => {
    const query = new URLSearchParams(text);
    onExchange({ path, query, isWatch: query.get('watch') === 'true', status });
  };
  return {
    async request(request): Promise<TransportResponse> {
      try {
        const response = await transport.request(request);
        tell(request, response.status);
        return response;
      } catch (error) {
        if (!request.signal?.aborted) tell(request, undefined);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

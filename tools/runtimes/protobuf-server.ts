import type { IncomingMessage, ServerResponse } from 'node:http';
import { ScriptedServer } from '../../src/http/scripted-server-fixture.ts';
import { servingCertificate } from './loopback-server.ts';

const CONTENT_TYPE = 'application/vnd.kubernetes.protobuf';

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function field(number: number, ...content: (string | Buffer)[]): Buffer {
  const value = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

function envelope(kind: string, ...message: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, 'v1'), field(2, kind)), field(2, ...message)]);
}

function podMessage(name: string, version: number): Buffer[] {
  const label = field(11, field(1, 'app'), field(2, 'web'));
  const metadata = [field(1, name), field(3, 'default'), field(5, `uid-${name}`), field(6, String(version)), label];
  const container = field(2, field(1, 'main'), field(2, `${name}:${version}`));
  return [field(1, ...metadata), field(2, container), field(3, field(1, 'Running'))];
}

/** Two pods and their watch in protobuf over HTTPS, which the embedded server does not write. Every list is refused in JSON. */
export class ProtobufServer implements AsyncDisposable {
  readonly #identity = servingCertificate();
  #server: ScriptedServer | undefined;
  readonly #watches = new Set<ServerResponse>();
  #version = 2;

  static async start(): Promise<ProtobufServer> {
    const server = new ProtobufServer();
    const { certificate: cert, key } = server.#identity.certificate;
    server.#server = await ScriptedServer.http((request, response) => server.#answer(request, response), { cert, key });
    return server;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  get ca(): string {
    return this.#identity.authority.certificate;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Tells every watch of another version of the pod. */
  change(name: string): void {
    const object = envelope('Pod', ...podMessage(name, ++this.#version));
    const event = Buffer.concat([field(1, 'MODIFIED'), field(2, field(1, object))]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    for (const watch of this.#watches) watch.write(Buffer.concat([length, event]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (!(request.headers.accept ?? '').includes(CONTENT_TYPE)) {
      response.writeHead(406).end();
      return;
    }
    const isWatch = new URL(request.url ?? '/', this.url).searchParams.has('watch');
    response.setHeader('content-type', isWatch ? `${CONTENT_TYPE};stream=watch` : CONTENT_TYPE);
    if (isWatch) {
      this.#watches.add(response);
      response.on('close', () => this.#watches.delete(response));
      response.flushHeaders();
      return;
    }
    const items = ['a', 'b'].map((name, index) => field(2, ...podMessage(name, index + 1)));
    response.end(envelope('PodList', field(1, field(2, '2')), ...items));
  }
}

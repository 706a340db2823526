import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver accepted about one request. */
export interface ReceivedOf {
  /** `webhook-id`s of events `request.completed`. */
  readonly completed: Set<string>;
  /** The same of `request.updated`. */
  readonly updated: Set<string>;
  /** Of all events together. */
  readonly properties: Map<string, string>;
  userId: string | null;
}

/** Counts events by their `webhook-id` and their request. */
export interface CountingReceiver {
  readonly origin: string;
  /** By request. */
  readonly received: ReadonlyMap<string, ReceivedOf>;
  /** Events that were accepted more than once. */
  readonly repeated: () => number;
  /** First attempts that were answered 503. */
  readonly refused: () => number;
  /** What no service may send: wrong signatures, one `webhook-id` for two events. */
  readonly faults: readonly string[];
  /** The key of `Svc-Signature`. */
  key: string;
  readonly close: () => Promise<void>;
}

/** One event of so many is refused the first time. */
const refusedOf = 20;

interface RequestEvent {
  readonly type: string;
  readonly request_id: string;
  readonly user_id: string | null;
  readonly properties: Readonly<Record<string, string>>;
}

export async function startCountingReceiver(): Promise<CountingReceiver> {
  const received = new Map<string, ReceivedOf>();
  const faults: string[] = [];
  const refusedIds = new Set<string>();
  const seen = new Map<string, string>();
  let repeated = 0;
  const receiver = { key: '' };
  const take = (request: IncomingMessage, body: string): number => {
    const id = String(request.headers['webhook-id']);
    if (signatureOf(receiver.key, body) !== request.headers['svc-signature']) faults.push(`${id} is signed wrongly`);
    const event = JSON.parse(body) as RequestEvent;
    if (isRefusedFirst(id) && !refusedIds.has(id)) {
      refusedIds.add(id);
      return 503;
    }
    const content = `${event.type} ${event.request_id}`;
    if (seen.has(id)) repeated += 1;
    if ((seen.get(id) ?? content) !== content) faults.push(`${id} stands for ${seen.get(id)} and for ${content}`);
    seen.set(id, content);
    note(received, id, event);
    return 200;
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.writeHead(take(request, Buffer.concat(chunks).toString('utf8'))).end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(receiver, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    repeated: () => repeated,
    refused: () => refusedIds.size,
    faults,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  });
}

function signatureOf(key: string, body: string): string {
  return createHmac('sha256', key).update(body).digest('hex');
}

function isRefusedFirst(id: string): boolean {
  return Number.parseInt(id.slice(-6), 16) % refusedOf === 0;
}

function note(received: Map<string, ReceivedOf>, id: string, event: RequestEvent): void {
  const known = received.get(event.request_id) ?? { completed: new Set(), updated: new Set(), properties: new Map(), userId: null };
  received.set(event.request_id, known);
  (event.type === 'request.completed' ? known.completed : known.updated).add(id);
  for (const [name, value] of Object.entries(event.properties)) known.properties.set(name, value);
  known.userId = event.user_id;
}

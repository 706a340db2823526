import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { openClient, parseResponse, type RawClient, requestText } from '../../src/gateway/testing/raw-http.ts';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { eventually } from './eventually.ts';

/** A provider whose every byte is determined by a fault. */
export interface FaultyProvider {
  readonly port: number;
  /** Sets what it does with a connection once a request head has arrived on it. */
  readonly behave: (behaviour: (socket: Socket) => void) => void;
  readonly open: () => readonly Socket[];
  /** All bytes received since the last {@link behave}, as Latin-1. */
  readonly received: () => string;
  /** Destroys every connection. */
  readonly drop: () => void;
  readonly close: () => void;
}

function ignore(_socket: Socket): void {
  // Ignores connections that come before the first fault.
}

export async function startFaultyProvider(): Promise<FaultyProvider> {
  const sockets = new Set<Socket>();
  let behaviour = ignore;
  let behaviours = 0;
  let received = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    let head = '';
    let answered = 0;
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      // Each behaviour handles one request per connection.
      if (answered === behaviours) return;
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      head = '';
      answered = behaviours;
      behaviour(socket);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    behave: (next) => {
      behaviour = next;
      behaviours += 1;
      received = '';
    },
    open: () => [...sockets],
    received: () => received,
    drop,
    close: () => {
      drop();
      server.close();
    },
  };
}

/** A fault in progress. */
export interface FaultScene {
  readonly client: RawClient;
  readonly provider: FaultyProvider;
  /** Request identifier of the call. */
  readonly id: string;
  /** Process id of the worker that handles the call. */
  readonly worker: number;
}

/** What the client received. */
export interface ClientView {
  /** Undefined when no response head came. */
  readonly status: number | undefined;
  /** The response was complete. */
  readonly whole: boolean;
  readonly body: string;
  readonly header: (name: string) => string | undefined;
}

/** Expects a text to equal `is`, or to contain `includes`. */
interface Expectation {
  readonly is?: string;
  readonly includes?: string;
}

/** One way in which a call can fail, and the required outcome. */
export interface Fault {
  readonly name: string;
  /** Absent: a streamed chat. */
  readonly request?: { readonly line: string; readonly headers: readonly string[]; readonly body: string };
  /** Bytes that the client sends instead of a request. */
  readonly raw?: string;
  readonly provider: (socket: Socket) => void;
  /** What the client does; absent: it waits for the end of the response or of its connection. */
  readonly client?: (scene: FaultScene) => Promise<void>;
  readonly expected: Expectation & {
    readonly status?: number;
    readonly whole: boolean;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** `none`: the call leaves no record. */
  readonly record: (Expectation & { readonly response_status: number; readonly requestIncludes?: string }) | 'none';
  /** Open connections to the provider afterwards: 1 when the connection can serve the next call. */
  readonly openConnections: 0 | 1;
}

const chat = {
  line: 'POST /v1/chat/completions',
  headers: ['Content-Type: application/json'],
  body: '{"model":"gpt-4o","stream":true,"messages":[]}',
} as const;

/** The gateway and the provider of the faults. */
export interface FaultStage {
  readonly gatewayPort: number;
  readonly worker: number;
  readonly provider: FaultyProvider;
}

/** Performs one fault. @returns what the client received. */
export async function performFault(stage: FaultStage, fault: Fault): Promise<ClientView & { readonly id: string }> {
  const { provider, gatewayPort, worker } = stage;
  const { line, headers, body } = fault.request ?? chat;
  const id = randomUUID();
  provider.behave(fault.provider);
  const client = await openClient(gatewayPort);
  client.send(fault.raw ?? requestText(line, [...headers, `Svc-Request-Id: ${id}`], body));
  await (fault.client ?? waitForEnd)({ client, provider, id, worker });
  const response = parseResponse(client.received());
  client.socket.destroy();
  return {
    id,
    status: response?.status,
    whole: response?.isComplete ?? false,
    body: response?.body.toString('utf8') ?? '',
    header: (name) => response?.header(name),
  };
}

/** Differences from the required outcome of a fault. */
export function differencesOf({ expected, record }: Fault, seen: ClientView, item: RequestItem | undefined): readonly string[] {
  const recorded = record === 'none' ? undefined : record;
  const checks: readonly (readonly [what: string, got: unknown, wanted: unknown])[] = [
    ['status', seen.status, expected.status],
    ['end of the response', seen.whole, expected.whole],
    ['body', expected.is === undefined ? undefined : seen.body, expected.is],
    ['text in the body', partOf(seen.body, expected.includes), expected.includes],
    ...Object.entries(expected.headers ?? {}).map(([name, value]) => [name, seen.header(name), value] as const),
    ['status on record', item?.response_status, recorded?.response_status],
    ['recorded response', partOf(textOf(item?.response_body), recorded?.includes), recorded?.includes],
    ['recorded request', partOf(textOf(item?.request_body), recorded?.requestIncludes), recorded?.requestIncludes],
  ];
  return checks
    .filter(([, got, required]) => got !== required)
    .map(([what, got, required]) => `${what} is ${shown(got)}, not ${shown(required)}`);
}

/** The part when the text contains it, else the whole text, which then differs. */
function partOf(text: string, part: string | undefined): string | undefined {
  return part === undefined || text.includes(part) ? part : text;
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body ?? null));
const shown = (value: unknown): string => String(value).slice(0, 300);

/** Waits until the response is complete or the connection is closed. */
export async function waitForEnd({ client }: FaultScene): Promise<void> {
  await eventually(
    'the end of the response',
    () => (client.isClosed() || parseResponse(client.received())?.isComplete === true ? true : undefined),
    30_000,
  );
}

/** Waits until the client has received this text. */
export async function waitForText({ client }: FaultScene, text: string): Promise<void> {
  await eventually(`the client to receive ${text}`, () => client.received().includes(text) || undefined);
}

/** Waits until the provider has received this text. */
export async function waitForProvider({ provider }: FaultScene, text: string): Promise<void> {
  await eventually(`the provider to receive ${text}`, () => provider.received().includes(text) || undefined);
}

/** Number of sockets of a process, including the pipes to its parent. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((name) => linkOf(`/proc/${pid}/fd/${name}`).startsWith('socket:')).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed meanwhile.
    return '';
  }
}

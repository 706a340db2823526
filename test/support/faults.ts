import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ourKey } from '../../src/gateway/testing/raw-http.ts';
import { eventually } from './eventually.ts';
import { streamEvents } from './fake-openai.ts';
import { type Fault, type FaultScene, waitForEnd, waitForProvider, waitForText } from './fault-scene.ts';

/** Time limits of the gateway towards its provider, milliseconds. */
const faultTimeoutMs = 800;
/** Time limits of the gateway towards its clients, for sending a request and for reading a response, milliseconds. */
const clientTimeoutMs = 5000;
/** Maximum size of a request or response head, bytes. */
const faultHeaderMaxBytes = 64 * 1024;

/** Ports of the providers. */
export interface FaultPorts {
  readonly provider: number;
  /** Neither accepts nor refuses connections. */
  readonly blackHole: number;
}

/** Settings of the service under test. */
export function faultEnvironment(ports: FaultPorts): Readonly<Record<string, string>> {
  return {
    GATELOG_BOOTSTRAP_API_KEY: ourKey,
    GATELOG_INGEST_INTERVAL_MS: '20',
    GATELOG_PROVIDER_CONNECT_TIMEOUT_MS: String(faultTimeoutMs),
    GATELOG_PROVIDER_HEADERS_TIMEOUT_MS: String(faultTimeoutMs),
    GATELOG_PROVIDER_BODY_TIMEOUT_MS: String(faultTimeoutMs),
    GATELOG_REQUEST_TIMEOUT_MS: String(clientTimeoutMs),
    GATELOG_CLIENT_STALL_TIMEOUT_MS: String(clientTimeoutMs),
    GATELOG_HEADER_MAX_BYTES: String(faultHeaderMaxBytes),
    // A connection that stays is looked for longer than one is usually kept.
    GATELOG_PROVIDER_IDLE_TIMEOUT_MS: '60000',
    GATELOG_PROVIDER_OPENAI_URL: `http://127.0.0.1:${ports.provider}/v1`,
    GATELOG_PROVIDER_MISTRAL_URL: `http://127.0.0.1:${ports.blackHole}/v1`,
    // Nothing listens on port 1.
    GATELOG_PROVIDER_GROQ_URL: 'http://127.0.0.1:1/openai/v1',
  };
}

const json = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const stream = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const lastChunk = '0\r\n\r\n';
const events = streamEvents();
const firstEvents = events.slice(0, 3).join('');
const large = Buffer.alloc(24 * 1024 * 1024, 'abcdefghijklmnop');

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const sends = (text: string) => (socket: Socket) => void socket.write(text);
const sendsThenResets = (text: string) => (socket: Socket) => void socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20));
const sendsThenCloses = (text: string) => (socket: Socket) => void socket.end(text);
const silent = (): void => undefined;

const refused = 'Nothing listens at the address of the provider (ECONNREFUSED). Start it, or fix the address';
const unanswered = 'could not be reached, or closed the connection before it answered';
const late = 'did not answer in time';

/** The provider sends no response: the client gets an error of the gateway, which is recorded with the status 0. */
function noResponse(name: string, provider: (socket: Socket) => void, sentence = unanswered): Fault {
  const status = sentence === late ? 504 : 502;
  return {
    name,
    provider,
    expected: { status, whole: true, includes: sentence },
    record: { response_status: 0, includes: sentence },
    openConnections: 0,
  };
}

/** The provider breaks off its response: the client gets the bytes that came and no end, and the record has the status 502. */
function broken(name: string, provider: (socket: Socket) => void, received: string, recorded: string): Fault {
  return {
    name,
    provider,
    expected: { status: 200, whole: false, is: received },
    record: { response_status: 502, includes: recorded },
    openConnections: 0,
  };
}

/** The response is unusual but complete: it passes unchanged. */
function passes(name: string, sent: string, received: string, more: Partial<Fault> = {}): Fault {
  const expected = { status: 200, whole: true, is: received };
  return { name, provider: sends(sent), expected, record: { response_status: 200, includes: '' }, openConnections: 1, ...more };
}

const withoutResponse: readonly Fault[] = [
  {
    ...noResponse('the provider refuses the connection', silent, refused),
    request: { line: 'POST /groq/openai/v1/chat/completions', headers: ['Content-Type: application/json'], body: '{"model":"m"}' },
  },
  {
    ...noResponse('does not take the connection', silent, late),
    request: { line: 'POST /mistral/v1/chat/completions', headers: ['Content-Type: application/json'], body: '{"model":"m"}' },
  },
  noResponse('resets before its head', (socket) => socket.resetAndDestroy()),
  noResponse('closes before its head', (socket) => void socket.end()),
  noResponse('speaks no HTTP', sendsThenCloses('SSH-2.0-nothing\r\n'), 'is not HTTP/1.1'),
  noResponse('breaks off inside its head', sendsThenCloses('HTTP/1.1 200 OK\r\nContent-')),
  noResponse(
    'sends a head over the limit',
    sends(`HTTP/1.1 200 OK\r\nX-Big: ${'b'.repeat(2 * faultHeaderMaxBytes)}\r\nContent-Length: 2\r\n\r\nok`),
    'GATELOG_HEADER_MAX_BYTES',
  ),
  noResponse(
    'sends two lengths that differ',
    sends('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'),
    'more than one Content-Length',
  ),
  noResponse('sends nothing for too long', silent, late),
  noResponse('stalls inside its head', sends('HTTP/1.1 200 OK\r\nContent-'), late),
  noResponse('sends 103 and then nothing for too long', sends('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'), late),
];

const brokenOff: readonly Fault[] = [
  broken('resets inside a body of known length', sendsThenResets(`${json}Content-Length: 10\r\n\r\n{"a":`), '{"a":', '{"a":'),
  broken(
    'closes inside a body of known length: its Content-Length is too long',
    sendsThenCloses(`${json}Content-Length: 10\r\n\r\n{"a":1}`),
    '{"a":1}',
    '{"a":1}',
  ),
  broken('stalls inside a body of known length', sends(`${json}Content-Length: 10\r\n\r\n{"a":`), '{"a":', '{"a":'),
  broken('resets inside a chunked body', sendsThenResets(`${json}Transfer-Encoding: chunked\r\n\r\n${chunk('{"a":')}`), '{"a":', '{"a":'),
  broken('closes without the last chunk', sendsThenCloses(stream + chunk(events.join(''))), events.join(''), '世界'),
  broken('sends an invalid chunk', sends(`${stream}${chunk(firstEvents)}this is no size\r\n`), firstEvents, 'Grüße'),
  broken('resets a body that would end with its connection', sendsThenResets(`${json}Connection: close\r\n\r\n{"a":`), '{"a":', '{"a":'),
  broken('resets in mid-stream', sendsThenResets(stream + chunk(firstEvents)), firstEvents, 'Grüße, 世界'),
  broken('stalls in mid-stream', sends(stream + chunk(firstEvents)), firstEvents, 'Grüße, 世界'),
  broken('resets after [DONE], before the end', sendsThenResets(stream + chunk(events.join(''))), events.join(''), '世界'),
];

const malformed = 'data: {"choices":[{"delta":{"content":"half\n\nevent: nonsense\ndata\n\n: \u0000\n\ndata: {]}\n\n';

const oddButWhole: readonly Fault[] = [
  passes('sends a malformed stream', stream + chunk(malformed) + lastChunk, malformed, {
    record: { response_status: 200, includes: 'nonsense' },
  }),
  passes('sends a stream without [DONE]', stream + chunk(firstEvents) + lastChunk, firstEvents, {
    record: { response_status: 200, includes: 'Grüße, 世界' },
  }),
  passes('sends broken JSON', `${json}Content-Length: 5\r\n\r\n{"a":`, '{"a":', { record: { response_status: 200, includes: '{"a":' } }),
  passes('declares gzip and sends plain text', `${json}Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain`, 'plain', {
    record: { response_status: 200, includes: Buffer.from('plain').toString('base64') },
  }),
  // The connection holds bytes that belong to no response, so it cannot be reused.
  passes('sends more than its Content-Length', `${json}Content-Length: 2\r\n\r\n{}more than that`, '{}', { openConnections: 0 }),
  {
    name: 'answers 429 with Retry-After',
    provider: sends('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 17\r\nContent-Length: 4\r\n\r\nslow'),
    expected: { status: 429, whole: true, is: 'slow', headers: { 'retry-after': '17' } },
    record: { response_status: 429, includes: 'slow' },
    openConnections: 1,
  },
  passes(
    'sends a head just below the limit',
    `${json}X-Big: ${'b'.repeat(faultHeaderMaxBytes - 1000)}\r\nContent-Length: 2\r\n\r\n{}`,
    '{}',
    {
      expected: { status: 200, whole: true, is: '{}', headers: { 'x-big': 'b'.repeat(faultHeaderMaxBytes - 1000) } },
    },
  ),
  passes('drips for longer than it may be silent', '', events.join(''), {
    provider: (socket) => void drip(socket),
    record: { response_status: 200, includes: '世界' },
  }),
];

/** Sends a stream in pieces, each well within the time limit, all together beyond it. */
async function drip(socket: Socket): Promise<void> {
  const whole = Buffer.from(stream + chunk(events.join('')) + lastChunk);
  const pieces = 40;
  const size = Math.ceil(whole.length / pieces);
  for (let at = 0; at < whole.length; at += size) {
    socket.write(whole.subarray(at, at + size));
    await wait((2 * faultTimeoutMs) / pieces);
  }
}

const upload = (headers: readonly string[]): NonNullable<Fault['request']> => ({
  line: 'POST /v1/files',
  headers: ['Content-Type: audio/wav', ...headers],
  body: 'RIFF',
});

/** The client leaves: the record has the status 499 and the bytes so far, and the connection to the provider is closed. */
function leaves(name: string, fault: Partial<Fault> & Pick<Fault, 'client'>, includes = ''): Fault {
  return { name, provider: silent, expected: { whole: false }, record: { response_status: 499, includes }, openConnections: 0, ...fault };
}

const waitForRequest = (scene: FaultScene): Promise<void> => waitForProvider(scene, 'gpt-4o');
const halfStream = sends(stream + chunk(firstEvents));

function largeResponse(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${large.length}\r\n\r\n`);
  socket.write(large);
}

const clientFaults: readonly Fault[] = [
  leaves('inside its head', {
    raw: 'POST /v1/chat/completions HTTP/1.1\r\nHost: ',
    client: async ({ client }) => void client.socket.resetAndDestroy(),
    record: 'none',
  }),
  leaves('while its body is read for the model', {
    request: { line: 'POST /v1/chat/completions', headers: ['Content-Type: application/json', 'Content-Length: 100'], body: '{"model":' },
    client: async ({ client }) => void client.socket.end(),
    record: { response_status: 499, includes: '', requestIncludes: '{"model":' },
  }),
  leaves('before the response head', {
    client: async (scene) => {
      await waitForRequest(scene);
      scene.client.socket.destroy();
    },
    record: { response_status: 499, includes: '', requestIncludes: 'gpt-4o' },
  }),
  leaves(
    'in mid-stream',
    {
      provider: halfStream,
      client: async (scene) => {
        await waitForText(scene, '世界');
        scene.client.socket.destroy();
      },
      expected: { status: 200, whole: false, is: firstEvents },
    },
    'Grüße, 世界',
  ),
  leaves(
    'with a reset in mid-stream',
    {
      provider: halfStream,
      client: async (scene) => {
        await waitForText(scene, '世界');
        scene.client.socket.resetAndDestroy();
      },
      expected: { status: 200, whole: false, is: firstEvents },
    },
    'Grüße, 世界',
  ),
  leaves('in the middle of an upload', {
    request: upload(['Content-Length: 100']),
    client: async (scene) => {
      await waitForProvider(scene, 'RIFF');
      scene.client.socket.destroy();
    },
    record: { response_status: 499, includes: '', requestIncludes: 'RIFF' },
  }),
  leaves('in the middle of an upload, whose connection it half-closes', {
    request: upload(['Content-Length: 100']),
    client: async (scene) => {
      await waitForProvider(scene, 'RIFF');
      scene.client.socket.end();
      await waitForEnd(scene);
    },
    record: { response_status: 499, includes: '', requestIncludes: 'RIFF' },
  }),
  leaves('in the middle of an upload, but stays connected', {
    request: upload(['Content-Length: 100']),
    client: waitForEnd,
    record: { response_status: 499, includes: '', requestIncludes: 'RIFF' },
  }),
  leaves('by an invalid chunk in an upload', {
    request: { ...upload(['Transfer-Encoding: chunked']), body: '4\r\nRIFF\r\n' },
    client: async (scene) => {
      await waitForProvider(scene, 'RIFF');
      scene.client.send('this is no size\r\n');
      await waitForEnd(scene);
    },
    record: { response_status: 499, includes: '', requestIncludes: 'RIFF' },
  }),
  leaves(
    'after it has read nothing of a large response',
    {
      provider: largeResponse,
      client: async (scene) => {
        await readNothing(scene);
        scene.client.socket.destroy();
      },
    },
    'abcdefghijklmnop',
  ),
  leaves(
    'a large response unread, but stays connected',
    {
      provider: largeResponse,
      client: async (scene) => {
        await readNothing(scene);
        await eventually(
          'the gateway to break off',
          () => scene.provider.open().every(({ writableLength }) => writableLength === 0) || undefined,
        );
      },
    },
    'abcdefghijklmnop',
  ),
  {
    name: 'reads nothing of a large response, then all of it',
    provider: largeResponse,
    client: async (scene) => {
      await readNothing(scene);
      scene.client.socket.resume();
      await eventually('the whole response', () => scene.client.size() > large.length || undefined, 30_000);
    },
    expected: { status: 200, whole: true, is: large.toString() },
    record: { response_status: 200, includes: 'abcdefghijklmnop' },
    openConnections: 1,
  },
];

/** Stops reading until the provider can send no more; most of the response is still unsent then. */
async function readNothing({ client, provider }: FaultScene): Promise<void> {
  client.socket.pause();
  const unsent = (): number => provider.open().reduce((sum, socket) => sum + socket.writableLength, 0);
  let last = -1;
  await eventually('the provider to be held up', async () => {
    const before = last;
    last = unsent();
    await wait(100);
    return last > large.length / 3 && last === before ? true : undefined;
  });
}

/** Every fault, grouped by the side that causes it. */
export const faultGroups: readonly (readonly [group: string, faults: readonly Fault[]])[] = [
  ['a provider that sends no response', withoutResponse],
  ['a provider that breaks off its response', brokenOff],
  ['a provider whose response is unusual but complete', oddButWhole],
  ['a client that leaves', clientFaults],
];

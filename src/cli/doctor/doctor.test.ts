import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { localAddress } from '../base/local-address.ts';
import { checkAddress } from './address.ts';
import { checkFigures, figureIn } from './figures.ts';
import { formOfKey, masked, refusedKey } from './key.ts';
import { checkClock, checkListener, checkVersion } from './listener.ts';
import { checkParts } from './parts.ts';
import { type Answered, probe } from './probe.ts';
import { findingsText } from './text.ts';

describe('the address', () => {
  test.each([
    [undefined, 'ok', 'http://127.0.0.1:8788, the standard', undefined],
    ['https://gatelog.example.com/', 'ok', 'https://gatelog.example.com', undefined],
    ['https://example.com/gatelog/', 'ok', 'https://example.com/gatelog', undefined],
    ['http://[::1]:8788', 'ok', 'http://[::1]:8788', undefined],
    [
      '127.0.0.1:8788',
      'fail',
      'GATELOG_API_URL is no address of http or https.',
      'Write http://127.0.0.1:8788, or https://127.0.0.1:8788.',
    ],
    [
      'gatelog.example.com',
      'fail',
      'GATELOG_API_URL is no address of http or https.',
      'Write http://gatelog.example.com, or https://gatelog.example.com.',
    ],
    ['ftp://example.com', 'fail', 'GATELOG_API_URL is no address of http or https.', 'Write http://127.0.0.1:8788.'],
    [
      'http://u:hunter2@127.0.0.1',
      'fail',
      'GATELOG_API_URL holds a user or a password.',
      'Leave user and password out; the key goes into GATELOG_API_KEY.',
    ],
    [
      'http://127.0.0.1:8788/v1/',
      'fail',
      'GATELOG_API_URL ends in /v1, which every path begins with.',
      'Set GATELOG_API_URL to http://127.0.0.1:8788',
    ],
    ['http://127.0.0.1:8788/?x=1', 'fail', 'GATELOG_API_URL holds more than an address.', 'Write http://127.0.0.1:8788'],
    [
      'http://10.0.0.1:8788',
      'warn',
      'http://10.0.0.1:8788 is plain http: the key can be read on its way.',
      'Put a proxy with TLS in front of the service and write https://.',
    ],
  ])('%s', (given, state, says, remedy) => {
    const { address, finding } = checkAddress(given, localAddress({}));
    expect(finding).toEqual({ check: 'address', state, says, ...(remedy === undefined ? {} : { remedy }) });
    expect(address === undefined).toBe(state === 'fail');
  });
});

describe('without an address the listener of the settings counts', () => {
  test.each([
    [undefined, { GATELOG_API_PORT: '9000' }, 'ok', 'http://127.0.0.1:9000, by GATELOG_API_PORT'],
    [undefined, { GATELOG_API_PORT: '' }, 'ok', 'http://127.0.0.1:8788, the standard'],
    [undefined, { GATELOG_PORT: '8080' }, 'ok', 'http://127.0.0.1:8080, by GATELOG_PORT'],
    [undefined, { GATELOG_PORT: '8080', GATELOG_BASE_PATH: '/llm' }, 'ok', 'http://127.0.0.1:8080/llm, by GATELOG_PORT'],
    [undefined, { GATELOG_PORT: '8443', GATELOG_TLS_CERT_FILE: 'c.pem' }, 'ok', 'https://127.0.0.1:8443, by GATELOG_PORT'],
    ['http://[::1]:8788', { GATELOG_PORT: '9000' }, 'ok', 'http://[::1]:8788'],
    [undefined, { GATELOG_API_PORT: '9000/x' }, 'fail', 'GATELOG_API_PORT is no port.'],
    [undefined, { GATELOG_API_PORT: '90000' }, 'fail', 'GATELOG_API_PORT is no port.'],
    [undefined, { GATELOG_PORT: 'tcp://10.0.0.1:80' }, 'fail', 'GATELOG_PORT is no port.'],
  ])('%s and %j', (given, environment, state, says) => {
    expect(checkAddress(given, localAddress(environment)).finding).toMatchObject({ state, says });
  });
});

describe('the form of a key', () => {
  test.each([
    ['sk-svc-us-0123456789', undefined],
    ['sk-helicone-abcdef', undefined],
    ['imported-key', undefined],
    [undefined, 'GATELOG_API_KEY is not set.'],
    ['', 'GATELOG_API_KEY is not set.'],
    ['"sk-svc-us-0123456789"', 'GATELOG_API_KEY holds quotation marks.'],
    ['Bearer sk-svc-us-0123456789', 'GATELOG_API_KEY begins with "Bearer".'],
    ['sk-svc-us-0123456789\n', 'GATELOG_API_KEY holds spaces, line breaks or other characters that keys do not have.'],
    ['sk-proj-0123456789abcdef', 'sk-p… is a key of OpenAI, not of Gatelog; it was sent to nobody.'],
    ['sk-ant-api03-0123456789abcdef', 'sk-a… is a key of Anthropic, not of Gatelog; it was sent to nobody.'],
    ['AIzaSyA0123456789abcdef', 'AIza… is a key of Google, not of Gatelog; it was sent to nobody.'],
    ['sk-0123456789abcdef', 'sk-0… is a key of OpenAI or another provider, not of Gatelog; it was sent to nobody.'],
  ])('%j', (key, says) => {
    expect(formOfKey(key)?.says).toBe(says);
  });

  test.each([
    ['sk-svc-us-0123456789abcdefghij', 'sk-svc-us-0123…'],
    ['sk-svc-us-0', 'sk-sv…'],
    ['hunter2', 'h…'],
    ['', '…'],
  ])('%s is shown as %s', (key, shown) => {
    expect(masked(key)).toBe(shown);
  });

  test.each([
    ['permission_denied', 'warn'],
    ['wrong_region', 'fail'],
    ['too_many_failures', 'fail'],
    ['invalid_key', 'fail'],
  ])('refused as %s', (code, state) => {
    const finding = refusedKey('sk-svc-us-hunter2hunter2', { code, says: 'The sentence.', permissions: 'w' });
    expect([finding.state, JSON.stringify(finding).includes('hunter2hunter2')]).toEqual([state, false]);
  });
});

const servers: (Server | SocketServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listening(server: Server | SocketServer): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const tls = path.join('test', 'fixtures', 'tls');
const secure = (): Server =>
  createSecureServer(
    { key: readFileSync(path.join(tls, 'key.pem')), cert: readFileSync(path.join(tls, 'certificate.pem')) },
    (_, response) => {
      response.end('hello');
    },
  );

async function listenerAt(address: string) {
  const url = new URL(address);
  const { api, finding } = checkListener(url, await probe(`${url.origin}/openapi.json`, Date.now));
  return { isApi: api !== undefined, ...finding };
}

describe('what answers at the address', () => {
  test('a certificate that nobody has signed', async () => {
    const port = await listening(secure());
    expect(await listenerAt(`https://localhost:${port}`)).toMatchObject({
      isApi: false,
      says: expect.stringMatching(/^The certificate of https:\/\/localhost:\d+ is not accepted \(\w+\)\.$/) as unknown,
    });
  });

  test('https where http is written, and http where https is', async () => {
    const [of, plain] = [await listening(secure()), await listening(createServer((_, response) => response.end('hello')))];
    expect(await listenerAt(`http://127.0.0.1:${of}`)).toMatchObject({
      state: 'fail',
      remedy: expect.stringContaining(`https://127.0.0.1:${of}`) as unknown,
    });
    expect(await listenerAt(`https://127.0.0.1:${plain}`)).toMatchObject({
      says: `https://127.0.0.1:${plain} does not speak https.`,
      remedy: `Set GATELOG_API_URL to http://127.0.0.1:${plain}`,
    });
  });

  test('a redirect, and another program', async () => {
    const redirect = await listening(
      createServer((_, response) => response.writeHead(308, { location: 'https://gatelog.example.com/openapi.json' }).end()),
    );
    expect(await listenerAt(`http://127.0.0.1:${redirect}`)).toMatchObject({
      remedy: 'Set GATELOG_API_URL to https://gatelog.example.com',
    });
    const other = await listening(createServer((_, response) => response.writeHead(404, { server: 'nginx\u0085' }).end('{}')));
    expect(await listenerAt(`http://127.0.0.1:${other}`)).toMatchObject({
      says: `another program (nginx\u{fffd}) answers at http://127.0.0.1:${other} (status 404).`,
    });
  });

  test('a program that breaks off, one that is not there, and a name that nobody has', async () => {
    const rude = await listening(createSocketServer((socket) => socket.destroy()));
    expect(await listenerAt(`http://127.0.0.1:${rude}`)).toMatchObject({
      says: expect.stringContaining('breaks off the connection') as unknown,
    });
    expect(await listenerAt('http://127.0.0.1:2')).toMatchObject({
      says: 'Nothing answers at http://127.0.0.1:2: nothing listens there (ECONNREFUSED).',
    });
    expect(await listenerAt('http://nobody.invalid')).toMatchObject({
      state: 'fail',
      says: expect.stringMatching(/no machine has this name|cannot be looked up/) as unknown,
    });
  });
});

const answered = (given: Partial<Answered>): Answered => ({ status: 200, headers: new Headers(), text: '', ms: 1, middle: 0, ...given });

test.each([
  ['1.2.3', '1.2.3', 'ok'],
  ['1.10.0', '1.9.0', 'warn'],
  ['0.1.0', '0.2.0', 'warn'],
])('a service of version %s and a command of %s: %s', (service, client, state) => {
  expect(checkVersion(service, client).state).toBe(state);
});

test.each([
  [0, 'ok', 'both clocks agree'],
  [5000, 'ok', 'both clocks agree'],
  [3_600_000, 'warn', 'The clock of the service is 3600 s behind.'],
  [-61_000, 'warn', 'The clock of the service is 61 s ahead.'],
])('here it is %i ms later: %s', (later, state, says) => {
  const told = Date.UTC(2026, 0, 5, 12, 0, 0);
  const answer = answered({ headers: new Headers({ date: new Date(told).toUTCString() }), middle: told + 500 + later });
  expect(checkClock(answer)).toMatchObject({ state, says });
});

describe('the parts of a service', () => {
  const readyz = (status: number, failing: readonly string[], degraded: readonly string[]): Answered =>
    answered({ status, text: JSON.stringify({ status: failing.length > 0 ? 'unavailable' : 'ok', failing, degraded }) });
  test.each([
    ['nothing', readyz(200, [], []), [['ok', 'fine']]],
    [
      'a failing store',
      readyz(503, ['store', 'ingest'], ['ingest_behind']),
      [
        ['fail', 'store'],
        ['fail', 'ingest'],
        ['warn', 'ingest_behind'],
      ],
    ],
    [
      'a full disk',
      readyz(503, ['ingest'], ['store_full']),
      [
        ['fail', 'ingest'],
        ['fail', 'store_full'],
      ],
    ],
    ['a part that is new', readyz(200, [], ['__proto__']), [['warn', '__proto__']]],
    ['another answer', answered({ status: 502, text: '<html>' }), [['fail', 'It does not say how it is (status 502)']]],
    ['no answer', { code: 'ECONNRESET', message: '' }, [['fail', 'It does not say how it is (ECONNRESET)']]],
  ] as const)('%s', (_, answer, expected) => {
    expect(checkParts('service', answer, 'fine').map(({ state, says }) => [state, says.split(/[:.]/)[0]])).toEqual(expected);
  });
});

const page = (given: Readonly<Record<string, number>>): Answered =>
  answered({
    text: Object.entries(given)
      .map(([name, value]) => `# HELP ${name} x\n${name}{process="core"} ${value}\n`)
      .join(''),
  });

describe('the figures', () => {
  const calm = {
    gatelog_spool_oldest_waiting_seconds: 0,
    gatelog_spool_exchanges_waiting: 0,
    gatelog_spool_bytes: 1024,
    gatelog_spool_max_bytes: 1_048_576,
  };
  test.each([
    [{}, ['ok', 'ok']],
    [{ gatelog_spool_exchanges_waiting: 3, gatelog_spool_oldest_waiting_seconds: 0.4 }, ['ok', 'ok']],
    [{ gatelog_spool_exchanges_waiting: 1, gatelog_spool_oldest_waiting_seconds: 700 }, ['warn', 'ok']],
    [{ gatelog_spool_bytes: 600_000 }, ['ok', 'warn']],
    [{ gatelog_gateway_unrecorded_total: 1, gatelog_dead_letters_kept: 2 }, ['ok', 'ok', 'warn', 'warn']],
  ])('%j', (given, states) => {
    expect(checkFigures(page({ ...calm, ...given }), false).map(({ state }) => state)).toEqual(states);
  });

  test.each([
    [10, 120, 0, [['ok', 'the public price list is 10 days old']]],
    [
      120,
      117,
      3,
      [
        ['warn', 'the public price list is 120 days old.'],
        ['warn', "3 calls of today's 120 (2.5 %) have no price."],
      ],
    ],
    [
      65,
      0,
      1,
      [
        ['ok', 'the public price list is 65 days old'],
        ['warn', "1 call of today's 1 (100.0 %) has no price."],
      ],
    ],
  ])('tell of a price list of %d days, and of %d calls with and %d without a price', (days, known, unknown, expected) => {
    const text = [
      `gatelog_price_list_age_seconds{process="core"} ${days * 86_400}`,
      `gatelog_calls_today{process="core",cost="known"} ${known}`,
      `gatelog_calls_today{process="core",cost="unknown"} ${unknown}`,
    ].join('\n');
    const found = checkFigures(answered({ text }), false).filter(({ check }) => check === 'prices');
    expect(found.map(({ state, says }) => [state, says])).toEqual(expected);
  });

  const gib = 1024 ** 3;
  const ofDisk = (free: number): Readonly<Record<string, number>> => ({
    gatelog_data_disk_free_bytes: free,
    gatelog_data_disk_size_bytes: 100 * gib,
    gatelog_data_disk_spare_bytes: gib / 4,
  });
  test.each<readonly [string, Readonly<Record<string, number>>, string, readonly (readonly [string, string])[]]>([
    ['room', ofDisk(50 * gib), 'disk', [['ok', 'the disk of the data folder has 50.0 GiB of 100.0 GiB left']]],
    ['little room', ofDisk(9 * gib), 'disk', [['warn', 'the disk of the data folder has 9.0 GiB of 100.0 GiB left.']]],
    ['no limit of memory', { gatelog_process_resident_memory_bytes: gib, gatelog_memory_settings_bytes: 5 * gib }, 'memory', []],
    [
      'enough memory',
      { gatelog_process_resident_memory_bytes: gib, gatelog_memory_settings_bytes: 3 * gib, gatelog_memory_limit_bytes: 4 * gib },
      'memory',
      [['ok', 'its processes use 1.0 GiB of the 4.0 GiB that the container has']],
    ],
    [
      'too little memory for the settings, most of it in use',
      { gatelog_process_resident_memory_bytes: 2 * gib, gatelog_memory_settings_bytes: 5 * gib, gatelog_memory_limit_bytes: 2 * gib },
      'memory',
      [
        ['warn', 'its processes use 2.0 GiB of the 2.0 GiB that the container has.'],
        ['warn', 'The settings let the service take 5.0 GiB; the container has 2.0 GiB.'],
      ],
    ],
  ])('tell of %s', (_title, given, check, expected) => {
    const found = checkFigures(page(given), false).filter((finding) => finding.check === check);
    expect(found.map(({ state, says }) => [state, says])).toEqual(expected);
    expect(found.every(({ state, remedy }) => state === 'ok' || remedy !== undefined)).toBe(true);
  });

  test('tell of a file system of another machine, and of a clock that went ahead', () => {
    const text = [
      'gatelog_data_disk_remote{type="nfs",process="core"} 1',
      'gatelog_events_total{kind="batch_stored",process="core"} 7',
      'gatelog_events_total{kind="removals_put_off",process="core"} 1',
    ].join('\n');
    expect(checkFigures(answered({ text }), false).map(({ state, check, says }) => [state, check, says])).toEqual([
      ['warn', 'disk', 'The data folder lies on a file system of the type nfs.'],
      ['warn', 'clock', 'The clock of the service went ahead since it started.'],
    ]);
    const without = text.replace('removals_put_off",process="core"} 1', 'removals_put_off",process="core"} 0');
    expect(checkFigures(answered({ text: without }), false).map(({ check }) => check)).toEqual(['disk']);
  });

  test('are not shown without their key', () => {
    const [finding] = checkFigures(answered({ status: 401 }), false);
    expect(finding).toMatchObject({ state: 'skip', remedy: 'Set GATELOG_METRICS_KEY here to what the service has.' });
  });

  test('are added up over labels, and others with a longer name are not', () => {
    const text = 'x_total{a="1"} 2\nx_total{a="2"} 3\nx_total_more 100\nx_total NaN\n';
    expect([figureIn(text, 'x_total'), figureIn(text, 'x_total', 'max'), figureIn(text, 'y')]).toEqual([5, 3, undefined]);
  });
});

test('what a service says moves no cursor', () => {
  const text = findingsText([{ check: 'key', state: 'fail', says: 'a\u001b[2Jb', remedy: 'c\u009bd' }], {
    columns: 80,
    environment: {},
    isColoured: false,
  });
  expect(text.split('\n').slice(0, 2)).toEqual(['fail  key         a\u{fffd}[2Jb', '                  → c\u{fffd}d']);
});

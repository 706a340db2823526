import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../../api/testing/api-harness.ts';
import { serveApi } from '../../api/listen.ts';
import type { JobItem } from '../../contract/jobs/job.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { runCommand } from '../command.ts';
import { systemDependencies } from '../base/dependencies.ts';

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});

interface Outcome {
  readonly code: number;
  readonly printed: string;
  readonly hinted: string;
  readonly progress: readonly string[];
}

function set(...words: readonly string[]): Promise<Outcome> {
  return setAt(address, words);
}

async function setAt(base: string, words: readonly string[]): Promise<Outcome> {
  const [printed, hinted, progress]: [string[], string[], string[]] = [[], [], []];
  const code = await runCommand(['properties', 'set', ...words], {
    ...systemDependencies({ GATELOG_API_URL: base, GATELOG_API_KEY: keyOf('rw') }),
    print: (text) => printed.push(text),
    hint: (text) => hinted.push(text),
    progress: (text) => progress.push(text),
  });
  return { code, printed: printed.join('\n'), hinted: hinted.join('\n'), progress };
}

/** Requests of a job header. @returns its filter. */
async function recorded(header: string, properties: readonly Readonly<Record<string, string>>[]): Promise<string> {
  await rig.insert(
    properties.map((own, index) => ({
      requestId: newId(),
      createdAt: Date.parse('2026-01-15T12:00:00Z') + index,
      jobId: header,
      properties: new Map(Object.entries(own)),
    })),
  );
  return JSON.stringify({ request_response_rmt: { job_id: { equals: header } } });
}

/** The API, whose first looks at jobs break off. */
async function withoutJobs(looks: number): Promise<{ readonly server: Server; readonly address: string }> {
  let left = looks;
  const server = createServer((request, response) => {
    if (request.method === 'GET' && left > 0) {
      left -= 1;
      response.destroy();
      return;
    }
    const body: Buffer[] = [];
    request.on('data', (piece: Buffer) => body.push(piece));
    request.on('end', () => {
      const { authorization = '' } = request.headers;
      const given = request.method === 'POST' ? { method: 'POST', body: Buffer.concat(body) } : {};
      const headers = { authorization, 'content-type': 'application/json' };
      void fetch(address + (request.url ?? ''), { headers, ...given }).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      });
    });
  });
  server.listen(0, '127.0.0.1');
  return { server, address: await listening(server) };
}

describe('gatelog properties set', () => {
  it('shows first what would change, changes it, and prints the command that undoes it', async () => {
    const filter = await recorded('cli', [{ Team: 'a', Draft: 'x' }, { Team: 'b' }]);
    const words = ['Team=b', '--remove', 'Draft', '--filter', filter];
    const trial = await set(...words, '--dry-run');
    expect(trial).toMatchObject({ code: 0, hinted: '' });
    const [head, , ...table] = trial.printed.split('\n').map((line) => line.replace(/^[0-9a-f-]{36}  /, ''));
    expect(head).toBe('2 requests match, 1 would change.');
    expect(table.slice(1)).toEqual([
      '2026-01-15T12:00:00.001Z  Team      b       b',
      '2026-01-15T12:00:00.001Z  Draft             ',
      '2026-01-15T12:00:00.000Z  Team      a       b',
      '2026-01-15T12:00:00.000Z  Draft     x       ',
    ]);
    const made = await set(...words);
    expect(made.printed).toMatch(/^2 requests, 1 changed, 1 were so already\.\nUndo: gatelog properties set --undo [0-9a-f-]{36}$/);
    expect(made.progress.at(-1)).toBe('');
    const undo = /--undo (\S+)/.exec(made.printed)?.[1] ?? '';
    expect((await set('--undo', undo)).printed).toBe('1 request, 1 restored.');
  });

  it('waits for a service that is away, as the job goes on with it', async () => {
    const filter = await recorded('cli away', [{}]);
    const flaky = await withoutJobs(3);
    const { code, printed, hinted } = await setAt(flaky.address, ['Team=a', '--filter', filter]);
    await closeServer(flaky.server, 0);
    expect([code, printed]).toEqual([0, expect.stringMatching(/^1 request, 1 changed\.\nUndo: /)]);
    expect(hinted).toMatch(/^No Gatelog answers .* The job [0-9a-f-]{36} goes on when the service is back\.$/);
  });

  it('writes JSON', async () => {
    const filter = await recorded('cli json', [{}]);
    const trial = JSON.parse((await set('Team=a=b', '--filter', filter, '--dry-run', '--json')).printed) as { readonly total: number };
    expect(trial).toMatchObject({ total: 1, changing: 1, sample: [{ after: { Team: 'a=b' } }] });
    const job = JSON.parse((await set('Team=', '--filter', filter, '--json')).printed) as JobItem;
    expect(job).toMatchObject({ state: 'done', set: { Team: '' }, changed: 1 });
  });

  it.each([
    [['Team=a'], 'Say which requests: --where, --property or --filter; --filter all means every request.'],
    [['Team', '--filter', 'all'], '"Team" is no assignment; write a name and a value: Team=search.'],
    [['=a', '--filter', 'all'], '"=a" is no assignment; write a name and a value: Team=search.'],
    [['a=1', 'a=2', '--filter', 'all'], 'The property a is assigned twice.'],
    [['--filter', 'all'], 'Name at least one property: Team=search, or --remove Draft.'],
    [['a=1', '--undo', 'x'], '--undo stands alone: what it restores follows from the job.'],
    [['a=1', '--filter', '{oops'], '--filter is neither "all" nor JSON'],
    [['a=1', '--remove', 'a', '--filter', 'all'], '`a` is in `set` too. Name it once. (at remove[0])'],
    [['--undo', 'nonsense'], 'No such job: an identifier is a UUID, the `job_id` of an answer.'],
  ])('refuses %j', async (words, sentence) => {
    const { code, hinted } = await set(...words);
    expect(code).toBe(sentence.startsWith('No such job') ? 3 : 2);
    expect(hinted).toContain(sentence);
  });
});

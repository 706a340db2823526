import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../src/api/testing/api-harness.ts';
import { serveApi } from '../src/api/listen.ts';
import { buildProgram, runCommand } from '../src/cli/command.ts';
import { systemDependencies } from '../src/cli/base/dependencies.ts';
import type { RequestId } from '../src/model/ids.ts';
import { moneyOfUsd } from '../src/model/pricing/money.ts';
import { unreportedUsage } from '../src/model/record/usage.ts';
import { closeServer, listening } from '../src/platform/http/server.ts';

/** What commands print, on terminals of 80 and of 120 columns and for programs, against the real API over a real store. */

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;
const noon = Date.UTC(2030, 3, 5, 12);
const idOf = (number: number): RequestId => `01964d8c-5b00-7000-8000-${String(number).padStart(12, '0')}` as RequestId;

/** Names that a table has to bear: wide characters, emoji of several code points, sequences that move the cursor or change its colour. */
const users = ['ada', 'grace@example.com', '山田太郎', '👩‍🚀 Sally', 'ev\u001b[31mil\u001b]0;owned\u0007', ''];
const models = ['gpt-4o-mini', 'claude-sonnet-4-5-20250929', 'gemini-2.5-pro'];
const paths = ['/', '/plan', '/plan/search', '/plan/search', '/answer', '/answer/\u202etxt'];

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
  await rig.insert(
    Array.from({ length: 24 }, (_, index) => ({
      requestId: idOf(index),
      createdAt: noon - index * 400_000,
      respondedAt: noon - index * 400_000 + 900 + index * 37,
      model: models[index % models.length] ?? '',
      provider: 'OPENAI',
      path: '/v1/chat/completions',
      userId: users[index % users.length] ?? '',
      sessionId: index < 18 ? `support-${4711 + (index % 3)}` : '',
      sessionName: index < 18 ? 'Support 支援' : '',
      sessionPath: index < 18 ? (paths[index % paths.length] ?? '/') : '',
      properties: new Map([['Team', index % 2 === 0 ? 'search' : 'shop']]),
      status: index % 10 === 9 ? 500 : index === 4 ? 429 : 200,
      latencyMs: 900 + index * 3700,
      usage: { ...unreportedUsage, promptTokens: 1200 + index, completionTokens: 300 },
      cost: index === 7 ? null : (moneyOfUsd(0.0125 * (index + 1)) ?? null),
    })),
  );
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});

interface Terminal {
  readonly columns?: number;
  readonly isColoured?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A command line and what it writes, as a terminal shows it, with its exit code. */
async function shown(line: string, { columns, isColoured = false, environment = {} }: Terminal = {}): Promise<string> {
  const written: string[] = [];
  const program = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const code = await runCommand(program, {
    ...systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('r'), ...environment }),
    now: () => noon + 3_600_000,
    columns,
    isColoured,
    print: (text) => written.push(`${text}\n`),
    hint: (text) => written.push(`${text}\n`),
    write: (bytes) => {
      written.push(Buffer.from(bytes).toString());
      return Promise.resolve();
    },
  });
  return `$ gatelog ${line}\n${written.join('').replaceAll(address, 'http://127.0.0.1:8788')}[exit code ${code}]\n`;
}

const span = '--since 2030-04-05 --until 2030-04-06';
const lines = [
  `requests list ${span} --limit 12`,
  `requests list ${span} --where 'status>=400' --sort cost`,
  `requests list ${span} --columns time,status,user,properties.Team,cost,latency,tokens,session,session_path,model,id --limit 4`,
  `requests get ${idOf(4)}`,
  `sessions list ${span}`,
  'sessions show support-4711',
  'sessions show support-4712 --nodes',
  `users ${span}`,
  `users ada ${span}`,
  `metrics --metric cost,count,error_rate --by user ${span}`,
];

describe.each([80, 120])('on a terminal of %i columns', (columns) => {
  it('tables fit, are cut with an ellipsis, and no stored text reaches the terminal as a command', async () => {
    const outputs = await Promise.all(lines.map((line) => shown(line, { columns })));
    await expect(outputs.join('\n')).toMatchFileSnapshot(`fixtures/command-line/tables-${columns}.txt`);
  });
});

describe('for programs', () => {
  it('lists are one object a line, and one thing is an object', async () => {
    const outputs = await Promise.all(
      [
        `requests list ${span} --limit 3 --json --columns id,status,cost,properties.Team,user`,
        `sessions list ${span} --limit 1 --json`,
        `users ${span} --limit 2 --sort cost --json`,
        `users grace@example.com ${span} --json`,
      ].map((line) => shown(line)),
    );
    await expect(outputs.join('\n')).toMatchFileSnapshot('fixtures/command-line/json.txt');
  });

  it('a table in a pipe is whole: nothing is cut', async () => {
    await expect(await shown(`requests list ${span} --limit 6`)).toMatchFileSnapshot('fixtures/command-line/pipe.txt');
  });
});

it('colours are of the terminal’s own sixteen, and only where they are wanted', async () => {
  const coloured = await shown(`requests list ${span} --where 'status>=400'`, { columns: 100, isColoured: true });
  const codes = [...coloured.matchAll(/\u001b\[(\d+)m/g)].map(([, code]) => Number(code));
  expect([...new Set(codes)].toSorted((one, other) => one - other)).toEqual([0, 1, 31, 35]);
  expect(await shown(`requests list ${span}`, { columns: 100 })).not.toContain('\u001b');
});

describe('help', () => {
  it.each(['', 'requests ', 'requests list ', 'requests get ', 'sessions list ', 'sessions show ', 'users ', 'completion '])(
    'of "gatelog %s" at 80 columns',
    async (name) => {
      const file = name === '' ? 'gatelog' : name.trim().replaceAll(' ', '-');
      await expect(await shown(`${name}--help`, { columns: 80 })).toMatchFileSnapshot(`fixtures/command-line/help-${file}.txt`);
    },
  );
});

it('errors say what is wrong, what helps, and by their exit code what kind they are', async () => {
  const outputs = await Promise.all([
    ...[
      'reqests',
      'requests lst',
      'requests list --limt 3',
      'requests list --limit many',
      "requests list --where 'status'",
      "requests list --where 'modl=gpt-4o'",
      "requests list --where 'cost>cheap'",
      "requests list --where 'model>4'",
      'requests list --sort prise',
      'requests list --columns costs',
      'requests list --since soon',
      'requests list --timezone Mars',
      'requests list --filter {',
      `requests list --filter '{"request_response_rmt": {"cost": {"above": 1}}}'`,
      'requests get',
      'requests get 01964d8c-5b00-7000-8000-00000000ffff',
      'sessions show nowhere',
      'users nobody',
      'users --sort prise',
      'metrics --interval decade',
      'export --format xlsx',
      'completion tcsh',
      `requests list ${span} --property Team=nobody`,
    ].map((line) => shown(line, { columns: 80 })),
    shown('requests list', { environment: { GATELOG_API_KEY: '' } }),
    shown('requests list', { environment: { GATELOG_API_KEY: 'sk-svc-us-nobody' } }),
    shown('requests list', { environment: { GATELOG_API_KEY: keyOf('w') } }),
    shown('requests list', { environment: { GATELOG_API_URL: 'http://127.0.0.1:65535' } }),
    shown('requests list', { environment: { GATELOG_API_URL: 'here' } }),
  ]);
  await expect(outputs.join('\n')).toMatchFileSnapshot('fixtures/command-line/errors.txt');
});

it('every command that answers has --json', () => {
  const answering = buildProgram(systemDependencies({})).commands.flatMap((command) => [command, ...command.commands]);
  const named = new Set(['list', 'get', 'show', 'users', 'metrics', 'report', 'tail', 'doctor']);
  const without = answering.filter((command) => named.has(command.name()) && !['orgs', 'keys'].includes(command.parent?.name() ?? ''));
  expect(without.filter(({ options }) => !options.some(({ long }) => long === '--json')).map((command) => command.name())).toEqual([]);
});

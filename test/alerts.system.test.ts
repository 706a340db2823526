import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeReceivers, type ReceivedPost, type Receiver, startReceiver } from '../src/events/channels/testing/receiver.ts';
import { type ApiClient, apiClient } from './support/api.ts';
import { type CommandResult, gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { completion, type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
let provider: FakeOpenAi;
let service: Service;
let api: ApiClient;
let receiver: Receiver;
let isReceiving = true;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.behave(({ body }, response) => {
    const isFailing = body.toString('utf8').includes('fail');
    response.writeHead(isFailing ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
  });
  receiver = await startReceiver((response) => response.writeHead(isReceiving ? 200 : 503).end());
  const environment = {
    GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
    GATELOG_TARGET_ALLOWLIST: 'localhost',
  };
  service = await startService({ dataDir, environment });
  api = apiClient(service.api);
});
afterAll(async () => {
  await service.stop();
  await provider.close();
  closeReceivers();
  removeDataDir(dataDir);
});

async function call(content: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-provider', 'svc-auth': `Bearer ${testKey}`, ...headers },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
  await response.arrayBuffer();
}

interface StoredRule {
  readonly id: string;
  readonly channels: readonly { readonly secret: string }[];
}

interface Incident {
  readonly id: string;
  readonly group: Readonly<Record<string, string>>;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly peak: number;
  readonly requests: { readonly filter: object; readonly timeFilter: object };
}

interface Told {
  readonly type: string;
  readonly data: {
    readonly alert_id: string;
    readonly status: string;
    readonly incident_id: string;
    readonly groups: readonly { readonly group: Readonly<Record<string, string>>; readonly value: number }[];
    readonly more_groups: number;
    readonly reason: string | null;
  };
}

async function addRule(rule: object): Promise<StoredRule> {
  const whole = { time_window: 30_000, recover_after_ms: 0, channels: [{ type: 'webhook', destination: `${receiver.origin}/` }], ...rule };
  const { status, body } = await api.call<StoredRule>('POST', '/v1/alerts', whole);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
}

/** Events of a rule that arrived, their signatures checked. */
function toldOf({ id, channels: [channel] }: StoredRule): readonly Told[] {
  const verified = new Webhook(channel?.secret ?? '');
  const isOf = ({ body }: ReceivedPost): boolean => (JSON.parse(body) as Told).data.alert_id === id;
  return receiver.posts.filter(isOf).map(({ body, headers }) => verified.verify(body, headers as Record<string, string>) as Told);
}

async function incidentsOf({ id }: StoredRule): Promise<readonly Incident[]> {
  return (await api.call<readonly Incident[]>('GET', `/v1/alerts/${id}/incidents`)).body.data;
}

it('a rule fires within 30 s of its cause, is told signed, resolves, and shows the requests', async () => {
  const rule = await addRule({ name: 'Errors', metric: 'response.status', threshold: 50, new_group_delay_ms: 0 });
  const causedAt = Date.now();
  for (let count = 0; count < 4; count += 1) await call('fail');
  const [triggered] = await eventually('the message', () => (toldOf(rule).length > 0 ? toldOf(rule) : undefined), 60_000);
  expect(triggered).toMatchObject({ type: 'alert.triggered', data: { status: 'triggered', groups: [{ value: 100 }] } });
  const [incident] = await incidentsOf(rule);
  expect(Date.parse(incident?.started_at ?? '') - causedAt).toBeLessThanOrEqual(30_000);
  const found = await api.call<readonly unknown[]>('POST', '/v1/request/query-clickhouse', { ...incident?.requests, limit: 10 });
  expect(found.body.data).toHaveLength(4);

  await eventually(
    'the end',
    async () => {
      await call('fine');
      return toldOf(rule).length > 1 || undefined;
    },
    60_000,
  );
  expect(toldOf(rule).map(({ type, data }) => [type, data.incident_id])).toEqual([
    ['alert.triggered', incident?.id],
    ['alert.resolved', incident?.id],
  ]);
  expect((await incidentsOf(rule)).map(({ ended_at: at, peak }) => [at === null, peak])).toEqual([[false, 100]]);
});

it('each value of a property has an incident of its own, told once although the core is killed before it is delivered', async () => {
  const rule = await addRule({ name: 'Spend', metric: 'cost', threshold: 3, grouping: [{ property: 'Tenant' }], new_group_delay_ms: 0 });
  isReceiving = false;
  for (const [tenant, cost] of [
    ['acme', '5'],
    ['globex', '4'],
    ['initech', '1'],
  ] as const) {
    await call('fine', { 'svc-properties': JSON.stringify({ Tenant: tenant }), 'svc-cost': cost });
  }
  await eventually('the incidents', async () => ((await incidentsOf(rule)).length === 2 ? true : undefined), 60_000);
  const [core = 0] = childrenNamed(service.pid, 'core');
  process.kill(core, 'SIGKILL');
  isReceiving = true;
  const told = await eventually(
    'the message',
    () => (toldOf(rule).some(({ data }) => data.status === 'triggered') ? toldOf(rule) : undefined),
    120_000,
  );
  const names = told.flatMap(({ data }) => data.groups.map(({ group }) => group['properties.Tenant']));
  expect(new Set(names)).toEqual(new Set(['acme', 'globex']));
  const incidents = await eventually('the API', async () => (await incidentsOf(rule).catch(() => undefined)) ?? undefined);
  expect(new Map(incidents.map(({ group, peak }) => [group['properties.Tenant'], peak]))).toEqual(
    new Map([
      ['acme', 5],
      ['globex', 4],
    ]),
  );
  expect(incidents).toHaveLength(2);
});

const command = (...words: readonly (string | { readonly input: string })[]): Promise<CommandResult> => gatelog(dataDir, service, ...words);

it('the command line tests a rule and shows its groups and history; a deleted rule ends what it told', async () => {
  const rule = await addRule({
    name: 'Calls',
    metric: 'count',
    threshold: 1,
    time_window: 3_600_000,
    grouping: ['user'],
    // The tests before have left calls without a user.
    filter: { request_response_rmt: { user_id: { equals: 'eve' } } },
    new_group_delay_ms: 0,
  });
  const statuses = (): readonly string[] => toldOf(rule).map(({ data }) => data.status);
  expect((await command('alerts', 'test', 'Calls')).stdout).toBe('A test message is on its way to 1 channel.\n');
  await eventually('the test', () => (statuses().includes('test') ? true : undefined));
  await call('fine', { 'svc-user-id': 'eve' });
  await eventually('the message', () => (statuses().includes('triggered') ? true : undefined), 60_000);
  expect((await command('alerts', 'states', 'Calls')).stdout).toMatch(/user=eve\s+firing\s+1\b/);
  expect((await command('alerts', 'history', 'Calls')).stdout).toMatch(/firing.*user=eve/);

  isReceiving = false;
  await command('alerts', 'test', 'Calls');
  const history = await eventually('the failure', async () => {
    const { stdout } = await command('alerts', 'history', 'Calls', '--json');
    return stdout.includes('"error"') ? stdout : undefined;
  });
  isReceiving = true;
  const place = `The channel webhook (${receiver.origin}/…)`;
  expect(history).toContain(`${place} was not told: The receiver answered 503. It is tried again.`);

  expect((await command('alerts', 'delete', 'Calls')).code).toBe(0);
  const last = await eventually('the end', () => toldOf(rule).find(({ data }) => data.status === 'resolved'), 60_000);
  expect(last.data.reason).toBe('The rule was deleted.');
});

it('the command line applies rules from its input, tests a webhook, and delivers again', async () => {
  const input = `webhooks:\n  - {name: ops, destination: "${receiver.origin}/ops"}\n`;
  expect((await command('apply', '-f', '-', { input })).stdout).toContain('+ webhook ops');
  expect(await command('apply', '-f', '-', { input: 'webhooks: {}' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('standard input:1:1: webhooks is a list') as unknown,
  });
  const posts = (): readonly ReceivedPost[] => receiver.posts.filter(({ body }) => body.includes('webhook.test'));
  expect(await command('webhooks', 'test', 'ops')).toMatchObject({ code: 0, stdout: 'The destination answered 200.\n' });
  const id = String(posts()[0]?.headers['webhook-id']);
  expect((await command('webhooks', 'replay', 'ops', id)).stdout).toBe(`${id} is retried.\n`);
  await eventually('the replay', () => (posts().length === 2 ? true : undefined));
  expect(posts()[1]?.headers['webhook-id']).toBe(id);
  expect((await command('webhooks', 'deliveries', 'ops')).stdout).toMatch(new RegExp(`delivered\\s+webhook.test\\s+2\\s+200\\s+${id}`));
  isReceiving = false;
  const failed = await command('webhooks', 'test', 'ops');
  isReceiving = true;
  expect(failed).toMatchObject({ code: 1, stdout: 'The receiver answered 503.\n' });
  expect(failed.stderr).toContain('The destination did not take the event.');
  expect((await command('webhooks', 'replay', 'ops', 'msg_unknown')).code).not.toBe(0);
});

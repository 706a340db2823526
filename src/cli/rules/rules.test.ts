import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../../api/testing/api-harness.ts';
import { serveApi } from '../../api/listen.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { runCommand } from '../command.ts';
import { systemDependencies } from '../base/dependencies.ts';

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-rules-'));

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await gatelog('apply', '-f', file('alerts: []'), '--prune');
});

interface Outcome {
  readonly code: number;
  readonly printed: string;
  readonly hinted: string;
}

async function gatelog(...words: readonly string[]): Promise<Outcome> {
  const [printed, hinted]: [string[], string[]] = [[], []];
  const code = await runCommand([...words], {
    ...systemDependencies({
      GATELOG_API_URL: address,
      GATELOG_API_KEY: keyOf('admin'),
      SLACK_URL: 'https://hooks.slack.com/services/T/B/one',
    }),
    print: (text) => printed.push(text),
    write: async (bytes) => void printed.push(Buffer.from(bytes).toString('utf8').trimEnd()),
    hint: (text) => hinted.push(text),
    columns: undefined,
    isColoured: false,
  });
  return { code, printed: printed.join('\n'), hinted: hinted.join('\n') };
}

let files = 0;
function file(text: string, ending = 'yaml'): string {
  files += 1;
  const name = path.join(folder, `${files}.${ending}`);
  writeFileSync(name, text);
  return name;
}

const rules = `
webhooks:
  - name: ops
    destination: https://hooks.example.com/gatelog
    config: {propertyFilters: [{key: Environment, value: production}]}
alerts:
  - name: Spend of a team
    metric: cost
    threshold: 20 # dollars
    time_window: 3600000
    grouping: [{property: Team}]
    channels:
      - {type: webhook, webhook: ops}
      - {type: slack, url: "\${SLACK_URL}"}
  - &errors
    name: Errors
    metric: response.status
    threshold: 5
    time_window: 600000
`;

describe('gatelog apply', () => {
  it('creates what a file says, and changes nothing the second time', async () => {
    const rulesFile = file(rules);
    expect((await gatelog('apply', '-f', rulesFile, '--dry-run')).printed).toContain('Dry run: 3 to create. Nothing was changed.');
    const first = await gatelog('apply', '-f', rulesFile);
    expect(first.printed.replace(/whsec_\S+/, 'whsec_…')).toBe(
      '+ webhook ops\n    secret, not shown again: whsec_…\n+ alert Spend of a team\n+ alert Errors\n\n3 created.',
    );
    expect((await gatelog('apply', '-f', rulesFile)).printed).toBe(
      '= webhook ops\n= alert Spend of a team\n= alert Errors\n\n3 unchanged: nothing to change.',
    );
  });

  it('shows what changes', async () => {
    await gatelog('apply', '-f', file(rules));
    const { printed } = await gatelog('apply', '-f', file(rules.replace('threshold: 20', 'threshold: 25')));
    expect(printed).toBe('= webhook ops\n~ alert Spend of a team\n    threshold: 20 → 25\n= alert Errors\n\n1 changed, 2 unchanged.');
  });

  it('takes several files, JSON among them, and prunes what none of them has', async () => {
    await gatelog('apply', '-f', file(rules));
    const json = file('{"alerts": [{"name": "Errors", "metric": "response.status", "threshold": 5, "time_window": 600000}]}', 'json');
    const yaml = file('webhooks:\n  - {name: new, destination: "https://hooks.example.com/new"}\n');
    const { printed } = await gatelog('apply', '-f', json, '-f', yaml, '--prune');
    expect(printed.split('\n').filter((line) => /^[+=~-]/.test(line))).toEqual([
      '+ webhook new',
      '= alert Errors',
      '- alert Spend of a team',
      '- webhook ops',
    ]);
  });

  it.each<readonly [string, string, readonly RegExp[]]>([
    [
      'a field that there is not',
      rules.replace('threshold: 5', 'treshold: 5'),
      [/:16:5: `threshold` takes/, /:18:5: `treshold` is no field/],
    ],
    ['a wrong value', rules.replace('threshold: 5', 'threshold: much'), [/:18:5: `threshold` takes a number/]],
    ['a rule that the service refuses', rules.replace('threshold: 5', 'threshold: 500'), [/:18:5: `response.status` is between 0 and 100/]],
    ['an unknown webhook', rules.replace('webhook: ops', 'webhook: opps'), [/:13:\d+: The organisation has no such webhook/]],
    ['several faults', rules.replace('threshold: 5', 'threshold: much').replace('https://hooks', 'ftp://hooks'), [/:18:5: /]],
    ['a variable that is not set', rules.replace('SLACK_URL', 'TEAMS_URL'), [/:14:\d+: TEAMS_URL is not set/]],
    [
      'a variable of a list that is not set',
      rules.replace('{type: webhook, webhook: ops}', '{type: email, to: [ops@example.com, "${ONCALL}"]}'),
      [/:13:\d+: ONCALL is not set in the environment; "to" needs it/],
    ],
    ['a secret with an anchor', rules.replace('url: "', 'url: &u "'), [/:14:\d+: a value from the environment takes no anchor/]],
    ['too many faults', Array.from({ length: 200 }, () => 'alerts: []').join('\n'), [/… and 150 more/]],
    ['too much', `# ${'x'.repeat(4_200_000)}\nalerts: []`, [/has at most 4194304/]],
    ['no YAML', 'alerts:\n  - name: "Errors\n', [/:\d+:\d+: /]],
    ['a key twice', 'alerts: []\nalerts: []\n', [/:2:1: /]],
    ['another list', 'alarms: []\n', [/:1:1: "alarms" is no list/]],
    ['no list', 'alerts: {name: x}\n', [/:1:1: alerts is a list/]],
    ['nothing', '', [/is empty/]],
    ['a name twice', rules.replace('name: Errors', 'name: Spend of a team'), [/:16:5: The name is in `alerts` twice/]],
  ])('with %s changes nothing and says the line', async (_, text, sentences) => {
    const { code, hinted } = await gatelog('apply', '-f', file(text));
    expect(code).toBe(2);
    for (const sentence of sentences) expect(hinted).toMatch(sentence);
    expect((await gatelog('alerts', 'list', '--json')).printed).not.toContain('"Errors"');
    expect((await gatelog('webhooks', 'list', '--json')).printed).toBe('');
  });
});

/** Each level holds the one before ten times: written out, it is 10 to the power of so many. */
function bomb(levels: number, level: (number: number, below: string) => string): string {
  const lines = Array.from({ length: levels }, (_, index) => level(index + 1, Array.from({ length: 10 }, () => `*a${index}`).join(', ')));
  return ['alerts:', '  - &a0 {name: x}', ...lines].join('\n');
}

describe('a file that is small and means very much', () => {
  it('anchors and merges that are used a few times are taken', async () => {
    const { code, printed } = await gatelog(
      'apply',
      '-f',
      file('alerts:\n  - &a {name: x, metric: cost, threshold: 1, time_window: 60000}\n  - {<<: [*a], name: y}\n'),
    );
    expect([code, printed]).toEqual([0, '+ alert x\n+ alert y\n\n2 created.']);
  });

  it.each<readonly [string, string]>([
    ['lists of lists', bomb(9, (level, below) => `  - &a${level} {name: x${level}, channels: [${below}]}`)],
    ['merged maps', bomb(9, (level, below) => `  - &a${level} {<<: [${below}], name: x${level}}`)],
    ['itself', 'alerts:\n  - &a {name: x, filter: *a}\n'],
    ['itself, merged', 'alerts:\n  - &a {name: x, <<: *a}\n'],
  ])('%s: is refused in a sentence, and nothing is changed', async (_, text) => {
    const { code, hinted } = await gatelog('apply', '-f', file(text));
    expect(code).toBe(2);
    expect(hinted).toMatch(/uses its anchors .* more than 100 times, or within themselves; write the values out/);
  });
});

describe('gatelog webhooks and alerts', () => {
  it('a name that turns the direction of a line is said with its turns replaced', async () => {
    const name = 'Errors \u202e1 ni';
    await rig.call('POST', '/v1/alerts', { key: keyOf('admin'), body: { name, metric: 'count', threshold: 1, time_window: 60_000 } });
    expect((await gatelog('alerts', 'mute', name, '--until', '2999-01-01')).printed).toBe(
      'Errors \ufffd1 ni notifies nobody until 2999-01-01T00:00:00.000Z; incidents go on.',
    );
    expect((await gatelog('alerts', 'unmute', name)).printed).toBe('Errors \ufffd1 ni notifies again.');
  });

  it('show, mute and delete by name', async () => {
    await gatelog('apply', '-f', file(rules));
    expect((await gatelog('webhooks', 'list')).printed).toMatch(/^NAME\s+DESTINATION.*\nops\s+https:\/\/hooks\.example\.com\/gatelog/);
    expect((await gatelog('webhooks', 'get', 'ops')).printed).toContain('request.completed');
    expect((await gatelog('webhooks', 'deliveries', 'ops')).hinted).toBe('No deliveries match.');
    expect((await gatelog('alerts', 'mute', 'Errors', '--until', '2999-01-01')).printed).toContain('until 2999-01-01T00:00:00.000Z');
    expect((await gatelog('alerts', 'list')).printed).toMatch(/Errors\s+muted/);
    expect((await gatelog('apply', '-f', file(rules))).printed).toContain('nothing to change');
    await gatelog('alerts', 'unmute', 'Errors');
    expect((await gatelog('alerts', 'get', 'Spend of a team')).printed).toContain('https://hooks.slack.com/…');
    expect((await gatelog('alerts', 'incidents', 'Errors')).hinted).toBe('No incidents yet.');
    expect((await gatelog('alerts', 'deliveries', 'Errors')).hinted).toBe('No messages yet.');
    expect((await gatelog('alerts', 'preview', 'Errors')).hinted).toContain('would not have fired');
    expect((await gatelog('alerts', 'preview', 'Errors', '-f', file(rules), '--since', '1h')).hinted).toContain('would not have fired');
    expect((await gatelog('webhooks', 'rotate-secret', 'ops')).printed).toContain('whsec_');
    expect((await gatelog('webhooks', 'recover', 'ops', '--since', '1h')).printed).toBe('0 failed deliveries are retried.');
    expect(await gatelog('webhooks', 'delete', 'nobody')).toMatchObject({
      code: 3,
      hinted: expect.stringContaining('webhooks list') as unknown,
    });
    expect(await gatelog('webhooks', 'delete', 'ops')).toMatchObject({
      code: 2,
      hinted: expect.stringContaining('a channel of alert rules: "Spend of a team"') as unknown,
    });
    expect((await gatelog('alerts', 'delete', 'Spend of a team')).code).toBe(0);
    expect((await gatelog('webhooks', 'delete', 'ops')).code).toBe(0);
    expect((await gatelog('alerts', 'delete', 'Errors')).code).toBe(0);
  });

  it('create a webhook from conditions and show its secret', async () => {
    const made = await gatelog(
      'webhooks',
      'create',
      'https://hooks.example.com/x',
      '--name',
      'x',
      '--property',
      'Team=search',
      '--sample-rate',
      '10',
    );
    expect(made).toMatchObject({
      code: 0,
      printed: expect.stringContaining('whsec_') as unknown,
      hinted: expect.stringContaining('gatelog webhooks test x') as unknown,
    });
    const shown = JSON.parse((await gatelog('webhooks', 'get', 'x', '--json')).printed) as { readonly config: object };
    expect(shown.config).toMatchObject({ sampleRate: 10, propertyFilters: [{ key: 'Team', value: 'search' }] });
  });

  it('create a rule from options, with its groups, its conditions and who is told', async () => {
    await gatelog('webhooks', 'create', 'https://hooks.example.com/x', '--name', 'ops');
    const options = '--metric cost --threshold 20 --window day --timezone Europe/Berlin --by user,properties.Team --minimum-requests 3';
    const made = await gatelog(
      'alerts',
      'create',
      'Spend',
      ...options.split(' '),
      '--where',
      'model=gpt-4o',
      '--channel',
      'webhook:ops',
      '--enforce',
    );
    // A budget has no filter: the service says so.
    expect(made).toMatchObject({ code: 2, hinted: expect.stringContaining('enforce') as unknown });
    const [first, second] = [
      await gatelog('alerts', 'create', 'Spend', ...options.split(' '), '--where', 'model=gpt-4o', '--channel', 'webhook:ops'),
      await gatelog('alerts', 'create', 'Slow', ...'--metric p95_latency --threshold 2000 --window 10m --comparison gt'.split(' ')),
    ];
    expect(first).toMatchObject({
      code: 0,
      hinted: expect.stringMatching(/^When it would have fired: gatelog alerts preview \S+$/) as unknown,
    });
    expect(JSON.parse((await gatelog('alerts', 'get', 'Spend', '--json')).printed)).toMatchObject({
      metric: 'cost',
      threshold: 20,
      window: { calendar: 'day', timezone: 'Europe/Berlin' },
      grouping: ['user', { property: 'Team' }],
      minimum_request_count: 3,
      filter: { request_response_rmt: { model: { equals: 'gpt-4o' } } },
      channels: [{ type: 'webhook', webhookId: expect.any(String) as unknown }],
    });
    expect(second.hinted).toContain('Nobody is notified');
    expect(JSON.parse((await gatelog('alerts', 'get', 'Slow', '--json')).printed)).toMatchObject({
      metric: 'p95_latency',
      comparison: 'gt',
      time_window: 600_000,
      channels: [],
    });
  });

  it.each([
    ['--metric cost --threshold much --window 1h', '--threshold takes a number such as 20 or 0.5; got "much".'],
    [
      '--metric cost --threshold 1 --window soon',
      '--window takes a length such as 10m, 1h or 7d, or the day, week or month of the calendar; got "soon".',
    ],
    ['--metric cost --threshold 1 --window 1h --timezone UTC', '--timezone goes with --window day, week or month.'],
    ['--metric cost --threshold 1 --window 1h --channel ops@example.com', '--channel takes webhook:NAME, email:ADDRESS'],
    ['--metric kost --threshold 1 --window 1h', 'kost'],
    ['--metric cost --threshold 1', "required option '--window <window>' not specified"],
  ])('a rule with %s is refused in a sentence', async (options, sentence) => {
    const { code, hinted } = await gatelog('alerts', 'create', 'wrong', ...options.split(' '));
    expect([code, hinted]).toEqual([2, expect.stringContaining(sentence)]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ruleSetAnswerSchema } from '../../contract/events/rule-set.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/rules/apply';
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());
beforeEach(async () => {
  await apply({ prune: true });
});

const send = (body: object): Promise<Response> => rig.call('POST', path, { key: keyOf('admin'), body });
const apply = async (body: object) => (await checked(await send(body), 200, ruleSetAnswerSchema)).data;
const actions = async (body: object) => (await apply(body)).changes.map(({ kind, name, action }) => `${kind} ${name}: ${action}`);
const faults = async (body: object): Promise<readonly string[]> => {
  const response = await send(body);
  const { details } = (await response.json()) as { readonly details: { readonly faults: readonly { readonly path: string }[] } };
  return [String(response.status), ...details.faults.map((fault) => fault.path)];
};
const names = async (of: 'webhooks' | 'alerts'): Promise<readonly (string | null)[]> => {
  const response = await rig.call('GET', `/v1/${of}`, { key: keyOf('admin') });
  const { data } = (await response.json()) as { readonly data: readonly { readonly name: string | null; readonly offered?: boolean }[] };
  return data.filter(({ offered }) => offered !== true).map(({ name }) => name);
};

const ops = { name: 'ops', destination: 'https://hooks.example.com/ops' };
const slack = { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/secret' };
const spend = {
  name: 'Spend',
  metric: 'cost',
  threshold: 20,
  time_window: 3_600_000,
  grouping: [{ property: 'Team' }],
  channels: [{ type: 'webhook', webhook: 'ops' }, slack, { type: 'webhook', destination: 'https://example.org/alert' }],
};
const errors = { name: 'Errors', metric: 'response.status', threshold: 5, time_window: 600_000 };
const set = { webhooks: [ops], alerts: [spend, errors] };

describe('POST /v1/rules/apply', () => {
  it('creates what is missing, and changes nothing the second time', async () => {
    const first = await apply(set);
    expect(first).toMatchObject({ applied: true, changes: [{ action: 'create' }, { action: 'create' }, { action: 'create' }] });
    // Of the webhook, and of the channel with a destination.
    expect(first.changes.map(({ secrets }) => secrets?.length ?? 0)).toEqual([1, 1, 0]);
    expect(await apply(set)).toEqual({
      applied: false,
      changes: first.changes.map(({ kind, name, id, fields }) => ({ kind, name, id, fields, action: 'unchanged' })),
    });
  });

  it('a dry run says the same and stores nothing', async () => {
    expect(await apply({ ...set, dryRun: true })).toMatchObject({ applied: false, changes: [{ action: 'create', id: null }, {}, {}] });
    expect([await names('webhooks'), await names('alerts')]).toEqual([[], []]);
  });

  it('shows what changes; secrets are compared and not shown', async () => {
    await apply(set);
    const other = { ...spend, threshold: 30, channels: [spend.channels[0], { ...slack, url: `${slack.url}2` }, spend.channels[2]] };
    const changed = { webhooks: [{ ...ops, config: { sampleRate: 50 }, enabled: false }], alerts: [other, errors] };
    const { changes } = await apply(changed);
    expect(changes.map(({ fields }) => fields)).toEqual([
      [
        { field: 'config.sampleRate', before: 100, after: 50 },
        { field: 'enabled', before: true, after: false },
      ],
      [
        { field: 'threshold', before: 20, after: 30 },
        { field: 'channels', before: null, after: null },
      ],
      [],
    ]);
    expect(JSON.stringify(changes)).not.toContain('secret');
    expect((await apply(changed)).applied).toBe(false);
  });

  it('prunes what is not in it: named webhooks and rules, not what Gatelog offered', async () => {
    await apply(set);
    expect(await actions({ alerts: [errors], prune: true, dryRun: true })).toEqual([
      'alert Errors: unchanged',
      'alert Spend: delete',
      'webhook ops: delete',
    ]);
    await apply({ alerts: [errors], prune: true });
    expect([await names('webhooks'), await names('alerts')]).toEqual([[], ['Errors']]);
  });

  it('prunes no webhook that a rule of it tells', async () => {
    await apply(set);
    expect(await faults({ alerts: [spend, errors], prune: true })).toEqual(['422', 'alerts[0].channels[0]']);
    expect([await names('webhooks'), await names('alerts')]).toEqual([['ops'], ['Errors', 'Spend']]);
  });

  it('a webhook that a rule tells is not deleted otherwise either', async () => {
    const { changes } = await apply(set);
    const remove = async (): Promise<Response> => rig.call('DELETE', `/v1/webhooks/${changes[0]?.id ?? ''}`, { key: keyOf('admin') });
    const refused = await remove();
    const { error } = (await refused.json()) as { readonly error: string };
    expect([refused.status, error]).toEqual([422, expect.stringMatching(/channel of alert rules: "Spend"\. Give them other channels/)]);
    expect(await names('webhooks')).toEqual(['ops']);
    await apply({ webhooks: [ops], alerts: [errors], prune: true });
    expect((await remove()).status).toBe(200);
    expect(await names('webhooks')).toEqual([]);
  });

  it('leaves a rule as muted as it is', async () => {
    const { changes } = await apply({ alerts: [errors] });
    const muted = { ...errors, mute_until: '2999-01-01T00:00:00Z' };
    await rig.call('PUT', `/v1/alerts/${changes[0]?.id ?? ''}`, { key: keyOf('admin'), body: muted });
    expect((await apply({ alerts: [errors] })).applied).toBe(false);
    expect(await actions({ alerts: [{ ...errors, threshold: 6 }] })).toEqual(['alert Errors: change']);
    const { data } = (await (await rig.call('GET', `/v1/alerts/${changes[0]?.id ?? ''}`, { key: keyOf('admin') })).json()) as {
      readonly data: object;
    };
    expect(data).toMatchObject({ threshold: 6, mute_until: '2999-01-01T00:00:00.000Z' });
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['an unknown field', { alerts: [{ ...errors, treshold: 5 }] }, ['alerts[0].treshold']],
    [
      'a wrong type and a missing field',
      { alerts: [{ ...errors, threshold: 'x' }, { name: 'y' }] },
      ['alerts[0].threshold', 'alerts[1].metric', 'alerts[1].threshold'],
    ],
    ['a rule that cannot be', { alerts: [errors, { ...errors, name: 'B', threshold: 500 }] }, ['alerts[1].threshold']],
    [
      'a channel that cannot be',
      { alerts: [{ ...spend, channels: [slack, { type: 'webhook', webhook: 'nobody' }] }] },
      ['alerts[0].channels[1].webhook'],
    ],
    ['a closed destination', { webhooks: [{ ...ops, destination: 'https://127.0.0.1/' }] }, ['webhooks[0].destination']],
    ['a webhook without a name', { webhooks: [{ destination: ops.destination }], alerts: [] }, ['webhooks[0].name']],
    ['a webhook that is pruned and still told', { webhooks: [], prune: true }, ['alerts[0].channels[0].webhook']],
    ['a name twice', { webhooks: [ops, ops], alerts: [errors, errors] }, ['webhooks[1].name', 'alerts[1].name']],
  ])('with %s changes nothing, and says every place', async (_, faulty, places) => {
    const whole = { webhooks: [ops], alerts: [spend], ...faulty };
    expect(await faults(whole)).toEqual(['422', ...places]);
    expect([await names('webhooks'), await names('alerts')]).toEqual([[], []]);
  });

  it('takes a key that may administer', async () => {
    expect((await rig.call('POST', path, { key: keyOf('rw'), body: set })).status).toBe(403);
  });
});

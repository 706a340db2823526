import { isDeepStrictEqual } from 'node:util';
import type { RuleSet, RuleSetChange } from '../../contract/events/rule-set.ts';
import { ruleOf } from '../../contract/events/alerts.ts';
import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import type { FieldChange } from '../../model/events/rule-set.ts';
import { bodyFault, type Fault, type FaultPath, type Result } from '../../model/fault.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import { webhookLimits } from '../../model/vocabulary/limits.ts';
import { maxEnforcedRules } from '../../metadata/organization/alert-rules.ts';
import type { WebhookInput, WebhookView } from '../../events/webhooks.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import type { AlertInput } from '../../alerts/rule-changes.ts';
import { readWebhook } from '../page/given-webhook.ts';

/** A change of something stored has its identifier. */
export type PlannedChange = RuleSetChange & { readonly id: Uuid | null };

/** One webhook or rule that is to be stored. */
export interface PlannedPut<Given> {
  readonly given: Given;
  readonly change: PlannedChange;
}

export interface RuleSetPlan {
  readonly webhooks: readonly PlannedPut<WebhookInput>[];
  readonly alerts: readonly PlannedPut<AlertInput>[];
  readonly deleted: readonly (RuleSetChange & { readonly id: Uuid })[];
}

type Ports = Pick<ApiPorts, 'webhooks' | 'alerts'>;

/** What applying a set would change. @returns every fault of the set; nothing may be changed then. */
export async function planRuleSet(
  organizationId: OrganizationId,
  set: RuleSet,
  ports: Ports,
): Promise<RuleSetPlan | { readonly faults: readonly Fault[] }> {
  const faults: Fault[] = [];
  const read: Read = (result, path) => {
    if (result.ok) return result.value;
    faults.push({ ...result.fault, path: [...path, ...result.fault.path] });
    return undefined;
  };
  const stored: Present = {
    webhooks: await ports.webhooks.list(organizationId),
    rules: await ports.alerts.list(organizationId, { limit: alertLimits.rules, offset: 0 }),
  };
  const webhooks = (set.webhooks ?? []).flatMap((body, index) => {
    const given = read(named(readWebhook(body, ports)), ['webhooks', index]);
    return given === undefined ? [] : [{ given, change: webhookChange(given, stored.webhooks) }];
  });
  const known = new Set(stored.webhooks.map(({ webhook }) => webhook.name));
  const upcoming = new Set((set.webhooks ?? []).flatMap(({ name }) => (typeof name === 'string' && !known.has(name) ? [name] : [])));
  const deleted = set.prune === true ? pruned(set, stored) : [];
  const doomed = deleted.filter(({ kind }) => kind === 'webhook');
  const alerts = (set.alerts ?? []).flatMap((body, index) => {
    const given = ruleOf(body);
    const { name } = given.rule;
    faults.push(
      ...lostChannels(given, doomed).map((at): Fault => ({
        code: 'invalid_body',
        path: ['alerts', index, 'channels', at],
        message: lostSentence,
      })),
    );
    const change = read(ports.alerts.changeOf(organizationId, given, upcoming), ['alerts', index]);
    if (change === undefined) return [];
    const { id, fields } = change;
    return [{ given, change: { kind: 'alert' as const, name, action: actionOf(id, fields), id, fields: [...fields] } }];
  });
  const plan = { webhooks, alerts, deleted };
  faults.push(...repeatedNames('webhooks', set.webhooks ?? []), ...repeatedNames('alerts', set.alerts ?? []), ...excess(plan, stored));
  return faults.length > 0 ? { faults } : plan;
}

const lostSentence =
  '`prune` would delete the webhook of this channel, which is not in the set; add it under `webhooks`, or leave the channel out.';

/** Indexes of the channels that are webhooks which are to be deleted. */
function lostChannels({ channels }: AlertInput, doomed: readonly PlannedChange[]): readonly number[] {
  return [...channels.entries()]
    .filter(([, channel]) =>
      doomed.some(
        ({ id, name }) =>
          ('webhookName' in channel && channel.webhookName === name) || ('webhookId' in channel && channel.webhookId === id),
      ),
    )
    .map(([at]) => at);
}

type Read = <Value>(result: Result<Value>, path: FaultPath) => Value | undefined;

/** What the organisation has. */
interface Present {
  readonly webhooks: readonly WebhookView[];
  readonly rules: Awaited<ReturnType<ApiPorts['alerts']['list']>>;
}

/** Faults of a plan after which the organisation would have more than it may. */
function excess({ webhooks, alerts, deleted }: RuleSetPlan, stored: Present): readonly Fault[] {
  const isKept = (id: string): boolean => deleted.every((one) => one.id !== id);
  const kept = stored.rules.filter(({ id }) => isKept(id));
  const inSet = new Set(alerts.map(({ change }) => change.name));
  const enforced = kept.filter(({ name, enforce }) => enforce === true && !inSet.has(name)).length;
  const counts = [
    [
      'webhooks',
      stored.webhooks.filter(({ webhook }) => isKept(webhook.id)).length + created(webhooks),
      webhookLimits.webhooks,
      'webhooks',
    ],
    ['alerts', kept.length + created(alerts), alertLimits.rules, 'rules'],
    ['alerts', enforced + alerts.filter(({ given }) => given.rule.enforce === true).length, maxEnforcedRules, 'rules with `enforce`'],
  ] as const;
  return counts.flatMap(([list, count, max, what]) => (count > max ? [tooMany(list, max, what)] : []));
}

function created(puts: readonly { readonly change: RuleSetChange }[]): number {
  return puts.filter(({ change }) => change.action === 'create').length;
}

function named(read: Result<WebhookInput>): Result<WebhookInput> {
  if (!read.ok || read.value.name !== null) return read;
  return bodyFault(['name'], 'A webhook of a set has a `name`, by which it is found again; write one of 1 to 128 characters.');
}

function webhookChange(given: WebhookInput, present: readonly WebhookView[]): PlannedChange {
  const name = given.name ?? '';
  const existing = present.find(({ webhook }) => webhook.name === name)?.webhook;
  if (existing === undefined) return { kind: 'webhook', name, action: 'create', id: null, fields: [] };
  const { isEnabled = existing.disabled === null } = given;
  const pairs = [
    ['destination', existing.destination, given.destination],
    ['config.filter', existing.filter, given.filter],
    ['config.sampleRate', existing.sampleRate, given.sampleRate],
    ['config.events', existing.events, given.events],
    ['includeData', existing.includeData, given.includeData],
    ['enabled', existing.disabled === null, isEnabled],
  ] as const;
  const fields = pairs
    .map(([field, before, after]) => ({ field, before: plain(before), after: plain(after) }))
    .filter(({ before, after }) => !isDeepStrictEqual(before, after));
  return { kind: 'webhook', name, action: actionOf(existing.id, fields), id: existing.id, fields };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

function actionOf(id: string | null, fields: readonly FieldChange[]): RuleSetChange['action'] {
  if (id === null) return 'create';
  return fields.length === 0 ? 'unchanged' : 'change';
}

function pruned(set: RuleSet, { webhooks, rules }: Present) {
  const alertNames = new Set((set.alerts ?? []).map(({ name }) => name));
  const webhookNames = new Set((set.webhooks ?? []).map(({ name }) => name));
  const isOffer = ({ offered, channels }: (typeof rules)[number]): boolean => offered && channels.length === 0;
  return [
    ...rules
      .filter((rule) => !alertNames.has(rule.name) && !isOffer(rule))
      .map(({ id, name }) => ({ kind: 'alert' as const, name, action: 'delete' as const, id: id as Uuid, fields: [] })),
    ...webhooks.flatMap(({ webhook: { id, name } }) =>
      name === null || webhookNames.has(name) ? [] : [{ kind: 'webhook' as const, name, action: 'delete' as const, id, fields: [] }],
    ),
  ];
}

function repeatedNames(list: 'webhooks' | 'alerts', items: readonly { readonly name?: string | null | undefined }[]): readonly Fault[] {
  const seen = new Set<string>();
  return items.flatMap(({ name }, index) => {
    if (name === undefined || name === null) return [];
    const isRepeated = seen.has(name);
    seen.add(name);
    const message = `The name is in \`${list}\` twice; names are unique, because things are found by them.`;
    return isRepeated ? [{ code: 'invalid_body' as const, path: [list, index, 'name'], message }] : [];
  });
}

function tooMany(list: string, max: number, what: string): Fault {
  return { code: 'invalid_body', path: [list], message: `An organisation has at most ${max} ${what}; with this set it would have more.` };
}

import type { LimitUsage, RateLimit } from '../../client/client.ts';
import { printable } from '../../config/text-table.ts';
import { messageOf } from '../../model/errors.ts';
import { quoted } from '../../model/text.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, CommandError, UsageError } from '../base/dependencies.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { jsonText } from '../base/json.ts';
import { writeRows } from '../terminal/shown.ts';
import type { Column } from '../terminal/table.ts';
import { costText, countText } from '../terminal/texts.ts';
import { unpricedText } from '../metrics/unpriced-text.ts';
import { countsSame, parsedPolicy, policyOf, type PolicyOptions, policyText } from './policy.ts';

interface JsonOption {
  readonly json?: true;
}

interface ScopeOptions {
  /** Identifier of the only key that the limit holds for. */
  readonly key?: string;
  /** The only user, or value of the property, that it holds for. */
  readonly value?: string;
}

export interface LimitSetOptions extends PolicyOptions, ScopeOptions, JsonOption {}

/** `gatelog limits list`: the limits, and how full each is, by the record. */
export async function listLimits(dependencies: CommandDependencies, { json }: JsonOption): Promise<void> {
  const { data } = await serviceClient(dependencies).limits.usage();
  const none = 'There are no limits; "gatelog limits set --usd 50 --per day" makes a budget.';
  await writeRows(dependencies, data, { columns, json, none });
  if (json !== true) for (const limit of data) warnOfUnpriced(dependencies, limit);
}

function warnOfUnpriced(dependencies: CommandDependencies, { policy, value, unpriced }: LimitUsage): void {
  // A service of an earlier version tells nothing of it.
  if (!unpriced?.requests) return;
  dependencies.hint(printable(`${policyText(parsedPolicy(policy), value)}: ${unpricedText(unpriced)}`));
}

/** `gatelog limits set`: adds a limit, or gives the one that counts the same another quota. */
export async function setLimit(dependencies: CommandDependencies, given: string | undefined, options: LimitSetOptions): Promise<void> {
  const policy = policyOf(given, options);
  const client = serviceClient(dependencies);
  const { value } = options;
  if (value !== undefined && policy.segment === undefined) {
    throw new UsageError('--value goes with --by, or with a policy with s=: it names one user, or one value of the property.');
  }
  const key = options.key?.toLowerCase() ?? null;
  const isSame = (limit: RateLimit): boolean =>
    (limit.key_id ?? null) === key && limit.value === value && countsSame(parsedPolicy(limit.policy), policy);
  let before: readonly RateLimit[] = [];
  const { data } = await client.limits.change((present) => {
    const own = ownLimits(present);
    before = own.filter(isSame);
    const limit = { policy: policy.text, ...(value === undefined ? {} : { value }), key_id: key };
    const at = own.findIndex(isSame);
    const others = own.filter((one) => !isSame(one));
    return at === -1 ? [...own, limit] : others.toSpliced(at, 0, limit);
  });
  if (options.json === true) return dependencies.print(jsonText(data, 2));
  const instead =
    before.length === 0 ? '' : `, in place of ${before.map((one) => policyText(parsedPolicy(one.policy), one.value)).join(' and ')}`;
  dependencies.print(printable(`Set: ${policyText(policy, value)}${instead}.`));
  dependencies.hint('It holds within five seconds. Calls beyond it are answered 429.');
  if (value === undefined || policy.segment?.of !== 'property') return;
  await warnOfUnknown(dependencies, policy.segment.name, value).catch((error: unknown) => {
    // The limit is set all the same.
    dependencies.hint(printable(`Whether requests have this value could not be looked up: ${messageOf(error)}`));
  });
}

const monthMs = 30 * 86_400_000;

/** A limit of a value that no request has limits nothing; it may be meant for those to come. */
async function warnOfUnknown(dependencies: CommandDependencies, property: string, value: string): Promise<void> {
  const client = serviceClient(dependencies);
  const names = (await client.properties.list()).data;
  // A limit finds its property in any case, a filter does not.
  const name = names.find((one) => one.property.toLowerCase() === property.toLowerCase())?.property ?? property;
  const { data, hint } = await client.requests.query({
    filter: {
      left: { request_response_rmt: { request_created_at: { gte: new Date(Date.now() - monthMs).toISOString() } } },
      operator: 'and',
      right: { request_response_rmt: { properties: { [name]: { equals: value } } } },
    },
    limit: 1,
    includeBodies: false,
  });
  if (data.length > 0) return;
  const why = hint === undefined ? '.' : `: ${hint}.`;
  dependencies.hint(printable(`No request of the last 30 days has ${name} ${value}${why}`));
}

export async function deleteLimit(dependencies: CommandDependencies, given: string, { key, value }: ScopeOptions): Promise<void> {
  const policy = parsedPolicy(given);
  const client = serviceClient(dependencies);
  const isMeant = (limit: RateLimit): boolean =>
    (key === undefined || limit.key_id === key.toLowerCase()) &&
    (value === undefined || limit.value === value) &&
    isSamePolicy(parsedPolicy(limit.policy), policy);
  await client.limits.change((present) => {
    const [found, another] = meantOf(ownLimits(present).filter(isMeant), key, value);
    if (found === undefined) throw new CommandError(whyNotDeleted(present.find(isMeant), given), exitCodes.notFound);
    if (another !== undefined) throw new UsageError(`The policy ${quoted(given)} means two limits; say which by --key or --value.`);
    return ownLimits(present).filter((limit) => limit !== found);
  });
  dependencies.print(printable(`Deleted: ${policyText(policy, value)}.`));
}

/** A limit that names no other key or value than the options comes before those that do. */
function meantOf(found: readonly RateLimit[], key: string | undefined, value: string | undefined): readonly RateLimit[] {
  const general = found.filter((limit) => (limit.key_id ?? null) === (key?.toLowerCase() ?? null) && limit.value === value);
  return general.length === 1 ? general : found;
}

function isSamePolicy(one: ReturnType<typeof parsedPolicy>, other: ReturnType<typeof parsedPolicy>): boolean {
  return one.quota === other.quota && countsSame(one, other);
}

function whyNotDeleted(ofRule: RateLimit | undefined, given: string): string {
  if (ofRule?.alert_name === undefined) return `There is no limit ${quoted(given)}; "gatelog limits list" shows them.`;
  return `The limit belongs to the alert rule ${quoted(ofRule.alert_name)} and ends with it: "gatelog alerts get" shows the rule.`;
}

/** Without those of alert rules, which stay as they are. */
function ownLimits(limits: readonly RateLimit[]): readonly RateLimit[] {
  return limits.filter(({ alert_id: rule }) => rule === undefined);
}

/** In the order in which a narrow terminal shows them. */
const columns: readonly Column<LimitUsage>[] = [
  { title: 'LIMIT', text: ({ policy, value }) => policyText(parsedPolicy(policy), value), minWidth: 24 },
  { title: 'FULL', text: fullText, colour: (limit) => (shareOf(limit) >= 1 ? 'red' : undefined), side: 'right' },
  { title: 'USED', text: ({ unit, fullest: [first] }) => amountText(unit, first?.used ?? 0), side: 'right' },
  { title: 'FULLEST', text: ({ fullest: [first] }) => first?.value ?? '-', minWidth: 8 },
  { title: 'SET BY', text: ownerText, minWidth: 8 },
  { title: 'POLICY', text: ({ policy }) => policy },
];

function shareOf({ fullest: [first] }: LimitUsage): number {
  return first?.share ?? 0;
}

function fullText(limit: LimitUsage): string {
  return `${(shareOf(limit) * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}

function amountText(unit: LimitUsage['unit'], amount: number): string {
  return unit === 'usd' ? costText(amount) : countText(amount);
}

function ownerText({ alert_name: rule, key_id: key }: LimitUsage): string {
  if (rule !== undefined) return `rule ${rule}`;
  return key === null ? '-' : `key ${key}`;
}

import type { Alert, AlertDelivery, AlertGroupState, AlertHistoryRow, AlertIncident, AlertPreviewQuery } from '../../client/client.ts';
import { printable } from '../../config/text-table.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, UsageError } from '../base/dependencies.ts';
import { shownAmount } from '../base/progress.ts';
import { unpricedText } from '../metrics/unpriced-text.ts';
import { detailsText } from '../terminal/details.ts';
import { jsonText } from '../base/json.ts';
import { paintOf, tableWriter, writeRows } from '../terminal/shown.ts';
import type { Column } from '../terminal/table.ts';
import { countText, momentText } from '../terminal/texts.ts';
import { timeOf } from '../base/time-window.ts';
import { named } from './named.ts';
import { readRuleFiles } from './rule-files.ts';
import type { JsonOption } from './webhooks.ts';

export interface RowsOptions extends JsonOption {
  readonly limit: number;
}

export interface PreviewOptions extends JsonOption {
  readonly file?: string;
  readonly startDate?: string;
  readonly endDate?: string;
}

export async function listAlerts(dependencies: CommandDependencies, { json }: JsonOption): Promise<void> {
  const alerts = await allAlerts(dependencies);
  const none = 'There are no rules; "gatelog alerts create" makes one, "gatelog apply -f rules.yaml" those of a file.';
  await writeRows(dependencies, alerts, { columns: alertColumns, json, none });
}

export async function getAlert(dependencies: CommandDependencies, given: string, { json }: JsonOption): Promise<void> {
  const alert = await alertNamed(dependencies, given);
  if (json === true) return dependencies.print(jsonText(alert, 2));
  const { id, name, channels, status, created_at: _created, updated_at: changed, offered: _offered, ...rule } = alert;
  const details = [
    ['Identifier', id],
    ['Name', name],
    ['State', status.state],
    ['Error', status.error ?? undefined],
    ['Firing', `${countText(status.firing)} of ${shownAmount(status.groups, 'group')}`],
    ['Changed', changed],
    ...Object.entries(rule)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => [field, jsonText(value)] as const),
    ...channels.map(
      ({ type, id: _id, readable, ...shown }) => [type, `${jsonText(shown)}${readable ? '' : ' unreadable: give it again'}`] as const,
    ),
  ] as const;
  dependencies.print(detailsText(details, paintOf(dependencies)));
}

export async function deleteAlert(dependencies: CommandDependencies, given: string): Promise<void> {
  const { id } = await alertNamed(dependencies, given);
  await serviceClient(dependencies).alerts.delete(id);
  dependencies.print(`Deleted ${id}.`);
}

export async function testAlert(dependencies: CommandDependencies, given: string): Promise<void> {
  const { id } = await alertNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).alerts.test(id);
  dependencies.print(`A test message is on its way to ${data.channels} ${data.channels === 1 ? 'channel' : 'channels'}.`);
}

/** `gatelog alerts mute` and `unmute`. */
export async function muteAlert(dependencies: CommandDependencies, given: string, until: string | null): Promise<void> {
  const time = until === null ? null : timeOf(until, { option: '--until', now: dependencies.now(), timezone: 'UTC' });
  if (time !== null && time <= dependencies.now()) throw new UsageError('--until takes a future time, such as 2030-01-31T18:00:00Z.');
  const alert = await alertNamed(dependencies, given);
  const muteUntil = time === null ? null : new Date(time).toISOString();
  // A channel with its `id` stays as it is, with its secrets.
  await serviceClient(dependencies).alerts.change(alert.id, (present) => ({ ...present, mute_until: muteUntil }));
  dependencies.print(
    muteUntil === null
      ? `${printable(alert.name)} notifies again.`
      : `${printable(alert.name)} notifies nobody until ${muteUntil}; incidents go on.`,
  );
}

/** `gatelog alerts states`, the most severe first. */
export async function listStates(dependencies: CommandDependencies, given: string, { limit, json }: RowsOptions): Promise<void> {
  const { id } = await alertNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).alerts.states(id, { limit });
  await writeRows(dependencies, data, { columns: stateColumns(dependencies.now()), json, none: 'No groups yet.' });
}

export async function listIncidents(dependencies: CommandDependencies, given: string, { limit, json }: RowsOptions): Promise<void> {
  const { id } = await alertNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).alerts.incidents(id, { limit });
  await writeRows(dependencies, data, { columns: incidentColumns(dependencies.now()), json, none: 'No incidents yet.' });
}

export async function listHistory(dependencies: CommandDependencies, given: string, { limit, json }: RowsOptions): Promise<void> {
  const { id } = await alertNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).alerts.history(id, { limit });
  await writeRows(dependencies, data, { columns: historyColumns(dependencies.now()), json, none: 'No history yet.' });
}

/** `gatelog alerts deliveries`. */
export async function listMessages(dependencies: CommandDependencies, given: string, { limit, json }: RowsOptions): Promise<void> {
  const { id } = await alertNamed(dependencies, given);
  const { data } = await serviceClient(dependencies).alerts.deliveries(id, { limit });
  await writeRows(dependencies, data, { columns: messageColumns(dependencies.now()), json, none: 'No messages yet.' });
}

/** `gatelog alerts preview`: what a stored rule, or one of a file, would have done. */
export async function previewAlert(dependencies: CommandDependencies, given: string, options: PreviewOptions): Promise<void> {
  const rule = options.file === undefined ? await alertNamed(dependencies, given) : ruleOfFile(dependencies, options.file, given);
  const times = [options.startDate, options.endDate].map((text, index) =>
    text === undefined
      ? undefined
      : timeOf(text, { option: index === 0 ? '--since' : '--until', now: dependencies.now(), timezone: 'UTC' }),
  );
  const [from, to] = times;
  const timeFilter = { ...(from === undefined ? {} : { startTimeUnixMs: from }), ...(to === undefined ? {} : { endTimeUnixMs: to }) };
  const query = { rule, ...(Object.keys(timeFilter).length === 0 ? {} : { timeFilter }) } as AlertPreviewQuery;
  const { data } = await serviceClient(dependencies).alerts.preview(query);
  if (options.json === true) return dependencies.print(jsonText(data, 2));
  const { incidents, exact, groups_left_out: leftOut, step_ms: stepMs, unpriced } = data;
  await tableWriter(dependencies, incidentColumns(dependencies.now())).add(incidents.map((incident) => ({ ...incident, late: false })));
  dependencies.hint(
    incidents.length === 0
      ? 'The rule would not have fired.'
      : `The rule would have fired ${incidents.length === 1 ? 'once' : shownAmount(incidents.length, 'time')}.`,
  );
  // A service of an earlier version tells nothing of it.
  if (unpriced?.requests) dependencies.hint(printable(unpricedText(unpriced)));
  if (!exact) {
    dependencies.hint(
      `Looked at every ${stepMs / 1000} s${leftOut === 0 ? '' : `, without ${shownAmount(leftOut, 'group')}`}: a stored rule is evaluated more often.`,
    );
  }
}

function ruleOfFile(dependencies: CommandDependencies, file: string, name: string): object {
  const { alerts } = readRuleFiles([file], dependencies).set;
  const rule = alerts.find((one) => (one as { readonly name?: unknown }).name === name);
  if (rule === undefined) throw new UsageError(`${file} has no rule with the name "${name}".`);
  return rule;
}

const pageLimit = 1000;

async function allAlerts(dependencies: CommandDependencies): Promise<readonly Alert[]> {
  const client = serviceClient(dependencies);
  const alerts: Alert[] = [];
  for (;;) {
    const { data } = await client.alerts.list({ limit: pageLimit, offset: alerts.length });
    alerts.push(...data);
    if (data.length < pageLimit) return alerts;
  }
}

async function alertNamed(dependencies: CommandDependencies, given: string): Promise<Alert> {
  return named(await allAlerts(dependencies), given, 'alert');
}

const alertColumns: readonly Column<Alert>[] = [
  { title: 'NAME', text: ({ name }) => name, minWidth: 12 },
  {
    title: 'STATE',
    text: ({ status }) => status.state,
    colour: ({ status }) => (status.firing > 0 || status.errors > 0 ? 'red' : undefined),
  },
  { title: 'FIRING', text: ({ status }) => countText(status.firing), side: 'right' },
  { title: 'METRIC', text: ({ metric }) => metric, minWidth: 8 },
  { title: 'THRESHOLD', text: ({ comparison = 'gte', threshold }) => `${comparison} ${threshold}`, side: 'right' },
  { title: 'CHANNELS', text: ({ channels }) => channels.map(({ type }) => type).join(','), minWidth: 8 },
  { title: 'IDENTIFIER', text: ({ id }) => id, from: 120 },
];

type Group = AlertGroupState['group'];

function groupText(group: Group): string {
  return Object.entries(group)
    .map(([name, value]) => `${name.replace(/^properties\./, '')}=${String(value ?? '-')}`)
    .join(' ');
}

function valueText(value: number | null): string {
  return value === null ? '-' : value.toLocaleString('en', { maximumFractionDigits: 6 });
}

function stateColumns(now: number): readonly Column<AlertGroupState>[] {
  return [
    { title: 'GROUP', text: ({ group }) => groupText(group), minWidth: 8 },
    { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => (state === 'firing' ? 'red' : undefined) },
    { title: 'VALUE', text: ({ value }) => valueText(value), side: 'right' },
    { title: 'SINCE', text: ({ since }) => momentText(since, { now, timezone: 'UTC' }) },
  ];
}

function incidentColumns(now: number): readonly Column<Pick<AlertIncident, 'group' | 'started_at' | 'ended_at' | 'peak' | 'late'>>[] {
  const clock = { now, timezone: 'UTC' };
  return [
    { title: 'STARTED', text: ({ started_at: at }) => momentText(at, clock) },
    { title: 'ENDED', text: ({ ended_at: at }) => (at === null ? 'ongoing' : momentText(at, clock)) },
    { title: 'PEAK', text: ({ peak }) => valueText(peak), side: 'right' },
    { title: 'GROUP', text: ({ group }) => groupText(group), minWidth: 8 },
    { title: 'LATE', text: ({ late }) => (late ? 'late' : '') },
  ];
}

function historyColumns(now: number): readonly Column<AlertHistoryRow>[] {
  return [
    { title: 'TIME', text: ({ at }) => momentText(at, { now, timezone: 'UTC' }) },
    { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => (state === 'firing' || state === 'error' ? 'red' : undefined) },
    { title: 'VALUE', text: ({ value }) => valueText(value), side: 'right' },
    { title: 'THRESHOLD', text: ({ threshold }) => valueText(threshold), side: 'right' },
    { title: 'GROUP', text: ({ group }) => groupText(group), minWidth: 8 },
    { title: 'REASON', text: ({ reason }) => reason ?? '', minWidth: 8 },
  ];
}

function messageColumns(now: number): readonly Column<AlertDelivery>[] {
  return [
    { title: 'TIME', text: ({ created_at: at }) => momentText(at, { now, timezone: 'UTC' }) },
    { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => (state === 'failed' ? 'red' : undefined) },
    { title: 'EVENT', text: ({ type }) => type },
    {
      title: 'CHANNEL',
      text: ({ channel, channel_id: id, webhook_name: name }) => (name === null ? (channel ?? id) : `${channel} ${name}`),
    },
    { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts), side: 'right' },
    { title: 'STATUS', text: ({ last_status: status }) => (status === null ? '-' : String(status)), side: 'right' },
    { title: 'REASON', text: ({ last_reason: reason }) => reason ?? '', minWidth: 10 },
  ];
}

import type {
  AlertPreview,
  AlertView,
  AlertHistoryView,
  IncidentOfRuleView,
  IncidentView,
  AlertStateView,
} from '../contract/events/alert-answers.ts';
import type { AlertDeliveryItem } from '../contract/events/deliveries.ts';
import type { AlertRule } from '../contract/events/alerts.ts';
import { type AlertRefusal, maxEnforcedRules } from '../metadata/organization/alert-rules.ts';
import type { ChannelInput, StoredChannel } from '../model/events/channel.ts';
import type { AlertMessage } from '../model/events/alert-message.ts';
import { GatelogError } from '../model/errors.ts';
import { bodyFault, type Result, success } from '../model/fault.ts';
import type { OrganizationId, Uuid } from '../model/ids.ts';
import { alertLimits } from '../model/events/alert-vocabulary.ts';
import type { Outbox } from '../events/delivery/outbox.ts';
import { addDeliveries } from '../events/log/add-deliveries.ts';
import { failingTargets } from '../events/log/status.ts';
import { targetKey } from '../events/log/target.ts';
import { latestIncidents, listHistory, listIncidents } from './stored/read.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import { listAlertDeliveries } from '../events/log/deliveries.ts';
import { FairSemaphore } from '../platform/fair-semaphore.ts';
import { inWriteTransaction } from '../platform/sqlite/database.ts';
import { enforcedPolicy } from '../query/alerts/enforce.ts';
import { planAlert } from '../query/alerts/plan.ts';
import type { TimeRange } from '../query/alerts/windows.ts';
import type { RunStatement } from '../store/read/run-statement.ts';
import type { AlertDefinitions } from './definitions.ts';
import type { Evaluator } from './evaluator.ts';
import type { Alert } from './machine/rule.ts';
import { channelTargets, deliveriesOf, ruleMessage } from './evaluation/messages.ts';
import { type AlertChange, changedFields, channelPath, type AlertInput, idsOf, withMuteOf } from './rule-changes.ts';
import { previewAlert } from './preview.ts';
import { isFiring, shownAlert, shownDelivery, shownHistory, shownIncident, shownPreview, shownStates } from './shown.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

interface DraftedAlert {
  readonly alert: Alert;
  readonly secrets: ReadonlyMap<string, string>;
}

/** What happened to rules until now. */
interface Past {
  /** When the latest incident began, by rule. */
  readonly latest: ReadonlyMap<string, number>;
  /** Targets whose latest attempt failed. */
  readonly failing: ReadonlySet<string>;
}

/** Turns given channels into stored ones. */
export interface AlertChannels {
  /** @param present the channels of the rule until now. A fault's path begins with the index of the channel. */
  readonly store: (
    organizationId: OrganizationId,
    given: readonly ChannelInput[],
    present: readonly StoredChannel[],
  ) => Result<{ readonly channels: readonly StoredChannel[]; readonly secrets: ReadonlyMap<string, string> }>;
  readonly isReadable: (organizationId: OrganizationId, channel: StoredChannel) => boolean;
}

export interface AlertsOptions {
  readonly definitions: AlertDefinitions;
  readonly evaluator: Evaluator;
  readonly events: EventsDatabase;
  readonly run: RunStatement;
  readonly channels: AlertChannels;
  readonly outbox: Pick<Outbox, 'wake'>;
  readonly intervalMs: number;
  readonly linkOf: (ruleId: string) => string;
  /** @returns null for one that is gone, or without a name. */
  readonly webhookNameOf: (organizationId: OrganizationId, webhookId: string) => string | null;
  readonly newId: () => Uuid;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Previews at once; one of an organisation, whose others wait. */
const previewsAtOnce = 2;
const waitingPreviews = 3;
/** A wait for a preview that has another one before it. */
const previewWaitMs = 30_000;
const previewRetrySeconds = 5;

/** A test was asked for too soon after another one, milliseconds. */
const testEveryMs = 1000;

/** The rules of organisations, as their callers see and change them. */
export class Alerts {
  private readonly options: AlertsOptions;
  private readonly testedAt = new Map<Uuid, number>();
  private readonly previews = new FairSemaphore({
    units: previewsAtOnce,
    maxUnitsOfOwner: 1,
    maxWaitingOfOwner: waitingPreviews,
    refusal: tooManyPreviews,
  });

  constructor(options: AlertsOptions) {
    this.options = options;
  }

  now(): number {
    return this.options.now();
  }

  /** Newest first. */
  async list(organizationId: OrganizationId, { limit, offset }: Page): Promise<readonly AlertView[]> {
    const { definitions } = this.options;
    const alerts = definitions.of(organizationId).slice(offset, offset + limit);
    const past = await this.pastOf(organizationId, alerts);
    return alerts.map((alert) => this.shown(alert, past));
  }

  async find(organizationId: OrganizationId, id: Uuid): Promise<AlertView | undefined> {
    const alert = this.options.definitions.find(organizationId, id);
    return alert === undefined ? undefined : this.shown(alert, await this.pastOf(organizationId, [alert]));
  }

  /**
   * What storing a rule under its name would change; nothing is stored.
   * @param upcoming names of webhooks that will be there by then. @returns the fault of a rule that is not valid.
   */
  changeOf(organizationId: OrganizationId, given: AlertInput, upcoming: ReadonlySet<string>): Result<AlertChange> {
    const present = this.options.definitions.of(organizationId).find(({ rule }) => rule.name === given.rule.name);
    const known = [...given.channels.entries()].filter(([, channel]) => !('webhookName' in channel && upcoming.has(channel.webhookName)));
    const { rule } = present === undefined ? given : withMuteOf(present, given);
    const drafted = this.draft(present ?? this.blank(organizationId, rule), { rule, channels: known.map(([, channel]) => channel) });
    if (!drafted.ok) return { ok: false, fault: { ...drafted.fault, path: channelPath(drafted.fault.path, known) } };
    const { alert } = drafted.value;
    if (present === undefined) return success({ id: null, fields: [] });
    const hasSameChannels = known.length === given.channels.length && idsOf(alert) === idsOf(present);
    const fields = [
      ...changedFields(present.rule, alert.rule),
      ...(hasSameChannels ? [] : [{ field: 'channels', before: null, after: null }]),
    ];
    return success({ id: present.id, fields });
  }

  /** Stores a rule under its name, muted as it was unless the rule says otherwise. Durable on return. */
  async put(organizationId: OrganizationId, given: AlertInput): Promise<Result<AlertView>> {
    const present = this.options.definitions.of(organizationId).find(({ rule }) => rule.name === given.rule.name);
    const replaced = present === undefined ? undefined : await this.replace(organizationId, present.id, withMuteOf(present, given));
    return replaced ?? this.add(organizationId, given);
  }

  /** Durable on return. */
  async add(organizationId: OrganizationId, given: AlertInput): Promise<Result<AlertView>> {
    return this.keep(this.blank(organizationId, given.rule), given, (alert) => this.options.definitions.add(alert));
  }

  /** Durable on return. @returns undefined for an unknown rule. */
  async replace(organizationId: OrganizationId, id: Uuid, given: AlertInput): Promise<Result<AlertView> | undefined> {
    const { definitions, now } = this.options;
    const present = definitions.find(organizationId, id);
    if (present === undefined) return undefined;
    return this.keep({ ...present, changedAt: now() }, given, async (alert) => {
      const refusal = await definitions.replace(alert);
      return refusal === 'unknown' ? undefined : refusal;
    });
  }

  /** Durable on return. @returns false for an unknown rule. */
  async remove(organizationId: OrganizationId, id: Uuid): Promise<boolean> {
    if (!(await this.options.definitions.remove(organizationId, id))) return false;
    this.testedAt.delete(id);
    return true;
  }

  /** Rules that fire and are not muted. */
  countFiring(organizationId: OrganizationId): number {
    const { definitions, evaluator, now } = this.options;
    return definitions.of(organizationId).filter((alert) => isFiring(alert, evaluator.stateOf(alert.id), now())).length;
  }

  /** As `shownStates` orders them. @returns undefined for an unknown rule. */
  states(organizationId: OrganizationId, id: Uuid, page: Page): readonly AlertStateView[] | undefined {
    const { definitions, evaluator, now } = this.options;
    const alert = definitions.find(organizationId, id);
    if (alert === undefined) return undefined;
    return shownStates(evaluator.readyOf(alert), evaluator.stateOf(id), now()).slice(page.offset, page.offset + page.limit);
  }

  /** Newest first. @returns undefined for an unknown rule. */
  async incidents(organizationId: OrganizationId, id: Uuid, page: Page): Promise<readonly IncidentView[] | undefined> {
    const { definitions, evaluator, events } = this.options;
    const alert = definitions.find(organizationId, id);
    if (alert === undefined) return undefined;
    const since = evaluator.stateOf(id).seen?.measured_since ?? 0;
    return (await listIncidents(events, [id], page)).map((row) => shownIncident(evaluator.readyOf(alert), row, since));
  }

  /** Of every rule, newest first. */
  async allIncidents(organizationId: OrganizationId, page: Page): Promise<readonly IncidentOfRuleView[]> {
    const { definitions, evaluator, events } = this.options;
    const alerts = new Map(definitions.of(organizationId).map((alert) => [alert.id as string, alert]));
    const rows = await listIncidents(events, [...alerts.keys()], page);
    return rows.flatMap((row) => {
      const alert = alerts.get(row.rule_id);
      if (alert === undefined) return [];
      const since = evaluator.stateOf(alert.id).seen?.measured_since ?? 0;
      return { ...shownIncident(evaluator.readyOf(alert), row, since), alert_id: alert.id, alert_name: alert.rule.name };
    });
  }

  /** Newest first. @returns undefined for an unknown rule. */
  async history(organizationId: OrganizationId, id: Uuid, page: Page): Promise<readonly AlertHistoryView[] | undefined> {
    const { definitions, events } = this.options;
    if (definitions.find(organizationId, id) === undefined) return undefined;
    return (await listHistory(events, id, page)).map(shownHistory);
  }

  /** Messages about it, to its channels and to webhooks that ask for them, newest first. @returns undefined for an unknown rule. */
  async deliveries(organizationId: OrganizationId, id: Uuid, page: Page): Promise<readonly AlertDeliveryItem[] | undefined> {
    const { definitions, events, webhookNameOf } = this.options;
    const alert = definitions.find(organizationId, id);
    if (alert === undefined) return undefined;
    const rows = await listAlertDeliveries(events, id, page);
    return rows.map((row) => shownDelivery(alert, row, (webhookId) => webhookNameOf(organizationId, webhookId)));
  }

  /** One of an organisation at a time. @returns the fault of a rule that is not valid. @throws GatelogError `too_many_previews`. */
  async preview(
    organizationId: OrganizationId,
    rule: Omit<AlertRule, 'name'>,
    range: TimeRange,
    signal: AbortSignal,
  ): Promise<Result<AlertPreview>> {
    const { run, intervalMs } = this.options;
    const planned = planAlert(organizationId, rule, ['rule']);
    if (!planned.ok) return planned;
    const policy = rule.enforce === true ? enforcedPolicy(planned.value, rule.for_ms) : success(null);
    if (!policy.ok) return { ok: false, fault: { ...policy.fault, path: ['rule', ...policy.fault.path] } };
    const turn = await this.previews.acquire(1, { owner: organizationId, signal, maxWaitMs: previewWaitMs });
    try {
      return success(shownPreview(await previewAlert(run, { organizationId, rule, range, intervalMs }, signal)));
    } finally {
      turn.release();
    }
  }

  /** Sends a test message. Durable on return. @returns how many channels get one; undefined for an unknown rule. */
  async test(organizationId: OrganizationId, id: Uuid): Promise<Result<number> | undefined> {
    const { definitions, evaluator, events, outbox, linkOf, now } = this.options;
    const alert = definitions.find(organizationId, id);
    if (alert === undefined) return undefined;
    const at = now();
    if (at - (this.testedAt.get(id) ?? -Infinity) < testEveryMs) {
      return bodyFault([], 'A test of this rule has just been sent; wait a second before another one.');
    }
    this.testedAt.set(id, at);
    const reason = 'This is a test. The rule has not fired.';
    const message: AlertMessage = ruleMessage(
      evaluator.readyOf(alert),
      { kind: 'test', at, reason, dedupKey: `${id}/test/${at}`, open: 0 },
      linkOf,
    );
    const deliveries = deliveriesOf(evaluator.readyOf(alert), [message], () => []);
    await inWriteTransaction(events, (transaction) => addDeliveries(transaction, deliveries, at));
    outbox.wake(deliveries);
    return success(deliveries.length);
  }

  private blank(organizationId: OrganizationId, rule: AlertRule): Alert {
    const at = this.options.now();
    const id = this.options.newId();
    return { id, organizationId, rule, channels: [], limitPolicy: null, offered: false, createdAt: at, changedAt: at };
  }

  private draft(before: Alert, { rule, channels: given }: AlertInput): Result<DraftedAlert> {
    const planned = planAlert(before.organizationId, rule);
    if (!planned.ok) return planned;
    const stored = this.options.channels.store(before.organizationId, given, before.channels);
    if (!stored.ok) return { ok: false, fault: { ...stored.fault, path: ['channels', ...stored.fault.path] } };
    const policy = rule.enforce === true ? enforcedPolicy(planned.value, rule.for_ms) : success(null);
    if (!policy.ok) return policy;
    const { channels, secrets } = stored.value;
    return success({ alert: { ...before, rule, channels, limitPolicy: policy.value }, secrets });
  }

  private async keep(
    before: Alert,
    given: AlertInput,
    keep: (alert: Alert) => Promise<AlertRefusal | undefined>,
  ): Promise<Result<AlertView>> {
    const drafted = this.draft(before, given);
    if (!drafted.ok) return drafted;
    const { alert, secrets } = drafted.value;
    const refusal = await keep(alert);
    if (refusal === 'name_taken') {
      return bodyFault(['name'], 'The organisation has a rule of this name already; write another name, or change that rule.');
    }
    if (refusal === 'too_many_limits') {
      return bodyFault(
        ['enforce'],
        `An organisation has at most ${maxEnforcedRules} rules with \`enforce\`; group one by a property in place of many rules.`,
      );
    }
    if (refusal === 'too_many') {
      return bodyFault([], `An organisation has at most ${alertLimits.rules} rules; delete one first (DELETE /v1/alerts/{id}).`);
    }
    return success(this.shown(alert, await this.pastOf(alert.organizationId, [alert]), secrets));
  }

  private async pastOf(organizationId: OrganizationId, alerts: readonly Alert[]): Promise<Past> {
    const { events } = this.options;
    const ids = alerts.map(({ id }) => id);
    const [latest, failing] = await Promise.all([latestIncidents(events, ids), failingTargets(events, organizationId)]);
    return { latest, failing };
  }

  private shown(alert: Alert, { latest, failing }: Past, secrets?: ReadonlyMap<string, string>): AlertView {
    const { evaluator, channels, now } = this.options;
    const shown = alert.channels.map((channel) => ({
      id: channel.id,
      type: channel.type,
      ...parts(channel),
      ...(secrets?.has(channel.id) === true ? { secret: secrets.get(channel.id) } : {}),
      readable: channels.isReadable(alert.organizationId, channel),
    }));
    return shownAlert(alert, {
      ready: evaluator.readyOf(alert),
      state: evaluator.stateOf(alert.id),
      channels: shown,
      lastIncidentAt: latest.get(alert.id) ?? null,
      isDeliveryFailing: channelTargets(alert).some((target) => failing.has(targetKey(target))),
      now: now(),
    });
  }
}

function tooManyPreviews(): GatelogError {
  const sentence = `${waitingPreviews} previews of the organisation wait already, behind one that runs; ask again when one has ended.`;
  return new GatelogError('too_many_previews', sentence, { retryAfterSeconds: previewRetrySeconds });
}

/** Without those that are not there. */
function parts({ shown }: StoredChannel): object {
  return Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]: [string, unknown]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? [...(value as readonly string[])] : value]],
    ),
  );
}

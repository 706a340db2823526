import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../model/errors.ts';
import type { NewDelivery } from '../model/events/event.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import type { Outbox } from '../events/delivery/outbox.ts';
import { addDeliveries } from '../events/log/add-deliveries.ts';
import { eraseFromWindows, eraseGroupMentions } from './stored/erase.ts';
import { pruneAlerts, removeRule, writeProgress } from './stored/write.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import type { Clock } from '../platform/clock.ts';
import { inWriteTransaction } from '../platform/sqlite/database.ts';
import { rangesAt } from '../query/alerts/windows.ts';
import type { RunStatement } from '../store/read/run-statement.ts';
import { GroupQuota } from './bounds/group-quota.ts';
import { readKnownStates } from './bounds/known-states.ts';
import { OutcomeWriter } from './bounds/outcome-writer.ts';
import { lateTimes, roundTimes, RoundTurns } from './bounds/round-turns.ts';
import { changesOf } from './evaluation/changes.ts';
import type { AlertDefinitions } from './definitions.ts';
import { DeletedRules } from './deleted-rules.ts';
import { ErrorCollector } from './error-collector.ts';
import { measureEach } from './evaluation/measure.ts';
import { deliveriesOf, type Messaging, ruleMessage } from './evaluation/messages.ts';
import { noticeDeliveries, type Outcome, outcomeOf } from './evaluation/outcome.ts';
import { withoutMentions } from './machine/mentions.ts';
import { type Alert, asMeasured, isOn, type ReadyAlert, readyAlert } from './machine/rule.ts';
import { closedByChange } from './evaluation/rule-events.ts';
import { type RuleState, unknownRule } from './evaluation/rule-state.ts';

/** Looks for windows that have ended and were altered since. */
export interface LateLook {
  /** Only windows of these organisations are looked at. */
  readonly retain: (organizationIds: Iterable<OrganizationId>) => void;
  /** @returns how many windows were measured. */
  readonly check: (
    organizationId: OrganizationId,
    alerts: readonly ReadyAlert[],
    time: { readonly at: number; readonly signal: AbortSignal; readonly maxMs: number },
  ) => Promise<number>;
}

export interface EvaluatorOptions extends Messaging {
  readonly definitions: AlertDefinitions;
  readonly run: RunStatement;
  readonly events: EventsDatabase;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly outbox: Pick<Outbox, 'wake'>;
  readonly observe: Observe;
  /** What the groups of all rules of one organisation may take in memory. */
  readonly groupsMaxBytes: number;
  readonly late?: LateLook;
  readonly onRound?: (round: { readonly rules: number; readonly failed: number; readonly ms: number }) => void;
  /** Told after each round: how many incidents are open. */
  readonly onIncidents?: (open: number) => void;
}

/** A record may take this long to be stored. */
const lagMs = 1000;
/** So many organisations may have all that one may; then each has less. */
const organizationsWithAll = 8;
const pruneEveryMs = 3_600_000;
const lateEveryMs = 60_000;

/**
 * # The evaluator of alerts
 *
 * At each multiple of the interval, every rule of every organisation is measured over the window that ends then. The rules of an
 * organisation share statements, which run in a lane of their own with one thread. Then each group takes a step, and what changes of a
 * rule's states, incidents and history is written in one transaction with the deliveries that tell of it. So a kill at any time loses and
 * doubles nothing: after it, the states are those of the last transaction.
 *
 * Bounds: what is measured is taken rule by rule; groups have a quota in bytes by organisation, shared by its rules (`GroupQuota`); an
 * organisation has a part of the time of a round, those whose rules took long last.
 *
 * Memory has what the database has, and the groups that are ok. It changes after the commit. A rule that was changed meanwhile is left
 * out of the round. What is stored of deleted rules is removed.
 */
export class Evaluator {
  private readonly options: EvaluatorOptions;
  private readonly stopping = new AbortController();
  private readonly states = new Map<string, RuleState>();
  private readonly quota: GroupQuota;
  private readonly ready = new WeakMap<Alert, ReadyAlert>();
  private running: Promise<void> | undefined;
  /** Rounds and erasures, one after another. */
  private latest: Promise<unknown> = Promise.resolve();
  private readonly deletedRules: DeletedRules;
  /** How long the rules of each organisation took in the latest round. */
  private readonly tookMs = new Map<OrganizationId, number>();
  private readonly lateTookMs = new Map<OrganizationId, number>();
  private prunedAt = -Infinity;
  private lateAt = -Infinity;

  constructor(options: EvaluatorOptions) {
    this.options = options;
    this.deletedRules = new DeletedRules(options.definitions);
    this.quota = new GroupQuota({
      maxBytesOfOrganization: options.groupsMaxBytes,
      maxBytes: organizationsWithAll * options.groupsMaxBytes,
    });
  }

  async open(): Promise<void> {
    const { events, clock } = this.options;
    for (const [id, state] of await readKnownStates(events, this.quota, clock.now())) this.states.set(id, state);
  }

  start(): void {
    this.running ??= this.loop();
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the evaluator of alerts is stopping'));
    await this.running;
  }

  stateOf(ruleId: string): RuleState {
    return this.states.get(ruleId) ?? unknownRule;
  }

  readyOf(alert: Alert): ReadyAlert {
    const known = this.ready.get(alert);
    if (known !== undefined) return known;
    const ready = readyAlert(alert, this.options.intervalMs);
    this.ready.set(alert, ready);
    return ready;
  }

  /** Evaluates every rule once. @param at Unix milliseconds: the end of the windows. */
  async evaluateAt(at: number): Promise<void> {
    return this.inTurn(() => this.round(at));
  }

  /**
   * Forgets the groups of an organisation that have a text as a value, on disk too: it names an erased user. An incident that was told ends,
   * in a message without names.
   */
  async eraseMentions(organizationId: OrganizationId, text: string): Promise<void> {
    return this.inTurn(() => this.forget(organizationId, text));
  }

  private async inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.latest.then(work);
    this.latest = turn.catch(() => undefined);
    return turn;
  }

  private async forget(organizationId: OrganizationId, text: string): Promise<void> {
    const { definitions, events, outbox, clock } = this.options;
    const at = clock.now();
    await eraseFromWindows(events, organizationId, text);
    const outcomes = definitions.of(organizationId).map((alert) => {
      const state = this.stateOf(alert.id);
      const { memories, ended } = withoutMentions(state.memories, text);
      const reason = 'The group was erased.';
      const messages = ended.map((dedupKey) =>
        ruleMessage(this.readyOf(alert), { kind: 'resolved', at, reason, dedupKey, open: 0 }, this.options.linkOf),
      );
      return {
        ruleId: alert.id,
        state: { ...state, memories },
        deliveries: deliveriesOf(this.readyOf(alert), messages, this.options.subscribers),
      };
    });
    const deliveries = outcomes.flatMap((outcome) => outcome.deliveries);
    await inWriteTransaction(events, async (transaction) => {
      await eraseGroupMentions(transaction, organizationId, text);
      await addDeliveries(transaction, deliveries, at);
    });
    for (const { ruleId, state } of outcomes) if (this.states.has(ruleId)) this.states.set(ruleId, state);
    if (deliveries.length > 0) outbox.wake(deliveries);
  }

  private async round(at: number): Promise<void> {
    const { definitions, clock, onRound, onIncidents } = this.options;
    const since = clock.monotonic();
    const errors = new ErrorCollector(this.stopping.signal);
    const byOrganization = new Map<OrganizationId, ReadyAlert[]>();
    for (const alert of definitions.all()) {
      if (!isOn(alert)) continue;
      await errors.attempt(async () => {
        const ready = this.readyOf(alert);
        const alerts = byOrganization.get(alert.organizationId) ?? [];
        byOrganization.set(alert.organizationId, alerts);
        alerts.push(ready);
      });
    }
    let failures = 0;
    const turns = new RoundTurns(byOrganization.keys(), this.tookMs, clock.monotonic, roundTimes);
    for (const organizationId of turns.order) {
      await errors.attempt(async () => {
        const alerts = byOrganization.get(organizationId) ?? [];
        failures += await turns.during(organizationId, (maxMs) => this.evaluateOrganization(organizationId, alerts, { at, maxMs }));
      });
    }
    const rules = [...byOrganization.values()].reduce((sum, alerts) => sum + alerts.length, 0);
    onRound?.({ rules, failed: failures, ms: clock.monotonic() - since });
    await this.closeOff(at);
    await this.removeGone(at);
    onIncidents?.(this.openIncidents());
    await this.prune(at);
    await this.checkLate(byOrganization, at, errors);
    errors.rethrowFirst();
  }

  /** Measures windows again that have ended and were altered since, once a minute. */
  private async checkLate(
    byOrganization: ReadonlyMap<OrganizationId, readonly ReadyAlert[]>,
    at: number,
    errors: ErrorCollector,
  ): Promise<void> {
    const { late, clock } = this.options;
    if (late === undefined || clock.monotonic() - this.lateAt < lateEveryMs) return;
    this.lateAt = clock.monotonic();
    late.retain(byOrganization.keys());
    const turns = new RoundTurns(byOrganization.keys(), this.lateTookMs, clock.monotonic, lateTimes);
    for (const organizationId of turns.order) {
      await errors.attempt(async () => {
        const alerts = byOrganization.get(organizationId) ?? [];
        await turns.during(organizationId, (maxMs) => late.check(organizationId, alerts, { at, signal: this.stopping.signal, maxMs }));
      });
    }
  }

  private async loop(): Promise<void> {
    const { clock, intervalMs, observe } = this.options;
    const { signal } = this.stopping;
    let last: number | undefined;
    while (!signal.aborted) {
      const at = Math.floor((clock.now() - lagMs) / intervalMs) * intervalMs;
      if (at === last) {
        await wait(Math.max(1, at + intervalMs + lagMs - clock.now()), undefined, { signal }).catch(() => undefined);
        continue;
      }
      last = at;
      try {
        await this.evaluateAt(at);
      } catch (error) {
        if (!signal.aborted) observe({ kind: 'job_failed', job: 'evaluation of alerts', reason: messageOf(error) });
      }
    }
  }

  /** @returns how many rules failed. */
  private async evaluateOrganization(
    organizationId: OrganizationId,
    alerts: readonly ReadyAlert[],
    time: { readonly at: number; readonly maxMs: number },
  ): Promise<number> {
    const { run, definitions, clock, events, outbox } = this.options;
    const { at, maxMs } = time;
    const shares = this.quota.sharesOf(
      organizationId,
      alerts.map(({ alert }) => alert.id),
    );
    const writer = new OutcomeWriter({ events, outbox, at, written: (outcomes) => this.remember(outcomes) });
    let failures = 0;
    const readings = alerts.map(({ plan }) => ({ plan, ranges: rangesAt(plan, at) }));
    await measureEach(run, readings, { signal: this.stopping.signal, maxMs, monotonic: clock.monotonic }, async (index, measurement) => {
      const ready = alerts[index];
      if ('error' in measurement) failures += 1;
      if (ready === undefined || definitions.find(organizationId, ready.alert.id) !== ready.alert) return;
      const ruleId = ready.alert.id;
      const { outcome, usage } = outcomeOf(
        { ready, stored: this.stateOf(ruleId), measurement },
        { ...this.options, at, maxBytes: shares(ruleId) },
      );
      if (usage !== undefined) this.quota.note(ruleId, { organizationId, bytes: usage.bytes, wantedBytes: usage.wantedBytes });
      await writer.add(outcome);
    });
    await writer.flush();
    await writeProgress(events, at);
    return failures;
  }

  private openIncidents(): number {
    let open = 0;
    for (const { memories } of this.states.values()) for (const { incident } of memories.values()) if (incident !== null) open += 1;
    return open;
  }

  /** What was written is known. */
  private remember(outcomes: readonly Outcome[]): void {
    for (const { ruleId, state } of outcomes) if (state !== undefined) this.states.set(ruleId, state);
  }

  /** Ends the incidents of rules that are off now. */
  private async closeOff(at: number): Promise<void> {
    const { definitions, events, outbox } = this.options;
    const writer = new OutcomeWriter({ events, outbox, at, written: (outcomes) => this.remember(outcomes) });
    for (const alert of definitions.all()) {
      const known = this.stateOf(alert.id);
      if (isOn(alert) || known.memories.size === 0) continue;
      const ready = this.readyOf(alert);
      const changes = [changesOf(ready, closedByChange(ready, known.memories, at), at, undefined)];
      this.quota.forget(alert.id);
      await writer.add({ ruleId: alert.id, state: { ...unknownRule, seen: known.seen }, changes, deliveries: [], isForgotten: true });
    }
    await writer.flush();
  }

  /** Ends the incidents of deleted rules, and removes their state. */
  private async removeGone(at: number): Promise<void> {
    const { definitions, events, outbox } = this.options;
    const there = new Set<string>();
    for (const { id } of definitions.all()) there.add(id);
    const gone = [...this.states.keys()].filter((id) => !there.has(id));
    const all: NewDelivery[] = [];
    for (const id of gone) {
      const deliveries = this.ended(id, at);
      await inWriteTransaction(events, async (transaction) => {
        await removeRule(transaction, id);
        await addDeliveries(transaction, deliveries, at);
      });
      this.states.delete(id);
      this.quota.forget(id);
      all.push(...deliveries);
      await nextTurn();
    }
    outbox.wake([...all, ...this.deletedRules.releaseFinished(at, all)]);
  }

  /** What channels are told of a deleted rule; nothing when it was deleted before this start. */
  private ended(id: string, at: number): readonly NewDelivery[] {
    const alert = this.options.definitions.deletedRule(id);
    if (alert === undefined) return [];
    const ready = this.readyOf(alert);
    const { seen, memories } = this.stateOf(id);
    const before = seen === undefined ? ready : asMeasured(ready, seen.fingerprint);
    return noticeDeliveries(before, closedByChange(before, memories, at), { at, reason: 'The rule was deleted.' }, this.options);
  }

  private async prune(at: number): Promise<void> {
    const { clock, events } = this.options;
    if (clock.monotonic() - this.prunedAt < pruneEveryMs) return;
    await inWriteTransaction(events, (transaction) => pruneAlerts(transaction, at));
    this.prunedAt = clock.monotonic();
  }
}

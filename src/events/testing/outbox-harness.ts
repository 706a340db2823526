import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { NewDelivery } from '../../model/events/event.ts';
import type { DisabledReason } from '../../model/events/webhook.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observation } from '../../model/observation.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import { addDeliveries } from '../log/add-deliveries.ts';
import { type EventsDatabase, openEvents } from '../database/database.ts';
import type { AttemptEnd } from '../delivery/attempt-end.ts';
import { Outbox } from '../delivery/outbox.ts';
import type { Attempt, Attempted, Notice, TargetState } from '../targets/target.ts';
import { DeliveryTargets } from '../targets/targets.ts';
import type { DeliveriesTable } from '../schema/schema.ts';
import { targetKey } from '../log/target.ts';
import { ManualClock } from './manual-clock.ts';

export const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;

export const delivered: AttemptOutcome = { kind: 'delivered', response: { status: 200, head: 'HTTP/1.1 200 OK' } };

export function failedWith(status: number, retryAfterMs?: number): AttemptOutcome {
  return { kind: 'failed', reason: `The receiver answered ${status}.`, response: { status, head: `HTTP/1.1 ${status}` }, retryAfterMs };
}

/** How an attempt ends; a promise keeps it open. */
export type Answer = (attempt: Attempt) => AttemptOutcome | Promise<AttemptOutcome>;

export function requestDelivery(
  webhookId: string,
  requestId = '01890000-0000-7000-8000-0000000000aa',
  owner: OrganizationId = organizationId,
): NewDelivery {
  return {
    organizationId: owner,
    target: { kind: 'webhook', webhookId },
    type: 'request.completed',
    subject: { kind: 'request', requestId: requestId as RequestId, createdAt: 5 },
    occurredAt: 7,
  };
}

/** A real outbox over a real database. Its targets answer as a test says, by a clock that the test moves. */
export class OutboxRig {
  readonly clock = new ManualClock();
  readonly folder = mkdtempSync(path.join(tmpdir(), 'gatelog-outbox-'));
  readonly attempts: Attempt[] = [];
  readonly ends: AttemptEnd[] = [];
  readonly notices: Notice[] = [];
  readonly disabled: { readonly webhookId: string; readonly reason: DisabledReason }[] = [];
  readonly observations: Observation[] = [];
  readonly states = new Map<string, TargetState>();
  /** Identifiers of requests that were removed. */
  readonly gone = new Set<string>();
  answer: Answer = () => delivered;
  chance = 0;
  concurrency = 8;
  private openDatabase: EventsDatabase | undefined;
  private openOutbox: Outbox | undefined;

  get database(): EventsDatabase {
    if (this.openDatabase === undefined) throw new Error('The rig is not open.');
    return this.openDatabase;
  }

  get outbox(): Outbox {
    if (this.openOutbox === undefined) throw new Error('The rig is not open.');
    return this.openOutbox;
  }

  /** Another life of the process. */
  async open(): Promise<void> {
    this.openDatabase = await openEvents(this.folder, this.clock.now);
    this.openOutbox = new Outbox({
      database: this.openDatabase,
      targets: this.targets(),
      concurrency: this.concurrency,
      clock: this.clock,
      alarm: this.clock.alarm,
      random: () => this.chance,
      observe: (observation) => this.observations.push(observation),
      noteEnd: (end) => this.ends.push(end),
    });
    await this.openOutbox.start();
  }

  /** As a kill does: nothing of what runs is stored any more. */
  async die(): Promise<void> {
    const { database } = this;
    this.openOutbox = undefined;
    this.openDatabase = undefined;
    await database.close();
  }

  async close(): Promise<void> {
    await this.openOutbox?.stop();
    await this.openDatabase?.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Adds deliveries and wakes the outbox. */
  async add(...deliveries: readonly NewDelivery[]): Promise<readonly string[]> {
    const ids = await inWriteTransaction(this.database, (transaction) => addDeliveries(transaction, deliveries, this.clock.now()));
    this.outbox.wake(deliveries);
    return ids;
  }

  async row(id: string): Promise<DeliveriesTable> {
    return this.database.queries.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  private targets(): DeliveryTargets {
    const send = async (attempt: Attempt, signal: AbortSignal): Promise<Attempted> => {
      this.attempts.push(attempt);
      const outcome = await Promise.race([this.answer(attempt), abortOf(signal)]);
      return { outcome, requestHead: 'POST / HTTP/1.1' };
    };
    return new DeliveryTargets({
      webhook: {
        state: (_organizationId, { webhookId }) => this.stateOf(webhookId),
        send,
        disable: async (_organizationId, { webhookId }, reason) => {
          this.disabled.push({ webhookId, reason });
          this.states.set(webhookId, { kind: 'disabled' });
        },
        noticesOf: (notice) => {
          this.notices.push(notice);
          return [];
        },
      },
      channel: {
        state: (_organizationId, { channelId }) => this.stateOf(channelId),
        send,
        nameOf: (_organizationId, target) => `The channel ${targetKey(target)}`,
        noticesOf: () => [],
      },
      requestPayloads: async (deliveries) =>
        new Map(
          deliveries.map(({ id, subject }) => {
            const isGone = subject.kind === 'request' && this.gone.has(subject.requestId);
            return [id, isGone ? { kind: 'gone' } : { kind: 'body', body: JSON.stringify(subject) }];
          }),
        ),
    });
  }

  private stateOf(id: string): TargetState {
    return this.states.get(id) ?? { kind: 'open', destination: `https://${id}.example.com` };
  }
}

async function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

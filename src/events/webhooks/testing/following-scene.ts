import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { CallMemory, ResponseMemory } from '../../../api/http/response-memory.ts';
import { StoredOrder } from '../../../ingest/batch/stored-order.ts';
import type { Webhook } from '../../../model/events/webhook.ts';
import type { OrganizationId, RequestId, Uuid } from '../../../model/ids.ts';
import type { Observation } from '../../../model/observation.ts';
import type { RequestRecord } from '../../../model/record/request-record.ts';
import { type EventsDatabase, openEvents } from '../../database/database.ts';
import { systemClock } from '../../../platform/clock.ts';
import { empty } from '../../../query/testing/query-harness.ts';
import type { BodyReading, FilterBounds } from '../../../reading/body-runs.ts';
import { makeInsertRows } from '../../../store/insert/insert.ts';
import { numberRow } from '../../../store/insert/row-key.ts';
import { rowsOf } from '../../../store/insert/rows.ts';
import { makeRunStatement } from '../../../store/read/run-statement.ts';
import { openStoreRig, type StoreRig } from '../../../store/testing/store-harness.ts';
import { WebhookFollower } from '../following/follower.ts';
import { PendingQuota } from '../following/pending-quota.ts';
import { UpdateNotes } from '../following/update-notes.ts';

export interface FollowingSceneOptions {
  readonly maxPending?: number;
  readonly maxNotes?: number;
  readonly filterBounds?: FilterBounds;
}

/** A follower over a real store and a real database of events. Nothing is delivered. */
export class FollowingScene {
  readonly order = new StoredOrder(StoredOrder.numberAt(Date.now()));
  readonly observations: Observation[] = [];
  /** Why webhooks were disabled. */
  readonly givenUp: string[] = [];
  readonly database: EventsDatabase;
  notes: UpdateNotes;
  private readonly rig: StoreRig;
  private readonly folder: string;
  private readonly options: FollowingSceneOptions;
  private readonly webhooks = new Map<string, Webhook>();
  private readonly watches = new Set<() => void>();
  private follower: WebhookFollower;
  private batches = 0;
  private webhookCount = 0;

  private constructor(parts: {
    rig: StoreRig;
    folder: string;
    database: EventsDatabase;
    notes: UpdateNotes;
    options: FollowingSceneOptions;
  }) {
    this.rig = parts.rig;
    this.folder = parts.folder;
    this.database = parts.database;
    this.notes = parts.notes;
    this.options = parts.options;
    this.follower = this.makeFollower();
  }

  static async open(options: FollowingSceneOptions = {}): Promise<FollowingScene> {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-following-'));
    const database = await openEvents(folder, Date.now);
    const scene: { now?: FollowingScene } = {};
    const notes = await UpdateNotes.open({
      database,
      isWatched: () => [...(scene.now?.webhooks.values() ?? [])].some(({ events }) => events.includes('request.updated')),
      now: Date.now,
      observe: (observation) => scene.now?.observations.push(observation),
      ...(options.maxNotes === undefined ? {} : { max: options.maxNotes }),
    });
    scene.now = new FollowingScene({ rig: await openStoreRig(), folder, database, notes, options });
    return scene.now;
  }

  get organizationId(): OrganizationId {
    return empty.organizationId;
  }

  /** Stores records as one batch; all are of one organisation. */
  async store(records: readonly Partial<RequestRecord>[]): Promise<void> {
    this.batches += 1;
    const first = this.order.take(records.length, Date.now());
    const rows = records.map((record) => rowsOf({ ...empty, ...record }, Date.now()));
    const requests = rows.map(({ request }) => request);
    for (const [index, request] of requests.entries()) numberRow(request, first + index);
    const insert = makeInsertRows(this.rig.connections);
    await insert(
      'bodies',
      rows.map(({ bodies }) => bodies),
      `bodies-${this.batches}`,
    );
    await insert('requests', requests, `requests-${this.batches}`);
    this.order.accept(first + records.length - 1, requests);
  }

  /** Creates a webhook, or changes one. */
  define(given: Partial<Webhook> = {}): Webhook {
    const known = given.id === undefined ? undefined : this.webhooks.get(given.id);
    this.webhookCount += 1;
    const webhook: Webhook = {
      id: `webhook-${this.webhookCount}` as Uuid,
      organizationId: this.organizationId,
      name: null,
      destination: 'https://receiver.example',
      filter: null,
      sampleRate: 100,
      events: ['request.completed'],
      includeData: true,
      startsAfter: this.order.through,
      disabled: null,
      createdAt: Date.now(),
      changedAt: Date.now(),
      ...known,
      ...given,
    };
    this.webhooks.set(webhook.id, webhook);
    for (const watch of this.watches) watch();
    return webhook;
  }

  start(): void {
    this.follower.start();
  }

  /** As after a restart of the core. */
  async restart(): Promise<void> {
    await this.follower.stop();
    this.watches.clear();
    this.follower = this.makeFollower();
    this.follower.start();
  }

  /** Waits until a webhook has looked at everything. */
  async reachesEnd({ id }: Webhook): Promise<void> {
    await vi.waitFor(async () => {
      if ((await this.position(id)) !== this.order.through) throw new Error('The webhook is behind.');
    }, 30_000);
  }

  async position(id: string): Promise<number | undefined> {
    const row = await this.database.queries
      .selectFrom('webhook_positions')
      .select('position')
      .where('webhook_id', '=', id)
      .executeTakeFirst();
    return row?.position;
  }

  /** Requests of the deliveries to a webhook, in their order. */
  async deliveries({ id }: Webhook, type = 'request.completed'): Promise<readonly RequestId[]> {
    const rows = await this.database.queries
      .selectFrom('deliveries')
      .select(['request_id', 'type'])
      .where('target', '=', `webhook/${id}`)
      .orderBy('id')
      .execute();
    return rows.filter((row) => row.type === type).map(({ request_id: requestId }) => requestId as RequestId);
  }

  /** Everything that is pending for a webhook has been delivered. */
  async deliverAll({ id }: Webhook): Promise<void> {
    await this.database.queries
      .updateTable('deliveries')
      .set({ state: 'delivered', due_at: null })
      .where('target', '=', `webhook/${id}`)
      .execute();
  }

  readingOf(tenant: OrganizationId, signal: AbortSignal): BodyReading {
    const memory = new ResponseMemory({ maxBytes: 2 ** 30, maxWaitMs: 1000 });
    return {
      run: makeRunStatement(this.rig.connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 2 ** 30 }),
      memory: new CallMemory(memory, signal).ownedBy(tenant),
      tenant,
      signal,
      monotonic: systemClock.monotonic,
      filterBounds: this.options.filterBounds,
    };
  }

  async close(): Promise<void> {
    await this.follower.stop();
    await this.database.close();
    rmSync(this.folder, { recursive: true });
    await this.rig.close();
  }

  private makeFollower(): WebhookFollower {
    const { database, options, order } = this;
    const follower = new WebhookFollower({
      database,
      quota: new PendingQuota({ database, maxPending: options.maxPending ?? 10_000, monotonic: systemClock.monotonic }),
      wake: () => undefined,
      order,
      updateWatermark: (organizationId) => this.notes.watermark(organizationId),
      definitions: {
        enabled: () => [...this.webhooks.values()].filter(({ disabled }) => disabled === null),
        watch: (watch) => {
          this.watches.add(watch);
          return () => this.watches.delete(watch);
        },
      },
      readingOf: (tenant, signal) => this.readingOf(tenant, signal),
      now: Date.now,
      observe: (observation) => this.observations.push(observation),
      giveUp: async ({ id }, _type, reason) => {
        this.givenUp.push(reason);
        this.define({ id, disabled: { at: Date.now(), reason: 'filter' } });
      },
      noteAnnounced: () => undefined,
    });
    this.notes.watch((organizationId) => follower.wake(organizationId));
    return follower;
  }
}

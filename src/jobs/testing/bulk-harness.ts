import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openPendingChanges } from '../../ingest/changes/pending.ts';
import { LaterTexts } from '../../ingest/redaction/later-texts.ts';
import { RequestChanges } from '../../ingest/changes/request-changes.ts';
import { SessionChanges } from '../../ingest/changes/session-changes.ts';
import { ExchangeIndex } from '../../ingest/series/exchange.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { latestJobNumber } from '../../metadata/jobs.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import { GatelogError } from '../../model/errors.ts';
import { type OrganizationId, type RequestId, timeOfUuid } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { empty } from '../../query/testing/query-harness.ts';
import { type ChunkLimits, makeChangeNext } from '../../store/bulk/change.ts';
import { makeJobLists } from '../../store/bulk/job-lists.ts';
import type { Connections } from '../../store/engine/connections.ts';
import { openConnections } from '../../store/engine/open-connections.ts';
import { makeInsertRows } from '../../store/insert/insert.ts';
import { rowsOf } from '../../store/insert/rows.ts';
import { makeRunStatement } from '../../store/read/run-statement.ts';
import { makeEmptyStore } from '../../store/testing/empty-store.ts';
import { makeChangeStored } from '../../store/update/change.ts';
import { makeLatestChangeNumber } from '../../store/update/change-numbers.ts';
import { PendingPatches } from '../../store/update/pending-patches.ts';
import { makeChangeStoredSession } from '../../store/update/session-changes.ts';
import { BulkJobs } from '../bulk/bulk-jobs.ts';

/** A store and a metadata database that outlive cores. */
export interface BulkRig {
  readonly connections: Connections;
  readonly database: MetadataDatabase;
  readonly run: ReturnType<typeof makeRunStatement>;
  readonly query: <Row>(text: string) => Promise<readonly Row[]>;
  readonly insert: (records: readonly Partial<RequestRecord>[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

let inserts = 0;
const runOptions = { queryTimeoutMs: 30_000, queryMemoryBytes: 1e9 };

export async function openBulkRig(): Promise<BulkRig> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-bulk-'));
  await makeEmptyStore(path.join(folder, 'clickhouse'));
  const connections = openConnections({ folder: path.join(folder, 'clickhouse') });
  const database = await openMigratedMetadata(folder, 'core', Date.now);
  const insertRows = makeInsertRows(connections);
  return {
    connections,
    database,
    run: makeRunStatement(connections, runOptions),
    query: (text) => connections.run('long', async (client) => (await client.query({ query: text, format: 'JSONEachRow' })).json()),
    insert: async (records) => {
      inserts += 1;
      const rows = records.map((record) => rowsOf({ ...empty, ...record }, Date.now()).request);
      await insertRows('requests', rows, `inserted-${inserts}`);
    },
    close: async () => {
      await connections.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Where a core is killed: before or after the work of its next but `left` uses of the store. */
export interface Death {
  left: number;
  readonly when: 'before' | 'after';
  /** Only that one fails, and the core lives on. */
  readonly isOnce: boolean;
}

/** One core over the rig: what changes requests. From its death on, nothing of it reaches the store. */
export class BulkCore {
  readonly changer: RequestChanges;
  readonly sessions: SessionChanges;
  readonly jobs: BulkJobs;
  private readonly connections: Connections;
  private death: Death | undefined;
  private isDead = false;

  private constructor(rig: BulkRig, parts: Parts) {
    this.connections = { ...rig.connections, run: (lane, work, options) => this.use(() => rig.connections.run(lane, work, options)) };
    const patches = new PendingPatches();
    const drain = { catchUp: () => Promise.resolve(), inFlight: new ExchangeIndex() };
    this.changer = new RequestChanges({
      ...drain,
      pendingChanges: parts.pendingChanges,
      findStored: async (_organizationId, requestId) => timeOfUuid(requestId),
      changeStored: makeChangeStored(this.connections, undefined, patches),
      laterTexts: new LaterTexts(() => Promise.resolve(undefined), { monotonic: () => performance.now(), threadTime: undefined }),
      now: Date.now,
      latestNumber: parts.latestNumber,
      storeWaitMs: 1000,
    });
    this.sessions = new SessionChanges({
      ...drain,
      pendingChanges: parts.pendingChanges,
      requests: this.changer,
      findFirst: () => Promise.resolve(undefined),
      changeStored: makeChangeStoredSession(this.connections, { patches }),
      setTag: () => Promise.resolve(),
    });
    const store = {
      jobLists: makeJobLists(this.connections, runOptions),
      changeNext: makeChangeNext(this.connections, patches, parts.limits),
    };
    this.jobs = new BulkJobs(
      { database: rig.database, store, drain, changer: this.changer, observe: () => undefined },
      { workingShare: 0.9, maxUnfinished: 100 },
    );
  }

  static async start(rig: BulkRig, limits: ChunkLimits): Promise<BulkCore> {
    const pendingChanges = await openPendingChanges(rig.database, []);
    const latestNumber = Math.max(await makeLatestChangeNumber(rig.connections)(), await latestJobNumber(rig.database));
    return new BulkCore(rig, { pendingChanges, latestNumber, limits });
  }

  fail(death: Death): void {
    this.death = death;
  }

  /** Ends it as a kill does. */
  async kill(): Promise<void> {
    this.isDead = true;
    await this.jobs.stop();
  }

  private async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.breathe('before');
    const result = await work();
    this.breathe('after');
    return result;
  }

  private breathe(when: Death['when']): void {
    const { death } = this;
    if (death?.when === when) {
      death.left -= 1;
      if (death.left < 0) {
        this.death = undefined;
        if (!death.isOnce) this.isDead = true;
        throw new GatelogError('store_unavailable', 'failed');
      }
    }
    if (this.isDead) throw new GatelogError('store_unavailable', 'dead');
  }
}

interface Parts {
  readonly pendingChanges: Awaited<ReturnType<typeof openPendingChanges>>;
  readonly latestNumber: number;
  readonly limits: ChunkLimits;
}

export function principalOf(organizationId: OrganizationId): Principal {
  return { organizationId, keyId: 'key-1', keyHash: 'a'.repeat(64), permissions: 'rw' };
}

export const newOrganization = (): OrganizationId => newId();
export const newRequest = (createdAt: number): RequestId => newId(createdAt);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeclaredNames } from '../../metadata/organization/declared-names.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import { type ExchangeEnd, type ExchangeOpen, type ExchangeResponseHead, frameKinds } from '../../model/record/exchange.ts';
import { type OrganizationId, type RequestId, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import type { Observation } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import { systemClock } from '../../platform/clock.ts';
import { noOrganizationPrices } from '../../pricing/organization-prices.ts';
import { bookWithoutOperator } from '../../pricing/layers/books.ts';
import { openCheckpointFile, spoolIdentity } from '../../spool/checkpoint.ts';
import { listSegments, listSeries } from '../../spool/segment.ts';
import { openSpoolWriter, type SpoolWriter } from '../../spool/writer.ts';
import { openStore, type Store } from '../../store/store.ts';
import { makeEmptyStore } from '../../store/testing/empty-store.ts';
import { openLocation } from '../../store/testing/store-location.ts';
import { EarlierTexts } from '../batch/earlier-texts.ts';
import { BurstGate } from '../batch/burst.ts';
import { StoredOrder } from '../batch/stored-order.ts';
import { type Changers, makeChangers } from '../changers.ts';
import { callsOnceIn } from './calls-once-harness.ts';
import { completeUsageIn } from './complete-usage-harness.ts';
import { DeadLetters, type FullDeadLetter } from '../dead-letters/store.ts';
import { Drain } from '../drain.ts';
import type { ActiveErasures } from '../changes/erasures.ts';
import { interpretTasks } from '../worker/record-builder.ts';
import { openPendingChanges, type PendingChanges } from '../changes/pending.ts';
import { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import { SpendCounters } from '../spend-counters.ts';
import { newRedactor } from './redactors.ts';
import { owned, type TestInterpret, type TestPorts } from './spent-rows.ts';

/** What tests of the write path share: a real store and a real metadata database. A process opens one embedded store. */
export interface IngestRig {
  readonly folder: string;
  readonly store: Store;
  readonly database: MetadataDatabase;
  readonly close: () => Promise<void>;
}

export async function openRig(): Promise<IngestRig> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-ingest-'));
  await makeEmptyStore(path.join(folder, 'clickhouse'));
  const { location, close: closeLocation } = await openLocation(path.join(folder, 'clickhouse'));
  const store = openStore(location, { queryTimeoutMs: 30_000, queryMemoryBytes: 1536 * 1024 * 1024 });
  const database = await openMigratedMetadata(folder, 'core', systemClock.now);
  const close = async (): Promise<void> => {
    await store.close();
    await closeLocation();
    await database.close();
    rmSync(folder, { recursive: true });
  };
  return { folder, store, database, close };
}

/** Opens a rig and what stands on it. A rig that stays open fails every later file of the process, so it is closed when that fails. */
export async function openOnRig<Opened>(open: (rig: IngestRig) => Promise<Opened>): Promise<Opened> {
  const rig = await openRig();
  try {
    return await open(rig);
  } catch (error) {
    await rig.close();
    throw error;
  }
}

/** Waits until something holds, and does not keep busy what it waits for. @throws when it does not come true in a minute. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const askedAt = performance.now();
    if (await holds()) return;
    const now = performance.now();
    if (now > end) throw new Error('it did not come true');
    await wait(Math.max(5, (now - askedAt) * 2));
  }
}

let issued = 0;

/** A fresh identifier; with a time it is one that the gateway might have issued then. */
export function newId(unixMs: number = systemClock.now()): RequestId {
  issued += 1;
  return uuidOfHex(`${unixMs.toString(16).padStart(12, '0')}7000${(0x8000_0000_0000_0000n + BigInt(issued)).toString(16)}`);
}

/** One exchange as a test writes it: what is left out is a small whole chat call. `null`: no such frame. */
export interface ExchangeSketch {
  readonly open?: Partial<ExchangeOpen>;
  readonly request?: string | Uint8Array;
  /** What was kept of its end, behind what was cut. */
  readonly requestTail?: string;
  readonly head?: Partial<ExchangeResponseHead> | null;
  readonly response?: string | Uint8Array;
  readonly end?: Partial<ExchangeEnd> | null;
}

export const chatRequest = JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content: 'Say hello.' }] });
export const chatResponse = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'echo-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

/** A row of either table as far as tests of the write path look at it. */
export interface StoredRow {
  readonly id: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly status: number;
  readonly updated_at: string;
}

/** What goes together in a core. */
export interface CoreRig extends Changers {
  readonly drain: Drain;
  readonly pendingChanges: PendingChanges;
}

/** One spool over the rig's store, with an organisation of its own. Every drain of it is another life of the ingest. */
export class SpoolRig {
  readonly rig: IngestRig;
  readonly folder: string;
  readonly deadLetterFolder: string;
  readonly organizationId: OrganizationId = newId();
  readonly observations: Observation[] = [];
  private readonly writers = new Set<SpoolWriter>();
  private series = 0;

  constructor(rig: IngestRig) {
    this.rig = rig;
    this.folder = mkdtempSync(path.join(rig.folder, 'spool-'));
    this.deadLetterFolder = mkdtempSync(path.join(rig.folder, 'dead-letters-'));
  }

  get principal(): Principal {
    return { organizationId: this.organizationId, keyId: 'key-1', keyHash: 'a'.repeat(64), permissions: 'rw' };
  }

  /** A gateway worker's end of the spool. */
  openWriter(segmentMaxBytes: number = 64 * 1024 * 1024): SpoolWriter {
    this.series += 1;
    const writer = openSpoolWriter({
      folder: this.folder,
      series: `series-${String(this.series).padStart(4, '0')}`,
      segmentMaxBytes,
      segmentMaxMs: 3_600_000,
      sync: 'interval',
      syncIntervalMs: 3_600_000,
      onFailure: (error) => {
        throw error;
      },
      monotonic: systemClock.monotonic,
    });
    this.writers.add(writer);
    return writer;
  }

  /** Closes a writer as the death of its worker would: the lock is free, what is open stays open. */
  async killWriter(writer: SpoolWriter): Promise<void> {
    this.writers.delete(writer);
    await writer.close();
  }

  /** Writes an exchange. @returns its identifier, once it is in the spool. */
  async write(writer: SpoolWriter, preview: ExchangeSketch = {}): Promise<RequestId> {
    const stream = writer.newStream();
    const requestId = this.writeOpen(writer, stream, preview.open);
    this.writeRest(writer, stream, preview);
    await written(writer);
    return requestId;
  }

  writeOpen(writer: SpoolWriter, stream: number, given: Partial<ExchangeOpen> = {}): RequestId {
    const openedAt = given.openedAt ?? systemClock.now();
    const open: ExchangeOpen = {
      version: 1,
      requestId: newId(openedAt),
      organizationId: this.organizationId,
      keyHash: 'a'.repeat(64),
      openedAt,
      method: 'POST',
      path: '/v1/chat/completions',
      provider: 'echo',
      targetUrl: '',
      headers: { 'content-type': 'application/json' },
      tags: { properties: [] },
      ...given,
    };
    writer.append(stream, frameKinds.open, JSON.stringify(open));
    return open.requestId;
  }

  writeRest(
    writer: SpoolWriter,
    stream: number,
    { request = chatRequest, requestTail = '', head = {}, response = chatResponse, end = {} }: ExchangeSketch,
  ): void {
    if (request.length > 0) writer.append(stream, frameKinds.requestPart, request, 1);
    if (head !== null) {
      const whole: ExchangeResponseHead = { status: 200, headers: { 'content-type': 'application/json' }, elapsedMs: 5, ...head };
      writer.append(stream, frameKinds.responseHead, JSON.stringify(whole));
    }
    if (response.length > 0) writer.append(stream, frameKinds.responsePart, response, 7);
    if (requestTail.length > 0) writer.append(stream, frameKinds.requestTail, requestTail);
    if (end === null) return;
    const whole: ExchangeEnd = {
      outcome: 'complete',
      elapsedMs: 9,
      overheadMs: 0.5,
      requestBytes: request.length,
      responseBytes: response.length,
      ...end,
    };
    writer.append(stream, frameKinds.end, JSON.stringify(whole));
  }

  /** The changes that wait, as a new life finds them. */
  openPendingChanges(): Promise<PendingChanges> {
    return openPendingChanges(this.rig.database, openCheckpointFile(this.folder).load().spent ?? []);
  }

  /** A new life of the ingest over this spool. */
  async openDrain({ interpret = interpretDirectly, release, ...given }: TestPorts = {}): Promise<Drain> {
    return new Drain({
      spoolFolder: this.folder,
      spoolId: spoolIdentity(this.folder),
      checkpoint: openCheckpointFile(this.folder),
      interpret: owned(interpret, release),
      insert: this.rig.store.insert,
      insertsByMonth: this.rig.store.insertsByMonth,
      earlierTexts: new EarlierTexts(this.rig.store.bodyRemovals),
      findRows: this.rig.store.findRows,
      pendingChanges: given.pendingChanges ?? (await this.openPendingChanges()),
      declaredNames: new DeclaredNames(this.rig.database, systemClock),
      redactionRules: new RedactionRules(this.rig.database, systemClock),
      organizationPrices: { get: () => noOrganizationPrices },
      deadLetters: new DeadLetters(this.deadLetterFolder, systemClock.now),
      deadLetterQuota: { enforce: async () => undefined },
      settleBudgets: async () => undefined,
      completeUsage: completeUsageIn(this.rig.store),
      callsOnce: callsOnceIn(this.rig.store),
      erasures: noErasures,
      limits: { maxRows: 1000, maxBytes: 16 * 1024 * 1024 },
      maxKnown: 1_000_000,
      intervalMs: 1,
      storedOrder: new StoredOrder(openCheckpointFile(this.folder).load().lastNumber ?? 0),
      burst: new BurstGate({ maxMs: 0, cpuShares: () => undefined, clock: systemClock }),
      clock: systemClock,
      onVisible: () => undefined,
      spendCounters: new SpendCounters(),
      observe: (observation) => this.observations.push(observation),
      ...given,
    });
  }

  /** Lets an ingest live until it has stored all that has ended. */
  async drainAll(given: TestPorts = {}): Promise<void> {
    const drain = await this.openDrain(given);
    drain.start();
    await drain.stop(120_000);
  }

  /** A drain with the changers that go with it, as the core has them. @param now their clock. */
  async openCore(given: TestPorts = {}, now = systemClock.now): Promise<CoreRig> {
    const pendingChanges = given.pendingChanges ?? (await this.openPendingChanges());
    const drain = await this.openDrain({ ...given, pendingChanges });
    const { store, database } = this.rig;
    const latestNumber = Math.max(await store.latestChangeNumber(), await pendingChanges.latestNumber());
    const redactionRules = given.redactionRules ?? new RedactionRules(database, systemClock);
    return { drain, pendingChanges, ...makeChangers({ store, pendingChanges, latestNumber, redactionRules, now, waitMs: 5000 }, drain) };
  }

  /** All rows of the organisation in `requests`, in the order of their identifiers. */
  async rows(): Promise<readonly StoredRow[]> {
    return this.read<StoredRow>(
      'SELECT id_text AS id, properties, status, toString(updated_at) AS updated_at FROM requests WHERE org_id = {tenant:UInt128} ORDER BY request_id',
    );
  }

  /** Identifiers in `requests` and in `bodies`, sorted; one that is stored twice is there twice. */
  async storedIds(): Promise<{ requests: string[]; bodies: string[] }> {
    const ids = async (table: string): Promise<string[]> => {
      const rows = await this.read<{ id: string }>(
        `SELECT toString(request_id) AS id FROM ${table} WHERE org_id = {tenant:UInt128} ORDER BY request_id`,
      );
      return rows.map(({ id }) => uuidOfHex(BigInt(id).toString(16).padStart(32, '0')));
    };
    return { requests: await ids('requests'), bodies: await ids('bodies') };
  }

  async read<Row>(text: string, organizationId: OrganizationId = this.organizationId): Promise<readonly Row[]> {
    return readRows<Row>(this.rig.store, text, organizationId);
  }

  /** Segment numbers on the disk by series. */
  segments(): Record<string, number[]> {
    return Object.fromEntries(listSeries(this.folder).map((series) => [series, listSegments(path.join(this.folder, series))]));
  }

  /** Dead letters with what they hold, those of the earliest requests first. */
  async deadLetters(): Promise<readonly FullDeadLetter[]> {
    const kept = new DeadLetters(this.deadLetterFolder, systemClock.now);
    const read = await Promise.all(kept.list({ limit: 1000 }).letters.map(({ id }) => kept.read(id)));
    // Those of one millisecond are listed by their hash, in an order that no test can know.
    return read.filter((letter) => letter !== undefined).toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1));
  }
}

/** Something that a test holds back until it says so. */
export interface Gate {
  readonly open: () => void;
  /** Resolves when the gate is open. */
  readonly passed: Promise<void>;
}

export function makeGate(): Gate {
  const opened = new EventTarget();
  const passed = new Promise<void>((resolve) => {
    opened.addEventListener('open', () => resolve(), { once: true });
  });
  return { open: () => opened.dispatchEvent(new Event('open')), passed };
}

/** Resolves once all that was appended is in the spool. A new stream would have a number, by which tests know theirs. */
export async function written(writer: SpoolWriter): Promise<void> {
  const noStream = 0;
  await new Promise<void>((resolve) => {
    writer.whenWritten(noStream, () => resolve());
  });
}

/** As long as nobody is erased. */
const noErasures: ActiveErasures = { of: () => undefined, save: async () => undefined, wasErased: async () => false };

/** Interpretation without a thread: the thread needs compiled code. */
const parts = {
  book: bookWithoutOperator,
  redactions: newRedactor(),
};

export const interpretDirectly: TestInterpret = async (tasks, storedAt) => [...interpretTasks(tasks, { ...parts, storedAt })];

/** Whether rows of `requests` or `bodies` hold that of a request, whose number stands there in little endian. */
export function holdsId(rows: Uint8Array, requestId: string): boolean {
  return Buffer.from(rows).includes(Buffer.from(Buffer.from(requestId.replaceAll('-', ''), 'hex').toReversed()));
}

/** Organisation, time, identifier, time of the row and its number. */
const keyBytes = 16 + 8 + 16 + 8 + 8;
const endlessText = Buffer.concat([Buffer.from([1]), Buffer.alloc(8, 0xff), Buffer.from([1])]);

/** Interpretation whose row the store refuses for some of the exchanges. */
export function refusedFor(poisoned: ReadonlySet<string>): TestInterpret {
  return async (tasks, storedAt) => {
    const interpreted = await interpretDirectly(tasks, storedAt);
    return interpreted.map((result) => {
      if (!('request' in result)) return result;
      if (![...poisoned].some((one) => holdsId(result.request, one))) return result;
      return { ...result, request: Buffer.concat([result.request.subarray(0, keyBytes), endlessText]) };
    });
  };
}

/** Interpretation whose row the store refuses where changes came before it. */
export const refusedIfChanged: TestInterpret = async (tasks, storedAt) => {
  const changed = new Set(tasks.flatMap(({ changes }) => changes.map(({ requestId }) => requestId)));
  return refusedFor(changed)(tasks, storedAt);
};

/** Runs a query that a test wrote. A Statement comes from the query room alone, which is not asked here. */
async function readRows<Row>(store: Store, text: string, organizationId: OrganizationId): Promise<readonly Row[]> {
  const statement = {
    text,
    params: { tenant: uuidToNumber(organizationId).toString() },
    tenant: organizationId,
    lane: 'short',
  };
  return store.run<Row>(statement as unknown as Parameters<Store['run']>[0]);
}

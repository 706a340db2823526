import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../model/text.ts';
import { textIn } from './files/cells.ts';
import type { ArrivalSpan, Destination } from './destination.ts';
import { convertRecord, figuresOf, type ImportItem, type RecordFigures } from './item.ts';
import type { RejectedFile } from './progress-file.ts';
import { addFigures, addReason, type DayTally, type Tally } from './tally.ts';
import type { LoadedBodies } from './upstream-api.ts';

export interface BatchOptions {
  readonly destination: Destination;
  /** Nothing is stored. */
  readonly isDryRun: boolean;
  readonly loadBodies: (record: JsonObject) => Promise<LoadedBodies>;
  readonly tally: Tally;
  readonly rejected: RejectedFile | null;
  /** How long imported requests may take until they can be read. */
  readonly visibleWithinMs: number;
}

/** Bodies that are loaded at a time. */
const maxLoading = 10;
/** Characters and items of one sending. Few enough that bodies of a page are not in memory together. */
const maxSentLength = 4 * 1024 * 1024;
const maxSentItems = 500;

/** Within which imported requests can be read, usually. */
const usualDelayMs = 3_000;

const unknownDay = 'unknown';

/** A record on its way: the day that it counts for, and what is compared once it is here. */
interface Candidate {
  readonly record: JsonObject;
  readonly id: string;
  readonly createdAt: number;
  readonly day: DayTally;
  readonly item: ComparedFields;
}

type ComparedFields = Pick<ImportItem, 'properties' | 'scores'>;

/** Imports records, compares them with what is then here, and adds both to the tally. */
export async function importBatch(records: readonly JsonObject[], options: BatchOptions): Promise<void> {
  const sending = new Sending(options);
  for (let start = 0; start < records.length; start += maxLoading) {
    const group = records.slice(start, start + maxLoading);
    const loaded = await Promise.all(group.map(options.loadBodies));
    for (const [index, record] of group.entries()) await addRecord(record, loaded[index], { options, sending });
  }
  await sending.flush();
  await compare(sending.candidates, options);
}

interface Context {
  readonly options: BatchOptions;
  readonly sending: Sending;
}

async function addRecord(record: JsonObject, loaded: LoadedBodies | undefined, { options, sending }: Context): Promise<void> {
  const { tally } = options;
  const figures = figuresOf(record);
  const day = tally.of(figures.createdAt === null ? unknownDay : new Date(figures.createdAt).toISOString().slice(0, 10));
  addFigures(day.there, figures);
  const converted = convertRecord(record, loaded?.bodies ?? {});
  if ('problem' in converted) return reject({ record, day }, converted.problem, options);
  const { item } = converted;
  if (loaded?.problem !== undefined) {
    day.counts.bodiesMissing += 1;
    addReason(day, `Without bodies: ${loaded.problem}.`, item.request_id);
  }
  const { properties, scores } = item;
  await sending.add(
    { record, id: item.request_id, createdAt: Date.parse(item.request_created_at), day, item: { properties, scores } },
    item,
  );
}

function reject({ record, day }: Pick<Candidate, 'record' | 'day'>, reason: string, { rejected }: BatchOptions): void {
  day.counts.rejected += 1;
  addReason(day, `Rejected: ${reason}`, textIn(record, 'request_id', 'response_id'));
  rejected?.add(record, reason);
}

/** Items that wait to be sent together. */
class Sending {
  /** What was sent and not rejected. */
  readonly candidates: Candidate[] = [];
  private readonly options: BatchOptions;
  private waiting: Candidate[] = [];
  private lines: string[] = [];
  private length = 0;

  constructor(options: BatchOptions) {
    this.options = options;
  }

  async add(candidate: Candidate, item: ImportItem): Promise<void> {
    // The outcome has numbers for all items together, and a day has numbers of its own.
    if (this.waiting[0] !== undefined && this.waiting[0].day !== candidate.day) await this.flush();
    const line = JSON.stringify(item);
    this.waiting.push(candidate);
    this.lines.push(line);
    this.length += line.length;
    if (this.length >= maxSentLength || this.waiting.length >= maxSentItems) await this.flush();
  }

  async flush(): Promise<void> {
    const { waiting, lines, options } = this;
    [this.waiting, this.lines, this.length] = [[], [], 0];
    const [first] = waiting;
    if (first === undefined) return;
    const { imported, already, rejected } = await options.destination.send(lines, options.isDryRun);
    first.day.imported += imported;
    first.day.already += already;
    for (const [index, candidate] of waiting.entries()) {
      const reason = rejected.get(index);
      if (reason === undefined) this.candidates.push(candidate);
      else reject(candidate, reason, options);
    }
  }
}

/** Reads the records back. */
async function compare(candidates: readonly Candidate[], options: BatchOptions): Promise<void> {
  if (candidates.length === 0) return;
  const found = await findAll(candidates, options);
  for (const candidate of candidates) {
    const item = found.get(candidate.id);
    if (item !== undefined) compareOne(candidate, item);
    else if (!options.isDryRun) {
      candidate.day.counts.missing += 1;
      addReason(candidate.day, 'Not found here after the import; run it again.', candidate.id);
    }
  }
}

/** Imported records may take a moment until they can be read. */
async function findAll(candidates: readonly Candidate[], { destination, isDryRun, visibleWithinMs }: BatchOptions) {
  const found = new Map<string, JsonObject>();
  const startedAt = performance.now();
  let unseen = candidates;
  for (let delayMs = 50; ; delayMs = Math.min(1_000, delayMs * 2)) {
    const ids = unseen.map(({ id }) => id);
    // What was here before may be of another time than upstream's record.
    const span = performance.now() - startedAt > usualDelayMs ? null : spanOf(unseen);
    for (const [id, item] of await destination.find(ids, span)) found.set(id, item);
    unseen = candidates.filter(({ id }) => !found.has(id));
    if (unseen.length === 0 || isDryRun || performance.now() - startedAt > visibleWithinMs) return found;
    await wait(delayMs);
  }
}

function spanOf(candidates: readonly Candidate[]): ArrivalSpan {
  const times = candidates.map(({ createdAt }) => createdAt);
  return { fromMs: Math.min(...times), toMs: Math.max(...times) };
}

function compareOne({ record, id, day, item: sent }: Candidate, stored: JsonObject): void {
  const [sourceFigures, storedFigures] = [figuresOf(record), figuresOf(stored)];
  addFigures(day.here, storedFigures);
  if (sourceFigures.tokens !== storedFigures.tokens) {
    day.counts.tokensDiffer += 1;
    addReason(day, 'Other token counts here: the request was here before.', id);
  }
  if (sourceFigures.cost !== storedFigures.cost) {
    day.counts.costDiffers += 1;
    addReason(day, costReason(sourceFigures, storedFigures), id);
  }
  if (!isSameMap(sent.properties, stored['properties']) || !isSameMap(sent.scores, stored['scores'])) {
    day.counts.fieldsDiffer += 1;
    addReason(day, 'Other properties or scores here: they were changed on one side since, or redacted here.', id);
  }
}

function costReason(source: RecordFigures, stored: RecordFigures): string {
  if (source.cost === null) return 'A cost here and none there: it was computed here.';
  if (stored.cost === null) return 'A cost there and none here: the request was here before, and no price was known.';
  return 'Another cost here: the request was here before, and its cost was computed by other prices.';
}

/** Names and values, in any order. */
function isSameMap(one: Readonly<Record<string, unknown>>, other: unknown): boolean {
  if (typeof other !== 'object' || other === null) return false;
  const [left, right] = [Object.entries(one), other as Readonly<Record<string, unknown>>];
  return left.length === Object.keys(right).length && left.every(([name, value]) => right[name] === value);
}

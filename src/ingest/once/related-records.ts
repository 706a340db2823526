import { areAtOnce, type TellsOfCall } from './same-call.ts';

/** Of records that share one thing, as all responses of a server without identifiers of its own do, so many are compared with another: the nearest. */
const maxCompared = 64;

/** Finds among thousands of records those that may tell of the same call as one: those that share something with it. */
export class RelatedRecords<Known extends TellsOfCall> {
  private readonly byId = new Map<string, RecordsByTime<Known>>();
  private readonly byParent = new Map<string, RecordsByTime<Known>>();
  private readonly byCarrier = new Map<string, RecordsByTime<Known>>();
  private readonly byResponse = new Map<string, RecordsByTime<Known>>();
  private readonly order = new Map<Known, number>();

  /** A record that is there is found by these relations too. */
  add(record: Known, relations: TellsOfCall = record): void {
    if (!this.order.has(record)) this.order.set(record, this.order.size);
    const { ids, parentIds, carrierIds, responseId } = relations;
    const { traceId } = record;
    for (const key of inTrace(traceId, ids)) push(this.byId, key, record);
    for (const key of inTrace(traceId, parentIds)) push(this.byParent, key, record);
    for (const key of inTrace(traceId, carrierIds)) push(this.byCarrier, key, record);
    for (const key of responseKeys(traceId, responseId)) push(this.byResponse, key, record);
  }

  /** What `relationOf` may relate, in the order in which it was added. */
  near(record: TellsOfCall): readonly Known[] {
    const { traceId, responseId } = record;
    const [ids, parentIds, carrierIds] = [record.ids, record.parentIds, record.carrierIds].map((each) => inTrace(traceId, each));
    const found = new Set<Known>();
    const find = (of: ReadonlyMap<string, RecordsByTime<Known>>, keys: readonly string[] = []): void => {
      for (const key of keys) for (const other of of.get(key)?.nearest(record) ?? []) found.add(other);
    };
    for (const keys of [ids, parentIds, carrierIds]) find(this.byId, keys);
    find(this.byParent, ids);
    find(this.byCarrier, ids);
    find(this.byResponse, responseKeys(traceId, responseId));
    for (const key of parentIds ?? []) {
      for (const other of this.byParent.get(key)?.nearest(record) ?? []) if (areAtOnce(record, other)) found.add(other);
    }
    return [...found].toSorted((one, other) => (this.order.get(one) ?? 0) - (this.order.get(other) ?? 0));
  }
}

/** Records that share one thing. */
class RecordsByTime<Known extends TellsOfCall> {
  private readonly known = new Set<Known>();
  /** By their beginning, once they are many. */
  private sorted: Known[] | undefined;

  add(record: Known): void {
    if (this.known.has(record)) return;
    this.known.add(record);
    this.sorted?.splice(firstNotBefore(this.sorted, record.from), 0, record);
  }

  /** Those that began nearest to a record. */
  nearest({ from }: TellsOfCall): Iterable<Known> {
    if (this.known.size <= maxCompared) return this.known;
    this.sorted ??= [...this.known].toSorted((one, other) => one.from - other.from);
    let begin = firstNotBefore(this.sorted, from);
    let end = begin;
    while (end - begin < maxCompared) {
      const [before, after] = [this.sorted[begin - 1], this.sorted[end]];
      if (after === undefined || (before !== undefined && from - before.from < after.from - from)) begin -= 1;
      else end += 1;
    }
    return this.sorted.slice(begin, end);
  }
}

/** Index of the first record that did not begin earlier. */
function firstNotBefore(sorted: readonly TellsOfCall[], from: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.from ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function inTrace(traceId: string, ids: readonly string[]): readonly string[] {
  return traceId === '' ? [] : ids.map((id) => `${traceId} ${id}`);
}

/** In a trace one response is one call at any time. */
function responseKeys(traceId: string, responseId: string): readonly string[] {
  return responseId === '' ? [] : [responseId, ...inTrace(traceId, [responseId])];
}

function push<Known extends TellsOfCall>(lists: Map<string, RecordsByTime<Known>>, key: string, record: Known): void {
  const known = lists.get(key);
  if (known !== undefined) known.add(record);
  else {
    const list = new RecordsByTime<Known>();
    list.add(record);
    lists.set(key, list);
  }
}

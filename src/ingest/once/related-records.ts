import { areAtOnce, type TellsOfCall } from './same-call.ts';

/** Finds among thousands of records those that may tell of the same call as one: those that share something with it. */
export class RelatedRecords<Known extends TellsOfCall> {
  private readonly byId = new Map<string, Set<Known>>();
  private readonly byParent = new Map<string, Set<Known>>();
  private readonly byCarrier = new Map<string, Set<Known>>();
  private readonly byResponse = new Map<string, Set<Known>>();
  private readonly order = new Map<Known, number>();

  /** A record that is there is found by these relations too. */
  add(record: Known, relations: TellsOfCall = record): void {
    if (!this.order.has(record)) this.order.set(record, this.order.size);
    const { ids, parentIds, carrierIds, responseId } = relations;
    const { traceId } = record;
    for (const key of inTrace(traceId, ids)) push(this.byId, key, record);
    for (const key of inTrace(traceId, parentIds)) push(this.byParent, key, record);
    for (const key of inTrace(traceId, carrierIds)) push(this.byCarrier, key, record);
    if (responseId !== '') push(this.byResponse, responseId, record);
  }

  /** Whatever `relationOf` may relate, in the order in which it was added. */
  near(record: TellsOfCall): readonly Known[] {
    const { traceId, responseId } = record;
    const [ids, parentIds, carrierIds] = [record.ids, record.parentIds, record.carrierIds].map((each) => inTrace(traceId, each));
    const found = new Set<Known>();
    const find = (of: ReadonlyMap<string, ReadonlySet<Known>>, keys: readonly string[] = []): void => {
      for (const key of keys) for (const other of of.get(key) ?? []) found.add(other);
    };
    for (const keys of [ids, parentIds, carrierIds]) find(this.byId, keys);
    find(this.byParent, ids);
    find(this.byCarrier, ids);
    if (responseId !== '') find(this.byResponse, [responseId]);
    for (const key of parentIds ?? []) {
      for (const other of this.byParent.get(key) ?? []) if (areAtOnce(record, other)) found.add(other);
    }
    return [...found].toSorted((one, other) => (this.order.get(one) ?? 0) - (this.order.get(other) ?? 0));
  }
}

function inTrace(traceId: string, ids: readonly string[]): readonly string[] {
  return traceId === '' ? [] : ids.map((id) => `${traceId} ${id}`);
}

function push<Known>(sets: Map<string, Set<Known>>, key: string, record: Known): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([record]));
  else known.add(record);
}

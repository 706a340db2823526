import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import {
  type Listed,
  namesStatement,
  searchedValues,
  searchStatement,
  spanOf,
  type SpansQuery,
  spansStatement,
  type SpanValueRow,
} from '../../query/properties/values.ts';
import { hourMs, type RowChanges } from '../../store/read/row-changes.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';

/** Values and characters of one list; longer lists stay in the store. */
const maxValues = 100_000;
const maxCharacters = 8 * 1024 * 1024;
/** Of all lists together; the one used longest ago goes first. */
const maxCharactersOfAll = 64 * 1024 * 1024;
/** Memory of a value beside its characters, in characters. */
const valueOverhead = 64;
/** The same of a value's place in a span. */
const pairSize = 16;
/** Spans of an hour before days are made of them. */
const maxHourSpans = 96;
/** Spans that are read apart; more are read with everything. */
const maxSpansRead = 50;

/** The values of one list by the spans of time in which requests have them. */
interface ValueList {
  /** The number of the latest change that was visible before the rows were read. */
  seen: number;
  readonly splitHour: number;
  readonly spans: Map<number, ReadonlySet<string>>;
  /** Each value with its folded text and the number of its spans. */
  readonly values: Map<string, { readonly folded: string; spans: number }>;
  /** Values of all spans, one that is in several counted in each. */
  pairs: number;
  characters: number;
}

/** A list that is too long to keep. */
interface LongList {
  readonly seen: number;
  readonly values: undefined;
}

interface Slot {
  list: ValueList | LongList | undefined;
  /** The latest reading; the next waits for it. */
  reading: Promise<unknown>;
}

interface StoredValuesParts {
  readonly run: RunStatement;
  readonly changes: RowChanges;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Names of properties and their values, as stored now. Lists are kept in memory by spans of time; a question reads again only spans in which
 * something has changed.
 */
export class StoredValues {
  private readonly parts: StoredValuesParts;
  private readonly slots = new Map<string, Slot>();

  constructor(parts: StoredValuesParts) {
    this.parts = parts;
  }

  /** Names that contain the term in any case. @param max names. */
  async names(organizationId: OrganizationId, max: number, term = ''): Promise<readonly string[]> {
    const list = await this.current(organizationId, 'names');
    if (list !== undefined) return namesWith([...list.values.keys()], term).slice(0, max);
    const rows = await this.parts.run<{ readonly value: string }>(namesStatement(organizationId, max, term));
    return rows.map(({ value }) => value);
  }

  /** Values that contain the term in any case, those that begin with it first. */
  async search(organizationId: OrganizationId, property: string, term: string): Promise<readonly string[]> {
    const list = await this.current(organizationId, { property });
    if (list !== undefined) return searchedValues(foldedOf(list), term);
    const rows = await this.parts.run<{ readonly value: string }>(searchStatement(organizationId, property, term));
    return rows.map(({ value }) => value);
  }

  /** The list as it is stored now; undefined when it is too long to keep. */
  private async current(organizationId: OrganizationId, listed: Listed): Promise<ValueList | undefined> {
    const key = JSON.stringify([organizationId, listed]);
    const slot = this.slots.get(key) ?? { list: undefined, reading: Promise.resolve() };
    this.slots.delete(key);
    this.slots.set(key, slot);
    const reading = slot.reading.then(() => this.refresh(slot, organizationId, listed));
    slot.reading = reading.catch(() => undefined);
    const list = await reading;
    this.dropOldest();
    return list;
  }

  private async refresh(slot: Slot, tenant: OrganizationId, listed: Listed): Promise<ValueList | undefined> {
    const { number } = this.parts.changes;
    const { list } = slot;
    const changed = list === undefined ? 'everything' : this.parts.changes.since(tenant, list.seen);
    if (list !== undefined && changed !== 'everything') {
      if (isLong(list)) return undefined;
      if (changed.length === 0) return list;
      const spans = [...new Set(changed.map((hour) => spanOf(hour, list.splitHour)))];
      if (spans.length <= maxSpansRead && hourSpansOf(list) <= maxHourSpans) {
        const rows = await this.read({ tenant, listed, splitHour: list.splitHour, spans, limit: maxValues + 1 });
        if (rows !== undefined && replaceSpans(list, spans, rows)) {
          list.seen = number;
          return list;
        }
        slot.list = { seen: number, values: undefined };
        return undefined;
      }
    }
    slot.list = undefined;
    slot.list = await this.readAllValues(tenant, listed, number);
    return isLong(slot.list) ? undefined : slot.list;
  }

  private async readAllValues(tenant: OrganizationId, listed: Listed, seen: number): Promise<ValueList | LongList> {
    const today = Math.floor(this.parts.now() / hourMs / 24) * 24;
    const splitHour = Math.max(0, today - 24);
    const list: ValueList = { seen, splitHour, spans: new Map(), values: new Map(), pairs: 0, characters: 0 };
    const rows = await this.read({ tenant, listed, splitHour, spans: undefined, limit: maxValues + 1 });
    return rows !== undefined && replaceSpans(list, [], rows) ? list : { seen, values: undefined };
  }

  /** @returns undefined for more than can be kept. */
  private async read(query: SpansQuery): Promise<readonly SpanValueRow[] | undefined> {
    try {
      const rows = await this.parts.run<SpanValueRow>(spansStatement(query), undefined, { maxResultBytes: 4 * maxCharacters });
      return rows.length > maxValues ? undefined : rows;
    } catch (error) {
      if (error instanceof GatelogError && error.code === 'query_too_large') return undefined;
      throw error;
    }
  }

  private dropOldest(): void {
    let characters = 0;
    for (const slot of this.slots.values()) characters += sizeOf(slot);
    for (const [key, slot] of this.slots) {
      if (characters <= maxCharactersOfAll) return;
      characters -= sizeOf(slot);
      this.slots.delete(key);
    }
  }
}

/** Those that contain the term in any case. */
export function namesWith(names: readonly string[], term: string): readonly string[] {
  const folded = term.toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(folded));
}

function isLong(list: ValueList | LongList | undefined): list is LongList {
  return list !== undefined && list.values === undefined;
}

function sizeOf({ list }: Slot): number {
  return list === undefined || isLong(list) ? valueOverhead : list.characters + list.pairs * pairSize;
}

function* foldedOf({ values }: ValueList): Iterable<readonly [string, string]> {
  for (const [value, { folded }] of values) yield [value, folded];
}

function hourSpansOf({ spans, splitHour }: ValueList): number {
  let count = 0;
  for (const span of spans.keys()) if (span >= splitHour) count += 1;
  return count;
}

/** Replaces what is known of spans by rows that were read. @returns false when the list becomes too long. */
function replaceSpans(list: ValueList, spans: readonly number[], rows: readonly SpanValueRow[]): boolean {
  const fresh = new Map<number, Set<string>>(spans.map((span) => [span, new Set()]));
  for (const { span, value } of rows) {
    const at = Number(span);
    const values = fresh.get(at);
    if (values === undefined) fresh.set(at, new Set([value]));
    else values.add(value);
  }
  for (const [span, values] of fresh) {
    for (const value of values) addValue(list, value);
    for (const value of list.spans.get(span) ?? []) removeValue(list, value);
    if (values.size === 0) list.spans.delete(span);
    else list.spans.set(span, values);
  }
  list.pairs = 0;
  for (const values of list.spans.values()) list.pairs += values.size;
  return list.pairs <= maxValues && list.characters <= maxCharacters;
}

function addValue(list: ValueList, value: string): void {
  const known = list.values.get(value);
  if (known !== undefined) {
    known.spans += 1;
    return;
  }
  list.values.set(value, { folded: value.toLowerCase(), spans: 1 });
  list.characters += 2 * value.length + valueOverhead;
}

function removeValue(list: ValueList, value: string): void {
  const known = list.values.get(value);
  if (known === undefined) return;
  known.spans -= 1;
  if (known.spans > 0) return;
  list.values.delete(value);
  list.characters -= 2 * value.length + valueOverhead;
}

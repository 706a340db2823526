import type { OrganizationId, RequestId } from './ids.ts';
import type { SpanMarks } from './vocabulary/span-marks.ts';
import { isJsonObject, type JsonObject } from './text.ts';
import { bytesOfProperties } from './vocabulary/limits.ts';
import { feedbackScore } from './vocabulary/scores.ts';

/** The parts of a recorded request that can change. */
const changeKinds = ['property', 'score', 'feedback', 'session_property'] as const;

/**
 * Kinds of entries in a request's history: callers' changes, a cost and usage that became known after the call, texts that log records told,
 * and fields that another span of the call told.
 */
export const historyKinds = [...changeKinds, 'cost', 'usage', 'texts', 'fields'] as const;
export type HistoryKind = (typeof historyKinds)[number];

export const previewColumns = ['input_preview', 'output_preview'] as const;
type PreviewColumn = (typeof previewColumns)[number];

/** A change by a caller: each name is added or replaced; the others stay. */
export type Change =
  | { readonly kind: 'property'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'score'; readonly values: ReadonlyMap<string, number> }
  | { readonly kind: 'feedback'; readonly rating: boolean }
  /**
   * What a span tells of the request: properties that are absent, or have one of the values of `over` and were not stated by the call. The
   * history has them as properties.
   */
  | {
      readonly kind: 'fill';
      readonly values: ReadonlyMap<string, string>;
      readonly over: ReadonlyMap<string, readonly string[]>;
      /** Added to those of the record. */
      readonly links: readonly string[];
      /** Of bodies that log records filled. */
      readonly previews?: Partial<Readonly<Record<PreviewColumn, string>>>;
    }
  /**
   * Applies to every request of a session. The call has one history entry for all of them; each request stores only the change's number.
   */
  | { readonly kind: 'session_property'; readonly values: ReadonlyMap<string, string> };

export type ChangeKind = Change['kind'];

const numberBytes = 8;

export interface AcceptedChange {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  readonly change: Change;
  /** Id of the key that made the change. */
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  /** Grows with every accepted change, below 2^53. Orders changes within a millisecond and identifies feedback. */
  readonly number: number;
}

/** A rating of the answer, the latest one. */
export interface Feedback {
  /** Unique in the organisation. */
  readonly number: number;
  readonly rating: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The fields of a request. */
export interface MutableFields {
  readonly properties: Map<string, string>;
  readonly scores: Map<string, number>;
  feedback: Feedback | null;
  /** Numbers of the session changes already applied. */
  readonly sessionChanges: number[];
  /** Undefined: nothing that is there may be replaced by what a span tells. */
  readonly spanMarks?: SpanMarks | undefined;
}

/** Text for properties, a number for scores, the rating for feedback. */
export type ChangedValue = string | number | boolean;

/** One name of an accepted change, or one cost, token count or field. */
export interface ChangeEntry extends Omit<AcceptedChange, 'change'> {
  readonly kind: HistoryKind;
  readonly name: string;
  /** Null: was absent. */
  readonly old: ChangedValue | null;
  /** Null: absent, possible only for a cost or a count. */
  readonly new: ChangedValue | null;
}

/** Texts that log records tell of a span, until its request is there. No request has the identifier of such an entry. */
export const waitingTexts = 'waiting_texts';

/** What waits for the request of a span: its name is {@link textsName}, `old` is the request's part and `new` the response's, as JSON. */
export type WaitingTextsEntry = Omit<ChangeEntry, 'kind'> & { readonly kind: typeof waitingTexts };

export function textsName(traceId: string, spanId: string): string {
  return `${traceId}:${spanId}`;
}

/** Applies a change to `fields`, in place. @returns its entries in the history. */
export function applyChange(fields: MutableFields, { change, ...accepted }: AcceptedChange): ChangeEntry[] {
  return replaced(fields, change, accepted).map((values) => ({
    ...accepted,
    kind: change.kind === 'fill' ? 'property' : change.kind,
    ...values,
  }));
}

type Replaced = Pick<ChangeEntry, 'name' | 'old' | 'new'>;

function replaced(fields: MutableFields, change: Change, { acceptedAt, number }: Omit<AcceptedChange, 'change'>): Replaced[] {
  switch (change.kind) {
    case 'property':
      return replacedIn(fields.properties, change.values);
    case 'fill': {
      const taken = fillingValues(fields, change);
      for (const name of taken.keys()) fields.spanMarks?.given.add(name);
      return replacedIn(fields.properties, taken);
    }
    case 'session_property':
      replacedIn(fields.properties, change.values);
      fields.sessionChanges.push(number);
      return [];
    case 'score':
      return replacedIn(fields.scores, change.values);
    case 'feedback': {
      const { rating } = change;
      const old = fields.feedback?.rating ?? null;
      fields.feedback = { number, rating, createdAt: acceptedAt };
      fields.scores.set(feedbackScore, rating ? 1 : 0);
      return [{ name: feedbackScore, old, new: rating }];
    }
  }
}

function replacedIn<Value extends ChangedValue>(values: Map<string, Value>, by: ReadonlyMap<string, Value>): Replaced[] {
  return [...by].map(([name, value]) => {
    const old = values.get(name) ?? null;
    values.set(name, value);
    return { name, old, new: value };
  });
}

/** The values of a filling that a request takes. What a call through the gateway stated stays; a session that is only its trace is none. */
export function fillingValues(
  { properties, spanMarks }: { readonly properties: ReadonlyMap<string, string> } & Pick<MutableFields, 'spanMarks'>,
  { values, over }: Pick<Extract<Change, { readonly kind: 'fill' }>, 'values' | 'over'>,
): ReadonlyMap<string, string> {
  const mayYield = (name: string, before: string): boolean =>
    spanMarks !== undefined && (spanMarks.isOfSpan || !spanMarks.isJoined || spanMarks.given.has(name) || before === spanMarks.traceId);
  const isTaken = ([name, value]: readonly [string, string]): boolean => {
    const before = properties.get(name) ?? '';
    return value !== '' && value !== before && (before === '' || (over.get(name)?.includes(before) === true && mayYield(name, before)));
  };
  return new Map([...values].filter(isTaken));
}

/** Number of names, and bytes of names and values in UTF-8; a score takes 8 bytes. */
export function sizeOfChange(change: Change): { readonly names: number; readonly bytes: number } {
  if (change.kind === 'feedback') return { names: 1, bytes: Buffer.byteLength(feedbackScore) + numberBytes };
  if (change.kind !== 'score') return { names: change.values.size, bytes: bytesOfProperties(change.values) };
  let bytes = 0;
  for (const name of change.values.keys()) bytes += Buffer.byteLength(name) + numberBytes;
  return { names: change.values.size, bytes };
}

/** JSON form of a change, without its kind. */
export function changeContent(change: Change): JsonObject {
  if (change.kind === 'fill') {
    const { values, over, links } = change;
    return { values: Object.fromEntries(values), over: Object.fromEntries(over), links: [...links] };
  }
  return change.kind === 'feedback' ? { rating: change.rating } : Object.fromEntries<string | number>(change.values);
}

/** Inverse of {@link changeContent}. @returns undefined for malformed content. */
export function readChange(kind: ChangeKind, content: unknown): Change | undefined {
  if (!isJsonObject(content)) return undefined;
  switch (kind) {
    case 'property':
    case 'session_property':
      return { kind, values: new Map(Object.entries(content).map(([name, value]) => [name, String(value)])) };
    case 'score':
      return { kind, values: new Map(Object.entries(content).map(([name, value]) => [name, Number(value)])) };
    case 'feedback':
      return { kind, rating: content['rating'] === true };
    case 'fill': {
      const { values, over, links } = content;
      return {
        kind,
        values: new Map(Object.entries(isJsonObject(values) ? values : {}).map(([name, value]) => [name, String(value)])),
        over: new Map(Object.entries(isJsonObject(over) ? over : {}).map(([name, texts]) => [name, textsOf(texts)])),
        links: textsOf(links),
      };
    }
  }
}

function textsOf(texts: unknown): string[] {
  return Array.isArray(texts) ? texts.map(String) : [];
}

import type { OrganizationId, RequestId } from './ids.ts';
import { isJsonObject, type JsonObject } from './text.ts';
import { bytesOfProperties } from './vocabulary/limits.ts';

/** What of a request can change after it was recorded. */
export const changeKinds = ['property', 'score', 'feedback', 'session_property'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Kinds of entries in the history of a request: what callers change, its cost where that was computed anew, and usage that became known later. */
export const historyKinds = [...changeKinds, 'cost', 'usage'] as const;
export type HistoryKind = (typeof historyKinds)[number];

/** What a caller changes about a request: each name is added or replaced, the others stay. */
export type Change =
  | { readonly kind: 'property'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'score'; readonly values: ReadonlyMap<string, number> }
  | { readonly kind: 'feedback'; readonly rating: boolean }
  /** One that every request of a session gets: the call has one history entry for all of them, and each request its number. */
  | { readonly kind: 'session_property'; readonly values: ReadonlyMap<string, string> };

/** The score under which a feedback stands too, 1 for good and 0 for bad; the feedback's name in the history. */
export const feedbackScore = 'svc-score-feedback';

/** Bytes of a score. */
const numberBytes = 8;

/** A change with what was settled when it was accepted. */
export interface AcceptedChange {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  readonly change: Change;
  /** Id of the key that asked for it. */
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  /** Grows with every accepted change, below 2^53: the order of changes within a millisecond, and the identifier of a feedback. */
  readonly number: number;
}

/** A rating of the answer, the latest one. */
export interface Feedback {
  /** Its identifier in the organisation. */
  readonly number: number;
  readonly rating: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The facts of a request that changes reach. */
export interface ChangeableFacts {
  readonly properties: Map<string, string>;
  readonly scores: Map<string, number>;
  feedback: Feedback | null;
  /** Numbers of the changes of its session that have reached it. */
  readonly sessionChanges: number[];
}

/** A value as the history shows it: text for properties, a number for scores, the rating for feedback. */
export type ChangedValue = string | number | boolean;

/** One name of one accepted change, or one cost or count. */
export interface ChangeEntry extends Omit<AcceptedChange, 'change'> {
  readonly kind: HistoryKind;
  readonly name: string;
  /** Null: it was absent. */
  readonly old: ChangedValue | null;
  /** Null: it is absent, which only a cost or a count can be. */
  readonly new: ChangedValue | null;
}

/** Applies a change to `facts`, in place. @returns its entries in the history. */
export function applyChange(facts: ChangeableFacts, { change, ...accepted }: AcceptedChange): ChangeEntry[] {
  return replaced(facts, change, accepted).map((values) => ({ ...accepted, kind: change.kind, ...values }));
}

type Replaced = Pick<ChangeEntry, 'name' | 'old' | 'new'>;

function replaced(facts: ChangeableFacts, change: Change, { acceptedAt, number }: Omit<AcceptedChange, 'change'>): Replaced[] {
  switch (change.kind) {
    case 'property':
      return replacedIn(facts.properties, change.values);
    case 'session_property':
      replacedIn(facts.properties, change.values);
      facts.sessionChanges.push(number);
      return [];
    case 'score':
      return replacedIn(facts.scores, change.values);
    case 'feedback': {
      const { rating } = change;
      const old = facts.feedback?.rating ?? null;
      facts.feedback = { number, rating, createdAt: acceptedAt };
      facts.scores.set(feedbackScore, rating ? 1 : 0);
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

/** How much a change is: names, and bytes of names and values in UTF-8, a number's as a number. */
export function sizeOfChange(change: Change): { readonly names: number; readonly bytes: number } {
  if (change.kind === 'feedback') return { names: 1, bytes: Buffer.byteLength(feedbackScore) + numberBytes };
  if (change.kind !== 'score') return { names: change.values.size, bytes: bytesOfProperties(change.values) };
  let bytes = 0;
  for (const name of change.values.keys()) bytes += Buffer.byteLength(name) + numberBytes;
  return { names: change.values.size, bytes };
}

/** A change without its kind, as JSON holds it. */
export function changeContent(change: Change): JsonObject {
  return change.kind === 'feedback' ? { rating: change.rating } : Object.fromEntries<string | number>(change.values);
}

/** The change of a kind with what {@link changeContent} wrote. @returns undefined for anything else. */
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
  }
}

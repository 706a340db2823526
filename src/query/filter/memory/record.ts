import { type Money, moneyOfUnits, zeroMoney } from '../../../model/pricing/money.ts';
import type { TextTagName } from '../../../model/record/text-tags.ts';
import type { RequestRecord } from '../../../model/record/request-record.ts';

/** A whole number of any size, as a bigint where it may be beyond what a JavaScript number holds exactly. */
export type Quantity = number | bigint;

/** The feedback on a request. */
export interface RecordFeedback {
  readonly number: Quantity;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly rating: boolean;
}

type TextKeys =
  | 'organizationId'
  | 'requestId'
  | 'keyHash'
  | 'path'
  | 'referrer'
  | 'targetUrl'
  | 'provider'
  | 'countryCode'
  | 'requestModel'
  | 'responseModel'
  | 'modelOverride'
  | 'model'
  | 'userId'
  | 'sessionId'
  | 'sessionName'
  | 'promptId'
  | TextTagName
  | 'responseId'
  | 'cacheReferenceId'
  | 'promptText'
  | 'completionText';
type MapKeys = 'properties' | 'inputs' | 'assets';
type FlagKeys = 'threat' | 'cacheEnabled' | 'cached' | 'isPassthroughBilling';
type OtherKeys = 'createdAt' | 'responseCreatedAt' | 'status' | 'cost' | 'requestBody' | 'responseBody';
type TokenKeys = 'promptTokens' | 'completionTokens' | 'promptCacheReadTokens' | 'promptCacheWriteTokens';

/**
 * What a record says, as far as a filter can ask for it: a RequestRecord is one. Empty text is absent, and
 * null is an absent number, time or flag; of the maps only a missing name is absent. A body is
 * the part of it that filters look at.
 */
export interface FilterRecord extends Pick<RequestRecord, TextKeys | MapKeys | FlagKeys | OtherKeys> {
  readonly latencyMs: Quantity | null;
  readonly timeToFirstTokenMs: Quantity | null;
  readonly usage: Readonly<Record<TokenKeys, Quantity | null>>;
  readonly scores: ReadonlyMap<string, number>;
  readonly feedback: RecordFeedback | null;
}

/** What all requests of a session say together. Times are Unix milliseconds. */
export interface SessionFacts {
  /** The newest name that is not empty, else empty. */
  readonly name: string;
  /** Empty: no tag. */
  readonly tag: string;
  readonly cost: Money;
  readonly totalTokens: bigint;
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
  readonly requests: number;
  readonly firstArrivalAt: number;
  readonly latestArrivalAt: number;
  /** Of each name the newest value. */
  readonly properties: ReadonlyMap<string, string>;
}

/**
 * The facts of one session. @param records all its requests, at least one, in any order. @param tag empty: none.
 * The newest is the one that arrived last; of those that arrived in the same millisecond, the one with the greatest identifier.
 */
export function sessionFactsOf(records: readonly FilterRecord[], tag = ''): SessionFacts {
  const oldestFirst = records.toSorted(byArrival);
  const [first, latest] = [oldestFirst[0], oldestFirst.at(-1)];
  if (first === undefined || latest === undefined) throw new TypeError('A session has at least one request.');
  return {
    name: oldestFirst.findLast(({ sessionName }) => sessionName !== '')?.sessionName ?? '',
    tag,
    cost: moneyOfUnits(oldestFirst.reduce<bigint>((sum, { cost }) => sum + (cost ?? zeroMoney), 0n)),
    totalTokens: sumOf(oldestFirst.map(totalTokensOf)),
    promptTokens: sumOf(oldestFirst.map(({ usage }) => usage.promptTokens)),
    completionTokens: sumOf(oldestFirst.map(({ usage }) => usage.completionTokens)),
    requests: oldestFirst.length,
    firstArrivalAt: first.createdAt,
    latestArrivalAt: latest.createdAt,
    properties: new Map(oldestFirst.flatMap(({ properties }) => [...properties])),
  };
}

/** Input and output tokens together, null when neither was reported. */
export function totalTokensOf({ usage: { promptTokens, completionTokens } }: FilterRecord): bigint | null {
  return promptTokens === null && completionTokens === null ? null : sumOf([promptTokens, completionTokens]);
}

function byArrival(left: FilterRecord, right: FilterRecord): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt;
  if (left.requestId === right.requestId) return 0;
  return left.requestId < right.requestId ? -1 : 1;
}

function sumOf(quantities: readonly (Quantity | null)[]): bigint {
  return quantities.reduce<bigint>((sum, quantity) => sum + BigInt(quantity ?? 0), 0n);
}

import { type Money, moneyOfUnits, zeroMoney } from '../../model/pricing/money.ts';
import type { TextTagName } from '../../model/record/text-tags.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';

/** A whole number of any size: a bigint where a number would lose precision. */
export type Quantity = number | bigint;

export interface RecordFeedback {
  readonly number: Quantity;
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
  | 'client'
  | 'clientVersion'
  | 'requestModel'
  | 'responseModel'
  | 'modelOverride'
  | 'model'
  | 'userId'
  | 'sessionId'
  | 'sessionName'
  | 'promptId'
  | TextTagName
  | 'traceId'
  | 'spanId'
  | 'responseId'
  | 'cacheReferenceId'
  | 'promptText'
  | 'completionText';
type MapKeys = 'properties' | 'inputs' | 'assets';
type FlagKeys = 'streamed' | 'threat' | 'cacheEnabled' | 'cached' | 'isPassthroughBilling';
type OtherKeys = 'failure' | 'createdAt' | 'responseCreatedAt' | 'status' | 'cost' | 'requestBody' | 'responseBody';
type TokenKeys = 'promptTokens' | 'completionTokens' | 'promptCacheReadTokens' | 'promptCacheWriteTokens';

/**
 * The fields of a record that filters read; a RequestRecord is one. Empty text is absent, and so is null; of maps only missing names are.
 * A body is its searched part.
 */
export interface FilterRecord extends Pick<RequestRecord, TextKeys | MapKeys | FlagKeys | OtherKeys> {
  readonly latencyMs: Quantity | null;
  readonly timeToFirstByteMs: Quantity | null;
  readonly timeToFirstTokenMs: Quantity | null;
  readonly usage: Readonly<Record<TokenKeys, Quantity | null>>;
  readonly scores: ReadonlyMap<string, number>;
  readonly feedback: RecordFeedback | null;
}

/** Aggregates over all requests of a session. Times are Unix milliseconds. */
export interface SessionAggregates {
  /** The newest non-empty name, else empty. */
  readonly name: string;
  readonly tag: string;
  readonly cost: Money;
  readonly totalTokens: bigint;
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
  readonly requests: number;
  readonly firstArrivalAt: number;
  readonly latestArrivalAt: number;
  /** The newest value of each name. */
  readonly properties: ReadonlyMap<string, string>;
}

/**
 * The aggregates of one session. @param records all its requests, at least one, in any order. @param tag empty without one. The newest request
 * arrived last; within a millisecond it has the greatest identifier.
 */
export function sessionAggregatesOf(records: readonly FilterRecord[], tag = ''): SessionAggregates {
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

/** Input and output tokens together; null when neither was reported. */
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

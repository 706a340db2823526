import { GatelogError } from '../../model/errors.ts';
import type { LimitPolicy } from '../../model/limit-policy.ts';
import type { TaggedProperty, Tags } from '../../model/record/exchange.ts';
import { exceedsBytes, quotedInHeader, wellFormed } from '../../model/text.ts';
import type { AgentHeader, AgentHeaderMeaning } from '../../model/vocabulary/agent-sessions.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { headerText } from '../http/headers.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { Fallback } from './fallbacks.ts';
import type { ListedTarget } from './targets.ts';

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** What the headers of coding agents tell, each with its row. */
export type AgentDraft = Map<AgentHeaderMeaning, { readonly row: AgentHeader; readonly text: string }>;

/** State of the headers read so far. */
export interface Draft {
  readonly properties: Map<string, TaggedProperty>;
  readonly tags: Writable<Tags>;
  readonly warnings: string[];
  auth: string | undefined;
  requestId: string | undefined;
  targetUrl: string | undefined;
  streamUsage: boolean;
  limitPolicy: LimitPolicy | undefined;
  attempts: AttemptsDraft | undefined;
  cache: CacheDraft | undefined;
  /** Undefined without headers of a coding agent. */
  agent: AgentDraft | undefined;
  aliased: boolean;
  refusal: GatelogError | undefined;
}

export interface AttemptsDraft {
  retryEnabled?: boolean;
  readonly policy: Partial<Writable<RetryPolicy>>;
  /** As sent, to tell a repetition from another list. */
  fallbacksText?: string;
  fallbacks: readonly Fallback[];
  targets?: readonly ListedTarget[];
}

export interface CacheDraft {
  enabled?: boolean;
  reads?: boolean;
  saves?: boolean;
  seed?: string;
  buckets?: number;
  ignoredKeys?: readonly string[];
  /** `Svc-Cache-Control` as sent. */
  control?: { readonly name: string; readonly value: string };
}

/**
 * Reads the value of one directive.
 * @param name of the header as the caller wrote it.
 * @throws GatelogError why the call must not be made.
 */
export type Reader = (draft: Draft, value: string, name: string) => void;

/** Warnings of one response. A head may hold tens of thousands of unknown headers, and they are read before the key is verified. */
const maxWarnings = 32;

export function warn({ warnings }: Draft, text: string): void {
  if (warnings.length < maxWarnings) warnings.push(text);
  else if (warnings.length === maxWarnings) warnings.push('and more of that kind');
}

/** Why a text is not on record, for `svc-warning`. */
export function tooLongWarning(what: string, maxBytes: number): string {
  return `${what} is over ${maxBytes} bytes and was not stored`;
}

export function invalidDirective(sentence: string): GatelogError {
  return new GatelogError('invalid_directive', sentence);
}

/** @param expected follows "takes" in the sentence. */
export function invalidValue(name: string, expected: string, value: string): GatelogError {
  return invalidDirective(`${name} takes ${expected}; got ${quotedInHeader(value)}.`);
}

/** The tags that are plain texts. */
type TextTag = keyof { [Name in keyof Tags as string extends Tags[Name] ? Name : never]: Name };

/** Stores a text as a tag. */
export const text =
  (tag: TextTag): Reader =>
  (draft, value, name) => {
    const read = wellFormed(headerText(value));
    if (exceedsBytes(read, textLimits.identifierBytes)) warn(draft, tooLongWarning(name, textLimits.identifierBytes));
    else if (read !== '') draft.tags[tag] = read;
  };

/** Accepts one of a few words, in any case. */
export const word =
  <Value>(words: ReadonlyMap<string, Value>, expected: string, set: (draft: Draft, value: Value, name: string) => void): Reader =>
  (draft, value, name) => {
    const read = words.get(value.trim().toLowerCase());
    if (read === undefined) throw invalidValue(name, expected, value);
    set(draft, read, name);
  };

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

export const flag = (set: (draft: Draft, isOn: boolean, name: string) => void): Reader => word(booleans, 'true or false', set);

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Decimals are read too; otherwise whole numbers only. */
  readonly isDecimal?: true;
}

export const number =
  ({ min, max, isDecimal }: NumberRange, set: (draft: Draft, value: number) => void): Reader =>
  (draft, value, name) => {
    const digits = value.trim();
    const read = /^\d{1,9}(?:\.\d{1,9})?$/.test(digits) ? Number(digits) : Number.NaN;
    if (!(read >= min && read <= max && (isDecimal === true || Number.isInteger(read)))) {
      throw invalidValue(name, `a ${isDecimal === true ? '' : 'whole '}number from ${min} to ${max}`, value);
    }
    set(draft, read);
  };

/** Refuses a second header whose value differs: it is unknown which one was meant. @param send what to do instead. */
export function checkOnce(earlier: string | undefined, value: string, name: string, send: string): void {
  if (earlier !== undefined && earlier !== value) throw invalidDirective(`${name} is there twice; send ${send}.`);
}

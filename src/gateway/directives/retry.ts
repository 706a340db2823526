import { GatelogError } from '../../model/errors.ts';
import { quotedInHeader } from '../../model/text.ts';
import { type Fallback, parseEntries, readFallbacks } from './fallbacks.ts';
import { headerText } from '../http/headers.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../retry/policy.ts';
import { type ListedTarget, namesTargets, readTargets } from './targets.ts';

/** More than one attempt was asked for. */
export interface AttemptDirectives {
  /** Undefined: an attempt that fails is not repeated. */
  readonly retry: RetryPolicy | undefined;
  readonly fallbacks: readonly Fallback[];
  /** All places of the call, its first among them, in its own address's stead; undefined: the call goes first where it would without a list. */
  readonly targets: readonly ListedTarget[] | undefined;
}

/** What the headers about attempts said so far. */
export interface RetryDraft {
  enabled?: boolean;
  policy: Partial<RetryPolicy>;
  /** As sent, to tell a repetition from another list. */
  fallbacksText?: string;
  fallbacks: readonly Fallback[];
  targets?: readonly ListedTarget[];
}

/** Of a request's draft what these headers fill. */
interface Draft {
  readonly targetUrl: string | undefined;
  attempts: RetryDraft | undefined;
  refusal: GatelogError | undefined;
  readonly warnings: string[];
}

type Reader = (draft: Draft, value: string, name: string) => void;

/** A number of the retry policy: what it may be. */
interface NumberRow {
  readonly field: keyof RetryPolicy;
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
}

const targetNotUsed = 'Svc-Target-Url was not used: the first entry of Svc-Fallbacks is the first attempt';
const maxWaitMs = 600_000;

const askedBy = (draft: Draft): RetryDraft => (draft.attempts ??= { policy: {}, fallbacks: [] });

const number =
  ({ field, least, most, whole }: NumberRow): Reader =>
  (draft, value, name) => {
    const text = value.trim();
    const given = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    const fits = given >= least && given <= most && (!whole || Number.isInteger(given));
    if (fits) askedBy(draft).policy = { ...askedBy(draft).policy, [field]: given };
    else {
      draft.refusal ??= invalid(`${name} takes a ${whole ? 'whole ' : ''}number from ${least} to ${most}; got ${quotedInHeader(value)}.`);
    }
  };

const readEnabled: Reader = (draft, value, name) => {
  const word = value.trim().toLowerCase();
  if (word === 'true' || word === 'false') askedBy(draft).enabled = word === 'true';
  else draft.refusal ??= invalid(`${name} takes true or false; got ${quotedInHeader(value)}.`);
};

/** Of two different lists nobody knows which was meant. */
const readList: Reader = (draft, value, name) => {
  const asked = askedBy(draft);
  if (asked.fallbacksText !== undefined && asked.fallbacksText !== value) {
    draft.refusal ??= invalid(`${name} is there twice; send one list.`);
    return;
  }
  asked.fallbacksText = value;
  try {
    const entries = parseEntries(headerText(value), name);
    if (namesTargets(entries)) asked.targets = readTargets(entries, name);
    else asked.fallbacks = readFallbacks(entries, name);
  } catch (error) {
    if (!(error instanceof GatelogError)) throw error;
    draft.refusal ??= error;
  }
};

/** The headers about attempts, by the text after the prefix, lower case. Times are milliseconds. */
export const attemptReaders = {
  'retry-enabled': readEnabled,
  'retry-num': number({ field: 'retries', least: 0, most: 100, whole: true }),
  'retry-factor': number({ field: 'factor', least: 1, most: 100, whole: false }),
  'retry-min-timeout': number({ field: 'minTimeoutMs', least: 0, most: maxWaitMs, whole: true }),
  'retry-max-timeout': number({ field: 'maxTimeoutMs', least: 0, most: maxWaitMs, whole: true }),
  fallbacks: readList,
} satisfies Readonly<Record<string, Reader>>;

/**
 * What all of these headers together ask for.
 * @returns undefined where that is a single attempt.
 */
export function finishRetry(draft: Draft): AttemptDirectives | undefined {
  if (draft.attempts === undefined) return undefined;
  const { fallbacks, targets } = draft.attempts;
  if (targets !== undefined && draft.targetUrl !== undefined) draft.warnings.push(targetNotUsed);
  const retry = settledRetry(draft, draft.attempts);
  return retry !== undefined || fallbacks.length > 0 || targets !== undefined ? { retry, fallbacks, targets } : undefined;
}

/** @returns undefined where no attempt is repeated. */
function settledRetry(draft: Draft, { enabled, policy }: RetryDraft): RetryPolicy | undefined {
  if (enabled === undefined && Object.keys(policy).length > 0) {
    draft.warnings.push('the headers Svc-Retry-* were ignored: retries need Svc-Retry-Enabled: true');
  }
  // Of the two bounds the one that was given moves the other.
  const { minTimeoutMs = Math.min(defaultRetryPolicy.minTimeoutMs, policy.maxTimeoutMs ?? Infinity) } = policy;
  const { maxTimeoutMs = Math.max(defaultRetryPolicy.maxTimeoutMs, minTimeoutMs) } = policy;
  if (minTimeoutMs > maxTimeoutMs) {
    draft.refusal ??= invalid(`Svc-Retry-Min-Timeout (${minTimeoutMs}) is greater than Svc-Retry-Max-Timeout (${maxTimeoutMs}).`);
  }
  const retry = enabled === true ? { ...defaultRetryPolicy, ...policy, minTimeoutMs, maxTimeoutMs } : undefined;
  return retry !== undefined && retry.retries > 0 ? retry : undefined;
}

function invalid(sentence: string): GatelogError {
  return new GatelogError('invalid_directive', sentence);
}

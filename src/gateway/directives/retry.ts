import { headerText } from '../http/headers.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry-policy.ts';
import { type Fallback, parseEntries, readFallbacks } from './fallbacks.ts';
import { type ListedTarget, namesTargets, readTargets } from './targets.ts';
import {
  type AttemptsDraft,
  checkOnce,
  type Draft,
  flag,
  invalidDirective,
  number,
  type NumberRange,
  type Reader,
  warn,
} from './values.ts';

/** A call that may take more than one attempt. */
export interface AttemptDirectives {
  /** Undefined: a failed attempt is not repeated. */
  readonly retry: RetryPolicy | undefined;
  readonly fallbacks: readonly Fallback[];
  /** All targets of the call, the first attempt's among them; they replace the address of the call itself. */
  readonly targets: readonly ListedTarget[] | undefined;
}

const maxWaitMs = 600_000;

const attemptsOf = (draft: Draft): AttemptsDraft => (draft.attempts ??= { policy: {}, fallbacks: [] });

const policyNumber = (field: keyof RetryPolicy, range: NumberRange): Reader =>
  number(range, (draft, value) => {
    attemptsOf(draft).policy[field] = value;
  });

const readList: Reader = (draft, value, name) => {
  const attempts = attemptsOf(draft);
  checkOnce(attempts.fallbacksText, value, name, 'one list');
  attempts.fallbacksText = value;
  const entries = parseEntries(headerText(value), name);
  if (namesTargets(entries)) attempts.targets = readTargets(entries, name);
  else attempts.fallbacks = readFallbacks(entries, name);
};

/** The headers about attempts by the text after the prefix, lower case. Times are milliseconds. */
export const attemptReaders = {
  'retry-enabled': flag((draft, isOn) => {
    attemptsOf(draft).retryEnabled = isOn;
  }),
  'retry-num': policyNumber('retries', { min: 0, max: 100 }),
  'retry-factor': policyNumber('factor', { min: 1, max: 100, isDecimal: true }),
  'retry-min-timeout': policyNumber('minTimeoutMs', { min: 0, max: maxWaitMs }),
  'retry-max-timeout': policyNumber('maxTimeoutMs', { min: 0, max: maxWaitMs }),
  fallbacks: readList,
} satisfies Readonly<Record<string, Reader>>;

/** @returns undefined for a single attempt. */
export function finishRetry(draft: Draft): AttemptDirectives | undefined {
  if (draft.attempts === undefined) return undefined;
  const { fallbacks, targets } = draft.attempts;
  if (targets !== undefined && draft.targetUrl !== undefined) {
    warn(draft, 'Svc-Target-Url was not used: the first entry of Svc-Fallbacks is the first attempt');
  }
  const retry = finishPolicy(draft, draft.attempts);
  return retry !== undefined || fallbacks.length > 0 || targets !== undefined ? { retry, fallbacks, targets } : undefined;
}

/** @returns undefined where no attempt is repeated. */
function finishPolicy(draft: Draft, { retryEnabled, policy }: AttemptsDraft): RetryPolicy | undefined {
  if (retryEnabled === undefined && Object.keys(policy).length > 0) {
    warn(draft, 'the headers Svc-Retry-* were ignored: retries need Svc-Retry-Enabled: true');
  }
  // Where only one of the two bounds was given, the default of the other yields.
  const { minTimeoutMs = Math.min(defaultRetryPolicy.minTimeoutMs, policy.maxTimeoutMs ?? Infinity) } = policy;
  const { maxTimeoutMs = Math.max(defaultRetryPolicy.maxTimeoutMs, minTimeoutMs) } = policy;
  if (minTimeoutMs > maxTimeoutMs) {
    draft.refusal ??= invalidDirective(`Svc-Retry-Min-Timeout (${minTimeoutMs}) is greater than Svc-Retry-Max-Timeout (${maxTimeoutMs}).`);
  }
  const retry = retryEnabled === true ? { ...defaultRetryPolicy, ...policy, minTimeoutMs, maxTimeoutMs } : undefined;
  return retry !== undefined && retry.retries > 0 ? retry : undefined;
}

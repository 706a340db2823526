import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../model/errors.ts';
import { isSystemError } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';

/** How calls to upstream are paced and repeated. */
export interface CallPolicy {
  readonly callsPerSecond: number;
  readonly maxAttempts: number;
  /** The first delay between attempts; it doubles up to {@link maxDelayMs}. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** For one attempt, its body included. */
  readonly timeoutMs: number;
  /** Bytes of one response, where the call has no limit of its own. */
  readonly maxBytes: number;
  /** Reports a wait that a person may notice. */
  readonly onWait: (sentence: string) => void;
}

export const defaultCallPolicy = {
  callsPerSecond: 3,
  maxAttempts: 8,
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  timeoutMs: 120_000,
  maxBytes: 64 * 1024 * 1024,
} as const satisfies Omit<CallPolicy, 'onWait'>;

/** `failed`: a narrower question may succeed. `too long`: so may one for less. `away`: no question will, now. */
export type UnansweredKind = 'failed' | 'too long' | 'away';

/** Upstream did not give a usable response in all attempts, or a longer one than is read. */
export class UnansweredCall extends Error {
  override readonly name = 'UnansweredCall';
  readonly kind: UnansweredKind;

  constructor(message: string, kind: UnansweredKind = 'failed') {
    super(message);
    this.kind = kind;
  }
}

export interface CallResponse {
  readonly status: number;
  readonly text: string;
}

export interface Call {
  readonly address: string;
  readonly init: RequestInit;
  /** For messages. */
  readonly what: string;
  readonly maxBytes?: number;
}

/** Sends calls no faster than the policy allows and repeats those that failed for a passing reason. */
export interface PacedCaller {
  /** @throws UnansweredCall when no attempt succeeded. @returns a response that is final, with any status. */
  readonly send: (call: Call) => Promise<CallResponse>;
}

const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);
/** A wait that upstream asks for, at most. */
const maxRetryAfterMs = 15 * 60_000;

export function pacedCaller(policy: CallPolicy): PacedCaller {
  let nextAt = 0;
  let hasAnswered = false;
  const takeTurn = async (): Promise<void> => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + 1000 / policy.callsPerSecond;
    if (at > now) await wait(at - now);
  };
  return {
    send: async (call) => {
      let delayMs = policy.firstDelayMs;
      for (let attempt = 1; ; attempt += 1) {
        if (policy.callsPerSecond !== Number.POSITIVE_INFINITY) await takeTurn();
        const outcome = await attemptCall(call, policy);
        hasAnswered ||= !('isUnheard' in outcome);
        if ('response' in outcome) return outcome.response;
        // An address that has never answered is more likely wrong than away.
        if (attempt === policy.maxAttempts || !hasAnswered) {
          throw new UnansweredCall(`${call.what}: ${outcome.problem}${attempt === 1 ? '' : `, ${attempt} times`}`, outcome.kind);
        }
        const waitMs = outcome.retryAfterMs ?? delayMs;
        if (waitMs >= 2_000) policy.onWait(`${call.what}: ${outcome.problem}; waiting ${Math.round(waitMs / 1000)} s`);
        await wait(waitMs);
        // Calls that wait for their turn meanwhile would meet the same limit.
        nextAt = Math.max(nextAt, performance.now());
        delayMs = Math.min(policy.maxDelayMs, delayMs * 2);
      }
    },
  };
}

type Outcome = { readonly response: CallResponse } | FailedAttempt;

interface FailedAttempt {
  readonly problem: string;
  readonly kind: 'failed' | 'away';
  readonly retryAfterMs?: number | undefined;
  /** Nobody listens at the address. */
  readonly isUnheard?: true;
}

const tooManyCalls = 429;
/** The codes of an address that nobody listens at. */
const awayCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

async function attemptCall({ address, init, what, maxBytes }: Call, policy: CallPolicy): Promise<Outcome> {
  try {
    const response = await fetch(address, { ...init, signal: AbortSignal.timeout(policy.timeoutMs) });
    const text = await textOf(response, maxBytes ?? policy.maxBytes, what);
    if (!passingStatuses.has(response.status)) return { response: { status: response.status, text } };
    const kind = response.status === tooManyCalls ? 'away' : 'failed';
    return { problem: `status ${response.status}`, kind, retryAfterMs: retryAfterMs(response.headers) };
  } catch (error) {
    if (error instanceof UnansweredCall || error instanceof CommandError) throw error;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const isUnheard = isSystemError(cause) && awayCodes.has(cause.code ?? '');
    return { problem: messageOf(cause), ...(isUnheard ? { kind: 'away', isUnheard } : { kind: 'failed' }) };
  }
}

/** Reads a body up to the limit. TRICKY: `response.text()` has none, and upstream's pages hold whole bodies. */
async function textOf(response: Response, maxBytes: number, what: string): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new UnansweredCall(`${what}: the response is longer than ${maxBytes} bytes`, 'too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** `Retry-After` in seconds or as a date, else the seconds of `RateLimit-Reset`. */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? headers.get('ratelimit-reset');
  if (text === null || text === '') return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(maxRetryAfterMs, Math.max(0, ms));
}

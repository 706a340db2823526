import { GatelogError } from '../../model/errors.ts';
import type { EndOverrides, ExchangeOutcome } from '../../model/record/exchange.ts';
import type { Attempt } from '../../model/record/request-record.ts';
import type { RequestPlan, Target, RetryPlan, RecordedCall } from '../call/call.ts';
import type { ForwardPorts } from '../call/ports.ts';
import { sendTo } from '../call/dispatch.ts';
import { type AttemptPlan, type NextAttempt, nextAttempt, type PartRead, partRead } from './next-attempt.ts';
import { rejectOpen, storableModel } from '../call/exchange.ts';
import { retryAfter } from '../../platform/http/retry-after.ts';
import { type AttemptHead, type RetryDecider, ProviderAttempt } from './attempt.ts';

/** Sends a call to its targets in turn, until a response is passed on to the client. */
export function runAttempts(ports: ForwardPorts, open: RecordedCall, plan: RequestPlan, retryPlan: RetryPlan): void {
  new Attempts(ports, open, plan, retryPlan).begin();
}

/**
 * The attempts of one call. Each has a sink of its own; the response that is passed on, because it is good or no attempt follows, goes
 * through it to the relay byte for byte.
 *
 * Invariant: no attempt follows once the head of a response was passed on.
 * Invariant: a client that leaves ends the running attempt and the wait for the next. While others wait for the response in the cache, the
 * attempts at the first target go on.
 */
class Attempts implements RetryDecider {
  private readonly ports: ForwardPorts;
  private readonly open: RecordedCall;
  private readonly targets: readonly [Target, ...Target[]];
  private readonly plan: AttemptPlan;
  private readonly startedAt: number;
  /** Failed attempts that another one followed. */
  private readonly failed: Attempt[] = [];
  private targetIndex = 0;
  private retryCount = 0;
  private running: ProviderAttempt | undefined;
  private waiting: NodeJS.Timeout | undefined;
  private clientHasLeft = false;

  constructor(ports: ForwardPorts, open: RecordedCall, plan: RequestPlan, retryPlan: RetryPlan) {
    this.ports = ports;
    this.open = open;
    this.targets = [plan, ...retryPlan.fallbacks];
    const { maxAttempts, retryWithinMs } = ports.limits;
    this.plan = { ...retryPlan, maxAttempts, retryWithinMs };
    this.startedAt = ports.clock.monotonic();
  }

  begin(): void {
    this.open.recorder.onEnd((outcome) => this.endOverrides(outcome));
    this.open.sink.begin({
      pause: () => this.running?.pause(),
      resume: () => this.running?.resume(),
      abort: (reason) => this.abort(reason),
      passBuffered: () => this.running?.passBuffered(),
    });
    this.send({ kind: 'fallback', targetIndex: 0 });
  }

  isDisconnected(): boolean {
    return this.clientHasLeft;
  }

  partRead(status: number): PartRead {
    return partRead(this.plan, status, this.targetIndex);
  }

  passesBuffered(firstByteAt: number): void {
    this.open.recorder.firstByteCame(firstByteAt);
  }

  retries(attempt: ProviderAttempt, { status, raw, isTooLong }: AttemptHead): boolean {
    const { clock, random } = this.ports;
    const next = nextAttempt(
      this.plan,
      {
        status,
        isTooLong,
        retryAfterMs: retryAfter(raw, clock.now()),
        targetIndex: this.targetIndex,
        retries: this.retryCount,
        attempts: this.failed.length + 1,
        elapsedMs: clock.monotonic() - this.startedAt,
      },
      random(),
    );
    if (next.kind === 'none') {
      this.announce(next.reason);
      return false;
    }
    this.failed.push(attempt.outcome());
    this.running = undefined;
    // Not from within the callbacks of the attempt that has just failed.
    this.waiting = setTimeout(() => this.send(next), next.kind === 'retry' ? next.waitMs : 0);
    return true;
  }

  sentAgain(first: Attempt): void {
    this.failed.push(first);
  }

  private send(next: Exclude<NextAttempt, { kind: 'none' }>): void {
    // The cache entry is for the first target; a fallback's response must not be returned for it.
    if (next.kind === 'fallback' && next.targetIndex > 0) this.open.cacheFill?.giveUp();
    else this.open.cacheFill?.abortIfUnawaited();
    if (this.clientHasLeft) return;
    if (next.kind === 'fallback') this.targetIndex = next.targetIndex;
    this.retryCount = next.kind === 'fallback' ? 0 : this.retryCount + 1;
    const { ports, open, current, targetIndex } = this;
    const sink = targetIndex > 0 ? open.relay : open.sink;
    const { monotonic } = ports.clock;
    const unpacking = ports.unpackingTime.of(open.organizationId);
    const attempt = new ProviderAttempt({ decider: this, sink, provider: current.route.provider, monotonic, unpacking });
    this.running = attempt;
    try {
      sendTo(ports, open, current, attempt);
    } catch (error) {
      attempt.error = error instanceof GatelogError ? error.code : 'internal';
      open.cacheFill?.giveUp();
      rejectOpen(ports, open, error);
    }
  }

  private get current(): Target {
    return this.targets[this.targetIndex] ?? this.targets[0];
  }

  /** Some bodies have an override, so the record must show which one was sent. */
  private get overrides(): boolean {
    return this.targets.some(({ bodyOverride }) => bodyOverride !== undefined);
  }

  private abort(reason: Error): void {
    this.clientHasLeft = true;
    clearTimeout(this.waiting);
    this.running?.abort(reason);
  }

  /** Adds headers and facts about the attempts, before the response and its record begin. */
  private announce(reason: string | undefined): void {
    const { recorder, relay, call } = this.open;
    const headers = reason === undefined ? [] : ['svc-warning', `no further attempt was made ${reason}`];
    if (this.failed.length > 0) headers.push('svc-attempts', String(this.failed.length + 1));
    if (this.targets.length > 1) headers.push('svc-fallback-index', String(this.targetIndex));
    if (this.targets.length > 1 && call.head.directives.aliased) headers.push('helicone-fallback-index', String(this.targetIndex));
    relay.announce(headers);
    recorder.setOverrides(this.endOverrides());
  }

  /** @param outcome how the exchange ended; undefined while the response begins. */
  private endOverrides(outcome?: ExchangeOutcome): EndOverrides {
    const model = storableModel(this.current.model);
    const broken = outcome === 'client_left' || outcome === 'provider_broke' ? { error: outcome } : {};
    const last = this.running === undefined ? [] : [{ ...broken, ...this.running.outcome() }];
    const attempts = [...this.failed, ...last];
    const modelUnread = this.open.call.head.directives.tags.requestBody === 'never';
    return {
      ...(this.targetIndex === 0 ? {} : this.otherTarget()),
      ...(model === undefined || modelUnread ? {} : { model }),
      ...(this.targetIndex === 0 || modelUnread || !this.overrides ? {} : { bodyOverride: this.current.bodyOverride ?? {} }),
      ...(attempts.length > 1 ? { attempts } : {}),
    };
  }

  private otherTarget(): EndOverrides {
    const { call, organizationId } = this.open;
    const { route, target } = this.current;
    const credentialHash = this.ports.credentialHashes.of(call.request.socket, organizationId, this.current);
    const named = { provider: route.provider, targetUrl: target?.shown ?? '' };
    return credentialHash === undefined ? named : { ...named, credentialHash };
  }
}

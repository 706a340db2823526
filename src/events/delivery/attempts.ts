import { messageOf } from '../../model/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AttemptEnd } from './attempt-end.ts';
import type { Delivery } from '../log/due.ts';
import { notSent, type Payload } from '../targets/target.ts';
import type { DeliveryTargets } from '../targets/targets.ts';

/** Senders end an attempt after 20 s; one that does not is given up. */
const givenUpAfterMs = 30_000;

export interface AttemptOptions {
  readonly targets: DeliveryTargets;
  readonly clock: Clock;
  /** From 0, below 1. */
  readonly random: () => number;
  readonly stopping: AbortSignal;
}

/** Makes one attempt. @returns undefined when it was aborted, so that nobody knows its end: it is made again after the next start. */
export async function makeAttempt(
  delivery: Delivery,
  payload: Payload | undefined,
  { targets: { webhook, channel }, clock, random, stopping }: AttemptOptions,
): Promise<AttemptEnd | undefined> {
  const startedAt = clock.now();
  const begun = clock.monotonic();
  const end = (attempted: AttemptEnd['attempted']): AttemptEnd => ({
    delivery,
    startedAt,
    durationMs: clock.monotonic() - begun,
    attempted,
    chance: random(),
  });
  if (payload?.kind !== 'body') return end('gone');
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(new Error(`It did not end within ${givenUpAfterMs / 1000} s.`)), givenUpAfterMs);
  try {
    const attempt = { delivery, body: payload.body, at: startedAt };
    const signal = AbortSignal.any([giveUp.signal, stopping]);
    return end(await (delivery.target.kind === 'channel' ? channel.send(attempt, signal) : webhook.send(attempt, signal)));
  } catch (error) {
    return stopping.aborted ? undefined : end(notSent(messageOf(error), 'failed'));
  } finally {
    clearTimeout(timer);
  }
}

import type { CallControl } from '../upstream/response-sink.ts';

const reasonBits = { client: 1, spool: 2 } as const;
type PauseReason = keyof typeof reasonBits;

/** Pauses a provider's response while the client, the spool or both are slow. */
export class ProviderFlow {
  private call: CallControl | undefined;
  private reasons = 0;

  attach(call: CallControl): void {
    this.call = call;
  }

  /** After the exchange its connection may carry the next call, which must not be paused or resumed from here. */
  detach(): CallControl | undefined {
    const { call } = this;
    this.call = undefined;
    return call;
  }

  survivesDisconnect(): boolean {
    return this.call?.survivesDisconnect?.() === true;
  }

  isPausedFor(reason: PauseReason): boolean {
    return (this.reasons & reasonBits[reason]) !== 0;
  }

  pause(reason: PauseReason): void {
    if (this.reasons === 0) this.call?.pause();
    this.reasons |= reasonBits[reason];
  }

  resume(reason: PauseReason): void {
    if (!this.isPausedFor(reason)) return;
    this.reasons &= ~reasonBits[reason];
    if (this.reasons === 0) this.call?.resume();
  }
}

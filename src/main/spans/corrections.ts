import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '../../model/change.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import type { ReceivedTrace } from '../../otlp/tree/place.ts';
import { LateSpans, type PlaceCorrection } from '../../otlp/tree/late-spans.ts';

export interface CorrectionPorts {
  readonly changeRequest: (principal: Principal, requestId: RequestId, change: Change) => Promise<void>;
  /** Spans remembered for ancestors that are still to come. */
  readonly maxSpans: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly observe: Observe;
  readonly intervalMs?: number;
}

/** Corrections that wait for the store. More are dropped: their requests keep the places that they have. */
const maxWaiting = 50_000;
/** Changes that arrive together share their statements. */
const atOnce = 200;
const defaultIntervalMs = 1000;
const retryMs = 5000;
const againCodes: ReadonlySet<string> = new Set(['store_unavailable', 'metadata_unavailable']);

/** Corrects the places of requests when the ancestors of their spans have come. */
export class PlaceCorrections {
  private readonly ports: CorrectionPorts;
  private readonly late: LateSpans<Principal>;
  private readonly waiting: PlaceCorrection<Principal>[] = [];
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | undefined;
  private isClosed = false;

  constructor(ports: CorrectionPorts) {
    this.ports = ports;
    this.late = new LateSpans(ports.maxSpans);
    this.timer = setInterval(() => this.look(), ports.intervalMs ?? defaultIntervalMs);
    this.timer.unref();
  }

  note(owner: Principal, traces: readonly ReceivedTrace[]): void {
    this.late.add(owner, traces, this.ports.now());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    this.waiting.length = 0;
    await this.running;
  }

  private look(): void {
    const corrections = this.late.corrections(this.ports.now());
    const taken = corrections.slice(0, maxWaiting - this.waiting.length);
    this.waiting.push(...taken);
    if (taken.length < corrections.length) this.drop(corrections.length - taken.length, 'too many wait for the store');
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0 && !this.isClosed) {
      const group = this.waiting.splice(0, atOnce);
      const failed = await Promise.all(group.map((correction) => this.apply(correction)));
      const again = failed.filter((correction) => correction !== undefined);
      if (again.length === 0) continue;
      this.waiting.unshift(...again);
      await wait(retryMs, undefined, { ref: false });
    }
  }

  private drop(requests: number, reason: string): void {
    this.ports.observe({ kind: 'span_places_dropped', requests, reason });
  }

  /** @returns the correction when it is to be tried again: the store or the redaction rules are away, or the record is on its way. */
  private async apply(correction: PlaceCorrection<Principal>): Promise<PlaceCorrection<Principal> | undefined> {
    const { owner, requestId, values } = correction;
    try {
      await this.ports.changeRequest(owner, requestId, { kind: 'property', values });
    } catch (error) {
      if (error instanceof GatelogError && againCodes.has(error.code)) return correction;
      // Erased or expired meanwhile, over a limit of its own, or nothing that the redaction rules can be applied to.
      if (!(error instanceof GatelogError)) this.drop(1, messageOf(error));
    }
    return undefined;
  }
}

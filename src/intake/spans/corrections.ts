import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Change } from '../../model/change.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import type { ReceivedTrace } from '../../otlp/tree/position.ts';
import type { JoinedCalls } from './joined-calls.ts';
import { LateSpans, type PositionCorrection } from '../../otlp/tree/late-spans.ts';

export interface CorrectionPorts {
  readonly changeRequest: (principal: Principal, requestId: RequestId, change: Change) => Promise<void>;
  readonly joined: Pick<JoinedCalls, 'find'>;
  /** Spans remembered for ancestors that are still to come. */
  readonly maxSpans: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly observe: Observe;
  readonly intervalMs?: number;
}

/** Requests that are looked at together; changes that arrive together share their statements. */
const atOnce = 200;
const defaultIntervalMs = 1000;
const retryMs = 5000;
const againCodes: ReadonlySet<string> = new Set(['store_unavailable', 'metadata_unavailable']);

/** Corrects the places of requests when the ancestors of their spans have come. */
export class PositionCorrections {
  private readonly ports: CorrectionPorts;
  private readonly late: LateSpans<Principal>;
  /** Of those that the store did not take. What else is due stays with the spans, whose bytes are bounded. */
  private again: readonly PositionCorrection<Principal>[] = [];
  private forgotten = 0;
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | undefined;
  private isClosed = false;

  constructor(ports: CorrectionPorts) {
    this.ports = ports;
    this.late = new LateSpans({ maxSpans: ports.maxSpans, onForgotten: (requests) => (this.forgotten += requests) });
    this.timer = setInterval(() => this.look(), ports.intervalMs ?? defaultIntervalMs);
    this.timer.unref();
  }

  note(owner: Principal, traces: readonly ReceivedTrace[]): void {
    this.late.add(owner, traces, this.ports.now());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.running;
  }

  private look(): void {
    if (this.forgotten > 0) this.drop(this.forgotten, 'more spans came than are remembered (GATELOG_OTLP_MEMORY_SPANS)');
    this.forgotten = 0;
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    while ((this.again.length > 0 || this.late.isDue(this.ports.now())) && !this.isClosed) {
      const group = this.again.length > 0 ? this.again : this.late.corrections(this.ports.now(), atOnce);
      const failed = await Promise.all(group.map((correction) => this.apply(correction)));
      this.again = failed.filter((correction) => correction !== undefined);
      if (this.again.length > 0) await wait(retryMs, undefined, { ref: false });
      else await nextTurn();
    }
  }

  private drop(requests: number, reason: string): void {
    this.ports.observe({ kind: 'span_places_dropped', requests, reason });
  }

  /** @returns the correction when it is to be tried again: the store or the redaction rules are away, or the record is on its way. */
  private async apply(correction: PositionCorrection<Principal>): Promise<PositionCorrection<Principal> | undefined> {
    const { owner, values, over } = correction;
    const requestId = this.ports.joined.find(owner.organizationId, correction.requestId);
    try {
      await this.ports.changeRequest(owner, requestId, { kind: 'fill', values, over, links: [] });
    } catch (error) {
      if (error instanceof GatelogError && againCodes.has(error.code)) return correction;
      // Its call became part of another record while this waited for it.
      if (this.ports.joined.find(owner.organizationId, requestId) !== requestId) return this.apply(correction);
      // Erased or expired meanwhile, over a limit of its own, or nothing that the redaction rules can be applied to.
      if (!(error instanceof GatelogError)) this.drop(1, messageOf(error));
    }
    return undefined;
  }
}

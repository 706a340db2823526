import { apiFamilies } from '../../api/http/latency.ts';
import type { DeadLetters } from '../../ingest/dead-letters/store.ts';
import type { Drain } from '../../ingest/drain.ts';
import { ingestFamilies, noteLetters, readDrain } from '../../ingest/metrics.ts';
import { exposition, type ProcessNumbers } from '../../platform/metrics/exposition.ts';
import type { Family, Meter } from '../../platform/metrics/meter.ts';
import { eventFamilies, ingestEventFamilies } from '../../platform/metrics/observed.ts';
import { processFamilies } from '../../platform/metrics/process-sampler.ts';
import { unpackCells } from '../../platform/metrics/slot-totals.ts';
import { noteSpool, spoolFamilies } from '../../spool/metrics.ts';
import { folderBytes } from '../../spool/usage.ts';
import { readConnections, readDamage, storeFamilies } from '../../store/engine/metrics.ts';
import type { Store } from '../../store/store.ts';
import type { MetricsMessage } from '../../supervisor/messages.ts';
import { familiesOf } from './metric-families.ts';

export const coreFamilies: readonly Family[] = [
  ...processFamilies,
  ...eventFamilies,
  ...ingestEventFamilies,
  ...ingestFamilies,
  ...spoolFamilies,
  ...storeFamilies,
  ...apiFamilies,
];

export interface TreeNumbersOptions {
  readonly meter: Meter;
  readonly drain: Drain;
  readonly letters: Pick<DeadLetters, 'held'>;
  readonly letterMaxBytes: number;
  readonly store: Pick<Store, 'lanes' | 'damage'>;
  readonly spoolFolder: string;
  readonly spoolMaxBytes: number;
  readonly now: () => number;
}

/** Metrics of the whole process tree: the core's own, read on request, and the latest that the supervisor passed on from the others. */
export class ProcessMetrics {
  private readonly options: TreeNumbersOptions;
  private told: MetricsMessage['numbers'] = [];

  constructor(options: TreeNumbersOptions) {
    this.options = options;
  }

  take(message: MetricsMessage): void {
    this.told = message.numbers;
  }

  /** The page in Prometheus' text format. */
  async page(): Promise<string> {
    const { meter, drain, letters, letterMaxBytes, store, spoolFolder, spoolMaxBytes, now } = this.options;
    readDrain(meter, drain, now());
    noteLetters(meter, letters.held(), letterMaxBytes);
    readConnections(meter, store);
    readDamage(meter, store);
    noteSpool(meter, await folderBytes(spoolFolder), spoolMaxBytes);
    const others = this.told.map(({ process, cells }): ProcessNumbers => {
      const families = process === 'supervisor' ? familiesOf.supervisor : familiesOf.gateway;
      return { process, families, cells: unpackCells(cells) };
    });
    return exposition([{ process: 'core', families: meter.families, cells: meter.cells }, ...others]);
  }
}

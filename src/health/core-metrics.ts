import { apiFamilies } from '../api/latency.ts';
import type { HealthFiguresInTime } from '../contract/health.ts';
import type { DeadLetters } from '../ingest/dead-letters/store.ts';
import type { Drain } from '../ingest/drain.ts';
import { ingestFamilies, recordDeadLetters, recordPrices, readDrain } from '../ingest/metrics.ts';
import { alertFamilies } from '../alerts/metrics.ts';
import { exposition, type ProcessNumbers } from '../platform/metrics/exposition.ts';
import type { MetricFamily, Meter } from '../platform/metrics/meter.ts';
import { eventFamilies, ingestEventFamilies } from '../platform/metrics/observed.ts';
import { processFamilies } from '../platform/metrics/process-sampler.ts';
import { readinessFamilies, recordReady } from '../platform/metrics/readiness.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import type { SpendCounters } from '../ingest/spend-counters.ts';
import { priceList } from '../pricing/tables/price-list.ts';
import { readBacklog } from '../events/log/status.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import { notePending, outboxFamilies } from '../events/delivery/metrics.ts';
import { noteBehind, webhookFamilies } from '../events/webhooks/metrics.ts';
import { unpackCells } from '../platform/metrics/slot-totals.ts';
import { recordSpool, spoolFamilies } from '../spool/metrics.ts';
import { folderBytes } from '../spool/usage.ts';
import { readConnections, readDamage, readMove, recordSize, storeFamilies } from '../store/metrics.ts';
import type { Store } from '../store/store.ts';
import type { MetricsMessage } from '../supervisor/messages.ts';
import { diskFamilies, recordDisk } from './disk-metrics.ts';
import { memoryFamilies, recordMemory } from './memory-metrics.ts';
import { healthFigures } from './health-figures.ts';
import { HealthHistory } from './history.ts';
import { familiesOf } from './metric-families.ts';

export const coreFamilies: readonly MetricFamily[] = [
  ...processFamilies,
  ...readinessFamilies,
  ...diskFamilies,
  ...memoryFamilies,
  ...eventFamilies,
  ...ingestEventFamilies,
  ...ingestFamilies,
  ...spoolFamilies,
  ...storeFamilies,
  ...apiFamilies,
  ...outboxFamilies,
  ...alertFamilies,
  ...webhookFamilies,
];

/** Figures that are not shown. */
const unknownBacklog = { pending: Number.NaN, overdueMs: Number.NaN };

export interface ProcessMetricsOptions {
  readonly meter: Meter;
  readonly drain: Drain;
  readonly deadLetters: Pick<DeadLetters, 'usage'>;
  readonly deadLetterMaxBytes: number;
  readonly store: Pick<Store, 'lanes' | 'damage' | 'moveBodies' | 'measureFreeSpace' | 'size'>;
  readonly events: EventsDatabase;
  /** How far webhooks are behind the stored records, milliseconds. */
  readonly behindMs: () => number;
  readonly spendCounters: Pick<SpendCounters, 'callsToday'>;
  readonly spoolFolder: string;
  readonly spoolMaxBytes: number;
  /** Of the data folder. @throws the system's error. */
  readonly measureDisk: () => DiskSpace;
  /** Bytes that a container has, where there is a limit, and those that the settings let all processes take. */
  readonly memory: { readonly limitBytes: number | undefined; readonly maxBytes: number };
  /** As `/readyz` of the API says. */
  readonly isReady: () => Promise<boolean>;
  readonly now: () => number;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/** Metrics of the whole process tree: the core's own, read on request, and the latest that the supervisor passed on from the others. */
export class ProcessMetrics {
  private readonly options: ProcessMetricsOptions;
  private readonly history = new HealthHistory();
  private received: MetricsMessage['numbers'] = [];

  constructor(options: ProcessMetricsOptions) {
    this.options = options;
    recordMemory(options.meter, options.memory.limitBytes, options.memory.maxBytes);
  }

  take(message: MetricsMessage): void {
    this.received = message.numbers;
  }

  /** The page in Prometheus' text format. */
  async page(): Promise<string> {
    const { meter, store, isReady } = this.options;
    const [ready, size] = await Promise.all([isReady(), store.size.read()]);
    recordReady(meter, ready);
    recordSize(meter, size);
    return exposition(await this.numbers());
  }

  async figures(): Promise<HealthFiguresInTime> {
    const { store, now } = this.options;
    return { ...healthFigures(await this.numbers(), store.measureFreeSpace(), now()), history: this.history.shown() };
  }

  /** Adds a point to the history. */
  async note(): Promise<void> {
    const { now, monotonic } = this.options;
    this.history.add(await this.numbers(), now(), monotonic());
  }

  /** @returns undefined while the file system does not tell. */
  private diskSpace(): DiskSpace | undefined {
    try {
      return this.options.measureDisk();
    } catch {
      return undefined;
    }
  }

  private async numbers(): Promise<readonly ProcessNumbers[]> {
    const { meter, drain, spendCounters, events, behindMs, deadLetters, deadLetterMaxBytes, store, spoolFolder, spoolMaxBytes, now } =
      this.options;
    readDrain(meter, drain, now());
    recordPrices(meter, { published: priceList.published, today: spendCounters.callsToday(), now: now() });
    recordDeadLetters(meter, deadLetters.usage(), deadLetterMaxBytes);
    readConnections(meter, store);
    readDamage(meter, store);
    readMove(meter, store);
    // The other figures are shown also while the database of events cannot be read.
    notePending(meter, await readBacklog(events, now()).catch(() => unknownBacklog));
    noteBehind(meter, behindMs());
    recordSpool(meter, await folderBytes(spoolFolder), spoolMaxBytes);
    recordDisk(meter, this.diskSpace());
    const others = this.received.map(({ process, cells }): ProcessNumbers => {
      const families = process === 'supervisor' ? familiesOf.supervisor : familiesOf.gateway;
      return { process, families, cells: unpackCells(cells) };
    });
    return [{ process: 'core', families: meter.families, cells: meter.cells }, ...others];
  }
}

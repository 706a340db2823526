import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type MetricFamily, type Meter, secondsBounds } from './meter.ts';

const residentMemory: MetricFamily = {
  name: 'gatelog_process_resident_memory_bytes',
  kind: 'gauge',
  help: 'Memory that the process has in use.',
};
const heapUsed: MetricFamily = { name: 'gatelog_process_heap_used_bytes', kind: 'gauge', help: 'Memory of JavaScript objects.' };
const cpuSeconds: MetricFamily = { name: 'gatelog_process_cpu_seconds_total', kind: 'counter', help: 'Processor time, all threads.' };
const startTime: MetricFamily = {
  name: 'gatelog_process_start_time_seconds',
  kind: 'gauge',
  help: 'When the process began, in Unix seconds.',
};
const loopDelay: MetricFamily = {
  name: 'gatelog_process_event_loop_delay_seconds',
  kind: 'histogram',
  help: 'The longest time in each second for which the event loop was late, looked at ten times a second.',
  bounds: secondsBounds,
};

export const processFamilies: readonly MetricFamily[] = [residentMemory, heapUsed, cpuSeconds, startTime, loopDelay];

const sampleMs = 1000;
/** Each look wakes the process, also one that rests. */
const resolutionMs = 100;

/** Samples this process once a second. @param sampled called after each sample. @returns a function that ends it. */
export function sampleProcess(meter: Meter, sampled: () => void = () => undefined): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  meter.set(startTime, [], performance.timeOrigin / 1000);
  let counted = 0;
  const sample = (): void => {
    const { user, system } = process.cpuUsage();
    const cpu = (user + system) / 1e6;
    const memory = readMemory();
    if (memory !== undefined) {
      meter.set(residentMemory, [], memory.rss);
      meter.set(heapUsed, [], memory.heapUsed);
    }
    meter.add(cpuSeconds, [], cpu - counted);
    counted = cpu;
    // TRICKY: the monitor measures the duration of a timer, its own interval included.
    if (delays.count > 0) meter.record(loopDelay, [], Math.max(0, delays.max / 1e9 - resolutionMs / 1000));
    delays.reset();
    sampled();
  };
  const timer = setInterval(sample, sampleMs);
  timer.unref();
  sample();
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}

/** TRICKY: Node reads a file here, which throws in a process without free descriptors; the last sample then stays. */
function readMemory(): NodeJS.MemoryUsage | undefined {
  try {
    return process.memoryUsage();
  } catch {
    return undefined;
  }
}

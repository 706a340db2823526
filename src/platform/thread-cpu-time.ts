/** Clock of WASI preview 1 that measures the CPU time of the calling thread. */
const threadClock = 3;

/**
 * A clock of the CPU time of the thread that calls it, in milliseconds, to a microsecond; undefined where there is none.
 * TRICKY: only Node's implementation of WASI reads that clock. `process.threadCpuUsage`, of Node 23.9 and later, and the files in `/proc`
 * count in ticks of 1 to 10 ms.
 */
export function threadCpuClock(): (() => number) | undefined {
  try {
    const wasi = withoutWarnings(() => {
      const { WASI } = process.getBuiltinModule('node:wasi');
      return new WASI({ version: 'preview1' });
    });
    const { WebAssembly } = globalThis as unknown as WebAssemblyGlobal;
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
    wasi.initialize({ exports: { memory } });
    const view = new DataView(memory.buffer);
    const read = (wasi.wasiImport as WasiImport).clock_time_get;
    if (read(threadClock, 0n, 0) !== 0) return undefined;
    return () => {
      read(threadClock, 0n, 0);
      return Number(view.getBigUint64(0, true)) / 1e6;
    };
  } catch {
    return undefined;
  }
}

/** The part that is used here; its types come with those of browsers. */
interface WebAssemblyGlobal {
  readonly WebAssembly: { readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer } };
}

interface WasiImport {
  /** @param address where the nanoseconds go, in the memory of the instance. @returns 0 when the clock was read. */
  readonly clock_time_get: (clock: number, precision: bigint, address: number) => number;
}

/** That the module is experimental concerns only programs in WASI. */
function withoutWarnings<Result>(load: () => Result): Result {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** How long the event loop of the calling thread has waited for something to do, milliseconds. */
export function threadIdleTime(): number {
  return performance.eventLoopUtilization().idle;
}

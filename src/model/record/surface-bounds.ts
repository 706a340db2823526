const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/**
 * The bounds of whatever records what did not pass through the gateway: spans, logs and imports. Each surface has each of them; a bound that
 * has another form than the others' stands in a sentence. `test/surfaces.test.ts` fails for a way in that belongs to no surface, and for a
 * bound that its file does not read; `docs/internals/invariants.md` has the table.
 */
export interface SurfaceBounds {
  /** Requests of one organisation that are read at once, and that wait for their turn. */
  readonly admission: { readonly atOnce: number; readonly waiting: number };
  /** What holds the bytes of bodies that come: at most half of them of one organisation in the core, its share in a worker. */
  readonly received: string;
  /** What one request adds to the spool, bytes: `free`, and more by what was sent and by records, and `most` at all. */
  readonly added: { readonly free: number; readonly perSentByte: number; readonly perRecord: number; readonly most: number } | string;
  /** Bytes that are remembered after a request was answered, of all organisations. */
  readonly remembered: number | string;
  /** Values that one request may hold, and the time of the thread that reads them, milliseconds. */
  readonly work: { readonly parts: number; readonly cpuMs: number } | string;
  /** What waits for the store: of each organisation in each process, or of all that is read ahead. */
  readonly waiting: WaitingBounds | { readonly exchanges: number; readonly bytes: number };
  /** How long a request waits for room before it is refused, milliseconds. */
  readonly waitMs: number;
}

/**
 * A unit is a record of up to `bytesOfUnit`; each month of late records makes parts of its own in the store. An organisation has a share of
 * what others leave.
 */
interface WaitingBounds {
  readonly units: number;
  readonly bytesOfUnit: number;
  readonly unitsOfLateMonth: number;
  readonly sharePercent: number;
}

const received = 'GATELOG_HELD_BODIES_BYTES in a worker, half of GATELOG_API_ANSWERS_MAX_BYTES in the core';
const waiting = { units: 20_000, bytesOfUnit: 8 * kibibyte, unitsOfLateMonth: 100, sharePercent: 50 } as const;

export const surfaceBounds = {
  spans: {
    admission: { atOnce: 1, waiting: 32 },
    received,
    added: { free: mebibyte, perSentByte: 8, perRecord: 2 * kibibyte, most: 64 * mebibyte },
    remembered: 16 * mebibyte,
    work: { parts: 2_000_000, cpuMs: 3000 },
    waiting,
    waitMs: 5000,
  },
  logs: {
    admission: { atOnce: 256, waiting: 256 },
    received,
    added: 'what was sent, up to GATELOG_LOG_MAX_BYTES',
    remembered: 'nothing',
    work: 'the bounds of any JSON, in a thread from 64 KiB on',
    waiting,
    waitMs: 5000,
  },
  imports: {
    admission: { atOnce: 1, waiting: 256 },
    received: 'half of GATELOG_API_ANSWERS_MAX_BYTES, by groups of lines; one longer line of an organisation at a time',
    added: 'what was sent',
    remembered: 'nothing',
    work: 'a line of up to 64 MiB, in a thread from 128 KiB on; shorter ones in slices of 5 ms',
    waiting: { exchanges: 10_000, bytes: 64 * mebibyte },
    waitMs: 20_000,
  },
} as const satisfies Record<string, SurfaceBounds>;

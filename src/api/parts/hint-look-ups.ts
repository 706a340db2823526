import type { HintProbe } from '../../query/hints/probe.ts';

type Statement = HintProbe['statement'];
type Rows = readonly Readonly<Record<string, unknown>>[];

interface Remembered {
  readonly tenant: string;
  readonly rows: Rows;
  readonly until: number;
}

const rememberedMs = 60_000;
const maxRemembered = 1000;

/**
 * Look-ups that explain empty responses. A client that waits for a record repeats them, so names are kept for a minute, and an
 * organisation has one long look-up at a time; concurrent calls get no explanation.
 */
export class HintLookUps {
  private readonly monotonic: () => number;
  private readonly busy = new Set<string>();
  private readonly remembered = new Map<string, Remembered>();

  /** @param monotonic milliseconds. */
  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  /** @returns undefined while another look-up of the organisation runs. @throws the error of `read`. */
  async rowsOf({ statement, isRemembered }: HintProbe, read: (statement: Statement) => Promise<Rows>): Promise<Rows | undefined> {
    if (statement.lane === 'short') return read(statement);
    const key = isRemembered === true ? keyOf(statement) : undefined;
    const known = key === undefined ? undefined : this.remembered.get(key);
    if (known !== undefined && known.until > this.monotonic()) return known.rows;
    if (this.busy.has(statement.tenant)) return undefined;
    this.busy.add(statement.tenant);
    try {
      const rows = await read(statement);
      // An erasure during the read removes the entry of `busy`; these rows may name what it erased.
      if (key !== undefined && this.busy.has(statement.tenant)) this.remember(key, statement.tenant, rows);
      return rows;
    } finally {
      this.busy.delete(statement.tenant);
    }
  }

  /** Call it after an erasure: no earlier result of the organisation is used again. */
  forget(tenant: string): void {
    this.busy.delete(tenant);
    for (const [key, known] of this.remembered) if (known.tenant === tenant) this.remembered.delete(key);
  }

  private remember(key: string, tenant: string, rows: Rows): void {
    this.remembered.delete(key);
    this.remembered.set(key, { tenant, rows, until: this.monotonic() + rememberedMs });
    const [oldest = ''] = this.remembered.keys();
    if (this.remembered.size > maxRemembered) this.remembered.delete(oldest);
  }
}

function keyOf({ text, params }: Statement): string {
  return JSON.stringify([text, Object.values(params).map(String)]);
}

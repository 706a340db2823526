import type { HintProbe } from '../../query/hints/question.ts';

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
 * What is looked up to explain empty answers. Who waits for a record gets one again and again: the same names are looked for once a minute, and an
 * organisation has one long look-up at a time. Others go without.
 */
export class HintLookUps {
  private readonly monotonic: () => number;
  private readonly busy = new Set<string>();
  private readonly remembered = new Map<string, Remembered>();

  /** @param monotonic milliseconds. */
  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  /** The rows of a question. @returns undefined when nobody looks now. @throws what `read` does. */
  async rowsOf({ statement, isRemembered }: HintProbe, read: (statement: Statement) => Promise<Rows>): Promise<Rows | undefined> {
    if (statement.lane === 'short') return read(statement);
    const key = isRemembered === true ? keyOf(statement) : undefined;
    const known = key === undefined ? undefined : this.remembered.get(key);
    if (known !== undefined && known.until > this.monotonic()) return known.rows;
    if (this.busy.has(statement.tenant)) return undefined;
    this.busy.add(statement.tenant);
    try {
      const rows = await read(statement);
      // What was read before something was erased may name it.
      if (key !== undefined && this.busy.has(statement.tenant)) this.remember(key, statement.tenant, rows);
      return rows;
    } finally {
      this.busy.delete(statement.tenant);
    }
  }

  /** To be called once records of an organisation are erased: nothing that was found before is said again. */
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

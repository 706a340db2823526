import { parseMoney, moneyOfUnits, moneyText, zeroMoney } from '../../model/pricing/money.ts';
import type { NumberCell, RequestRow } from '../requests/columns.ts';
import { levelsOf, nodePathOf } from './path.ts';
import { maxNodes, type SessionNodeRow } from './statement.ts';

/** A request of a session with the session's tag. */
export interface SessionRequestRow extends RequestRow {
  readonly session_tag: string;
}

/**
 * Sums all rows of a session, the oldest first, as `sessionStatement` does in the store: for a session that fits on one page. @param rows
 * at least one.
 */
export function aggregateTree(rows: readonly SessionRequestRow[]): readonly SessionNodeRow[] {
  const paths = new Map<string, NodeTotals>();
  for (const row of rows) sumAt(paths, row.session_path, 0).add(numbersOf(row));
  const sums = new Map<string, NodeTotals>();
  for (const [path, ofPath] of paths) {
    const levels = levelsOf(path);
    for (let depth = 0; depth <= levels.length; depth += 1) sumAt(sums, nodePathOf(levels.slice(0, depth)), depth).add(ofPath);
  }
  const nodes = [...sums.values()];
  const shown = nodes.length > maxNodes ? nodes.toSorted(shallowFirst).slice(0, maxNodes + 1) : nodes;
  return shown.map((sum) => ({ ...sum.totals(), ...(sum.depth === 0 ? toldOfSession(rows) : rootColumns) }));
}

function sumAt(sums: Map<string, NodeTotals>, node: string, depth: number): NodeTotals {
  const known = sums.get(node);
  if (known !== undefined) return known;
  const sum = new NodeTotals(node, depth);
  sums.set(node, sum);
  return sum;
}

type Totals = Omit<SessionNodeRow, keyof typeof rootColumns>;

const rootColumns = { name: '', users: [], newest_properties: {}, aliased: false, page_ms: [], page_ids: [], session_tag: '' } as const;

/** The sums of one request or of many. */
interface Addend {
  readonly requests: number;
  readonly cost: bigint;
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly total: bigint;
  readonly latency: bigint;
  readonly timed: number;
  readonly first: number;
  readonly latest: number;
  readonly ended: bigint;
}

function numbersOf(row: RequestRow): Addend {
  const createdAt = Number(row.created_ms);
  const latency = wholeOf(row.latency);
  return {
    requests: 1,
    cost: row.cost_text === null ? 0n : (parseMoney(row.cost_text) ?? zeroMoney),
    prompt: wholeOf(row.prompt_tokens),
    completion: wholeOf(row.completion_tokens),
    total: wholeOf(row.total_tokens),
    latency,
    timed: row.latency === null ? 0 : 1,
    first: createdAt,
    latest: createdAt,
    ended: BigInt(createdAt) + latency,
  };
}

/** Exact, as the store's sums are. */
class NodeTotals implements Addend {
  readonly node: string;
  readonly depth: number;
  requests = 0;
  cost = 0n;
  prompt = 0n;
  completion = 0n;
  total = 0n;
  latency = 0n;
  timed = 0;
  first = Number.POSITIVE_INFINITY;
  latest = Number.NEGATIVE_INFINITY;
  ended = 0n;

  constructor(node: string, depth: number) {
    this.node = node;
    this.depth = depth;
  }

  add(given: Addend): void {
    this.ended = this.requests === 0 || given.ended > this.ended ? given.ended : this.ended;
    this.requests += given.requests;
    this.cost += given.cost;
    this.prompt += given.prompt;
    this.completion += given.completion;
    this.total += given.total;
    this.latency += given.latency;
    this.timed += given.timed;
    this.first = Math.min(this.first, given.first);
    this.latest = Math.max(this.latest, given.latest);
  }

  totals(): Totals {
    return {
      node: this.node,
      requests: this.requests,
      cost_text: moneyText(moneyOfUnits(this.cost)),
      prompt_tokens_text: String(this.prompt),
      completion_tokens_text: String(this.completion),
      total_tokens_text: String(this.total),
      latency_text: String(this.latency),
      timed: this.timed,
      first_ms: this.first,
      latest_ms: this.latest,
      ended_text: String(this.ended),
    };
  }
}

function wholeOf(cell: NumberCell | null): bigint {
  return cell === null ? 0n : BigInt(cell);
}

/** Facts of the root only. */
function toldOfSession(rows: readonly SessionRequestRow[]): Omit<SessionNodeRow, keyof Totals> {
  const users = new Set(rows.flatMap(({ user_id: user }) => (user === '' ? [] : [user])));
  return {
    name: rows.findLast(({ session_name: name }) => name !== '')?.session_name ?? '',
    users: [...users].toSorted(byBytes),
    aliased: rows.some(({ aliased_names: aliased }) => aliased),
    newest_properties: Object.fromEntries(rows.flatMap(({ properties }) => Object.entries(properties))),
    page_ms: [],
    page_ids: [],
    session_tag: rows[0]?.session_tag ?? '',
  };
}

function shallowFirst(left: NodeTotals, right: NodeTotals): number {
  return left.depth - right.depth || byBytes(left.node, right.node);
}

/** The store's order of texts. */
function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

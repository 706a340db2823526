import { parseMoney, moneyOfUnits, moneyText, zeroMoney } from '../../model/money.ts';
import type { NumberCell, RequestRow } from '../request-row.ts';
import { levelsOf, nodePathOf } from './path.ts';
import { mostNodes, type SessionNodeRow } from './view.ts';

/** A request of a session with the session's tag. */
export interface SessionRequestRow extends RequestRow {
  readonly session_tag: string;
}

/**
 * All rows of a session, the oldest first, summed up as `sessionStatement` sums them in the store: for a session that is on one page anyway.
 * @param rows one at least.
 */
export function summed(rows: readonly SessionRequestRow[]): readonly SessionNodeRow[] {
  const sums = new Map<string, NodeSum>();
  for (const row of rows) {
    const levels = levelsOf(row.session_path);
    const numbers = numbersOf(row);
    for (let depth = 0; depth <= levels.length; depth += 1) {
      const node = nodePathOf(levels.slice(0, depth));
      const sum = sums.get(node) ?? new NodeSum(node, depth);
      sums.set(node, sum);
      sum.add(numbers);
    }
  }
  const nodes = [...sums.values()];
  const shown = nodes.length > mostNodes ? nodes.toSorted(shallowFirst).slice(0, mostNodes + 1) : nodes;
  return shown.map((sum) => ({ ...sum.totals(), ...(sum.depth === 0 ? toldOfSession(rows) : toldOfNode) }));
}

type Totals = Omit<SessionNodeRow, keyof typeof toldOfNode>;

const toldOfNode = { name: '', users: [], newest_properties: {}, page_ms: [], page_ids: [], session_tag: '' } as const;

/** What of a row is added up, at each node that it counts for. */
interface RowNumbers {
  readonly cost: bigint;
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly total: bigint;
  readonly latency: bigint;
  readonly timed: number;
  readonly createdAt: number;
  readonly ended: bigint;
}

function numbersOf(row: RequestRow): RowNumbers {
  const createdAt = Number(row.created_ms);
  const latency = wholeOf(row.latency);
  return {
    cost: row.cost_text === null ? 0n : (parseMoney(row.cost_text) ?? zeroMoney),
    prompt: wholeOf(row.prompt_tokens),
    completion: wholeOf(row.completion_tokens),
    total: wholeOf(row.total_tokens),
    latency,
    timed: row.latency === null ? 0 : 1,
    createdAt,
    ended: BigInt(createdAt) + latency,
  };
}

/** Exact, as the store's sums are. */
class NodeSum {
  readonly node: string;
  readonly depth: number;
  private requests = 0;
  private cost = 0n;
  private prompt = 0n;
  private completion = 0n;
  private total = 0n;
  private latency = 0n;
  private timed = 0;
  private first = Number.POSITIVE_INFINITY;
  private latest = Number.NEGATIVE_INFINITY;
  private ended: bigint | undefined;

  constructor(node: string, depth: number) {
    this.node = node;
    this.depth = depth;
  }

  add(row: RowNumbers): void {
    this.requests += 1;
    this.cost += row.cost;
    this.prompt += row.prompt;
    this.completion += row.completion;
    this.total += row.total;
    this.latency += row.latency;
    this.timed += row.timed;
    this.first = Math.min(this.first, row.createdAt);
    this.latest = Math.max(this.latest, row.createdAt);
    if (this.ended === undefined || row.ended > this.ended) this.ended = row.ended;
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
      ended_text: String(this.ended ?? 0n),
    };
  }
}

function wholeOf(cell: NumberCell | null): bigint {
  return cell === null ? 0n : BigInt(cell);
}

/** What only the root tells. */
function toldOfSession(rows: readonly SessionRequestRow[]): Omit<SessionNodeRow, keyof Totals> {
  const users = new Set(rows.flatMap(({ user_id: user }) => (user === '' ? [] : [user])));
  return {
    name: rows.findLast(({ session_name: name }) => name !== '')?.session_name ?? '',
    users: [...users].toSorted(byBytes),
    newest_properties: Object.fromEntries(rows.flatMap(({ properties }) => Object.entries(properties))),
    page_ms: [],
    page_ids: [],
    session_tag: rows[0]?.session_tag ?? '',
  };
}

function shallowFirst(left: NodeSum, right: NodeSum): number {
  return left.depth - right.depth || byBytes(left.node, right.node);
}

/** The store's order of texts. */
function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

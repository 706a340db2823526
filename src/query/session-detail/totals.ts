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
  const nodes = new Map<string, Node>();
  for (const row of rows) {
    const numbers = numbersOf(row);
    const levels = levelsOf(row.session_path);
    for (let depth = 0; depth <= levels.length; depth += 1) {
      const path = nodePathOf(levels.slice(0, depth));
      const node = nodes.get(path);
      if (node === undefined) nodes.set(path, { path, depth, requests: [numbers] });
      else node.requests.push(numbers);
    }
  }
  const all = [...nodes.values()];
  const shown = all.length > maxNodes ? all.toSorted(shallowFirst).slice(0, maxNodes + 1) : all;
  return shown.map((node) => ({ ...totalsOf(node), ...(node.depth === 0 ? sessionAggregatesOf(rows) : noSessionAggregates) }));
}

interface Node {
  readonly path: string;
  readonly depth: number;
  /** At the node and below, the oldest first. */
  readonly requests: RequestNumbers[];
}

type RequestNumbers = ReturnType<typeof numbersOf>;

function numbersOf(row: RequestRow) {
  const createdMs = Number(row.created_ms);
  const latency = bigintOf(row.latency);
  return {
    cost: row.cost_text === null ? zeroMoney : (parseMoney(row.cost_text) ?? zeroMoney),
    prompt: bigintOf(row.prompt_tokens),
    completion: bigintOf(row.completion_tokens),
    total: bigintOf(row.total_tokens),
    latency,
    isTimed: row.latency !== null,
    hasFailed: row.failure_kind !== '',
    createdMs,
    endedMs: BigInt(createdMs) + latency,
  };
}

/** Exact, as the store's sums are. */
function totalsOf({ path, requests }: Node): Omit<SessionNodeRow, keyof typeof noSessionAggregates> {
  const sumOf = (name: 'cost' | 'prompt' | 'completion' | 'total' | 'latency'): bigint =>
    requests.reduce<bigint>((sum, numbers) => sum + numbers[name], 0n);
  return {
    node: path,
    requests: requests.length,
    failed: requests.filter(({ hasFailed }) => hasFailed).length,
    cost_text: moneyText(moneyOfUnits(sumOf('cost'))),
    prompt_tokens_text: String(sumOf('prompt')),
    completion_tokens_text: String(sumOf('completion')),
    total_tokens_text: String(sumOf('total')),
    latency_text: String(sumOf('latency')),
    timed: requests.filter(({ isTimed }) => isTimed).length,
    first_ms: Math.min(...requests.map(({ createdMs }) => createdMs)),
    latest_ms: Math.max(...requests.map(({ createdMs }) => createdMs)),
    ended_text: String(requests.map(({ endedMs }) => endedMs).reduce((latest, ended) => (ended > latest ? ended : latest))),
  };
}

function bigintOf(cell: NumberCell | null): bigint {
  return cell === null ? 0n : BigInt(cell);
}

const noSessionAggregates = {
  name: '',
  users: [],
  newest_properties: {},
  aliased: false,
  page_ms: [],
  page_ids: [],
  session_tag: '',
} as const;

function sessionAggregatesOf(rows: readonly SessionRequestRow[]): Pick<SessionNodeRow, keyof typeof noSessionAggregates> {
  const users = new Set(rows.flatMap(({ user_id: user }) => (user === '' ? [] : [user])));
  return {
    ...noSessionAggregates,
    name: rows.findLast(({ session_name: name }) => name !== '')?.session_name ?? '',
    users: [...users].toSorted(byBytes),
    newest_properties: Object.fromEntries(rows.flatMap(({ properties }) => Object.entries(properties))),
    aliased: rows.some(({ aliased_names: aliased }) => aliased),
    session_tag: rows[0]?.session_tag ?? '',
  };
}

function shallowFirst(left: Node, right: Node): number {
  return left.depth - right.depth || byBytes(left.path, right.path);
}

/** The store's order of texts. */
function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

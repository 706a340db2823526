import { type Fragment, fragmentOf, type OwnTable, type Param, type Piece } from './sql.ts';

/** Identifier of an organisation, in the shape of model's OrganizationId. */
export type TenantId = string & { readonly __kind: 'uuid' };

/** Which connections run a statement: `short` for what finds a few rows by the key, `long` for what may go through a whole history. */
export type Lane = 'short' | 'long';

declare const sealed: unique symbol;

/**
 * A finished query of one tenant. Invariant: {@link statementFor} alone makes one, and it takes tables from {@link ownTable} alone, so every
 * table that a statement reads is held to the tenant's rows.
 */
export type Statement = StatementParts & { readonly [sealed]: true };

interface StatementParts {
  readonly text: string;
  /** Values by parameter name, in the form that `query_params` of the ClickHouse client takes. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly tenant: TenantId;
  readonly lane: Lane;
}

/**
 * The tenant's rows of a table, to stand behind `FROM`: the table, and the whole of its WHERE.
 * @param condition what else has to hold; absent: nothing.
 * @throws TypeError when the condition could end before its closing parenthesis: a fault in our own code.
 */
export function ownTable(name: OwnTable['name'], condition?: Fragment): Fragment {
  if (condition !== undefined) assertClosed(condition);
  return fragmentOf([Object.freeze({ kind: 'table', name, condition: condition?.pieces ?? [] })]);
}

/**
 * The query as a Statement of one tenant.
 * @throws TypeError when the tenant is no UUID, when no table is read, or when one is read that is not an {@link ownTable}: faults in our own code.
 */
export function statementFor(tenant: TenantId, query: Fragment, lane: Lane): Statement {
  assertOwnTables(query.pieces);
  if (!query.pieces.some((piece) => typeof piece !== 'string' && piece.kind === 'table')) {
    throw new TypeError('A statement reads a table of its tenant.');
  }
  const rendered = render(query);
  const params = { ...rendered.params, tenant: tenantNumber(tenant).toString() };
  const parts: StatementParts = { text: rendered.text, params: Object.freeze(params), tenant, lane };
  return Object.freeze(parts) as Statement;
}

function tenantNumber(tenant: TenantId): bigint {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant)) throw new TypeError('A tenant is a UUID in lower case.');
  return BigInt(`0x${tenant.replaceAll('-', '')}`);
}

/** What may follow a table's WHERE: anything else, such as `OR`, would be part of it. */
const afterTable = /^\s*(?:\)|GROUP BY\b|ORDER BY\b|LIMIT\b|$)/;
/** TRICKY: the engine reads a table behind `IN` as well, and behind a comma after `FROM`, which {@link assertNoTableList} looks for. */
const tableWords = /\b(FROM|JOIN|IN)\b\s*(?!\s|\()/gi;
/** To the engine a single name in parentheses behind `IN` is a table too, as are the arguments of these functions. */
const hiddenTables = /\bIN\s*\(\s*\w+\s*\)|\b(?:dictGet|dictHas|joinGet)\w*|\bEXISTS\b/i;

/** TRICKY: values are never in the text pieces, so the words that are found there are the words of the query. */
function assertOwnTables(pieces: readonly Piece[]): void {
  assertNoTableList(pieces);
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (typeof piece === 'string') assertReadsOnly(piece, next);
    else if (piece.kind === 'table') {
      const before = pieces[index - 1];
      if (typeof before !== 'string' || !/\bFROM\s+$/.test(before)) throw new TypeError('A table of the tenant stands behind FROM.');
      if (next !== undefined && !(typeof next === 'string' && afterTable.test(next))) {
        throw new TypeError('What follows a table of the tenant would loosen its condition.');
      }
      assertOwnTables(piece.condition);
    }
  }
}

function assertReadsOnly(text: string, next: Piece | undefined): void {
  const plain = withoutLiterals(text);
  const hidden = hiddenTables.exec(plain)?.[0];
  if (hidden !== undefined) throw new TypeError(`${hidden} may read a table that is not the tenant's.`);
  for (const match of plain.matchAll(tableWords)) {
    const atEnd = match.index + match[0].length === plain.length;
    const wanted = match[1]?.toUpperCase() === 'IN' ? 'param' : 'table';
    if (atEnd && typeof next === 'object' && next.kind === wanted) continue;
    throw new TypeError(`A table behind ${match[0].trim()} is not the tenant's.`);
  }
}

/** One FROM names one table or one derived table: a comma behind it, in the same parentheses and before the next clause, would add another. */
function assertNoTableList(pieces: readonly Piece[]): void {
  const text = withoutLiterals(pieces.map((piece) => (typeof piece === 'string' ? piece : '?')).join(''));
  const inFrom = [false];
  for (const [token] of text.matchAll(/[(),]|\b(?:FROM|SELECT|WHERE|GROUP|ORDER|LIMIT)\b/gi)) {
    if (token === '(') inFrom.push(false);
    else if (token === ')') inFrom.pop();
    else if (token !== ',') inFrom[inFrom.length - 1] = token.toUpperCase() === 'FROM';
    else if (inFrom.at(-1) === true) throw new TypeError('A FROM names one table.');
  }
}

/** TRICKY: a `)` too many in a condition would end the parenthesis that stands around it, and so would a comment swallow it. */
function assertClosed(condition: Fragment): void {
  let open = 0;
  const text = withoutLiterals(condition.pieces.map((piece) => (typeof piece === 'string' ? piece : '?')).join(''));
  for (const [sign] of text.matchAll(/[()]|--|\/\*|;/g)) {
    if (sign === '(') open += 1;
    else open = sign === ')' ? open - 1 : -1;
    if (open < 0) break;
  }
  if (open !== 0 || text.trim() === '') throw new TypeError('A condition is one whole expression.');
}

function withoutLiterals(text: string): string {
  return text.replaceAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/gs, "''");
}

interface Rendered {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function render(query: Fragment): Rendered {
  const names = new Map<string, string>();
  const params: Record<string, unknown> = {};
  const nameOf = (value: Param): string => {
    const key = `${value.type}:${typeof value.value === 'object' ? value.value.join() : String(value.value)}`;
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = `p${names.size}`;
    names.set(key, name);
    params[name] = value.value;
    return name;
  };
  const textOf = (piece: Piece): string => {
    if (typeof piece === 'string') return piece;
    if (piece.kind === 'param') return `{${nameOf(piece)}:${piece.type}}`;
    const own = `${piece.name} WHERE org_id = {tenant:UInt128}`;
    return piece.condition.length === 0 ? own : `${own} AND (${piece.condition.map(textOf).join('')})`;
  };
  return { text: query.pieces.map(textOf).join(''), params };
}

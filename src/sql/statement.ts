import { type Fragment, fragmentOf, type Param, type Piece } from './sql.ts';

/** Identifier of an organisation, in the shape of model's OrganizationId. */
export type TenantId = string & { readonly __kind: 'uuid' };

/** Which connections may run a statement: `short` for answers in milliseconds, `long` for what may scan. */
export type Lane = 'short' | 'long';

export interface StatementLimits {
  readonly maxExecutionMs: number;
  readonly lane: Lane;
}

/** Point lookups and pages by key. */
export const shortLimits: StatementLimits = { maxExecutionMs: 10_000, lane: 'short' };
/** Reads that may go through bodies or through a whole history. */
export const longLimits: StatementLimits = { maxExecutionMs: 30_000, lane: 'long' };

declare const sealed: unique symbol;

/** A finished query of one tenant. Invariant: {@link statementFor} alone makes one, so every table it reads is held to the tenant's rows. */
export type Statement = StatementParts & { readonly [sealed]: true };

interface StatementParts {
  readonly text: string;
  /** Values by parameter name, in the form that `query_params` of the ClickHouse client takes. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly tenant: TenantId;
  readonly limits: StatementLimits;
}

/** The condition that keeps a table to the tenant's rows; every table that a statement reads needs it once. */
export const ownRows: Fragment = fragmentOf(['org_id = ', Object.freeze({ kind: 'tenant' })]);

/**
 * The query as a Statement of one tenant.
 * @throws TypeError when the tenant is no UUID, or when some table is read without {@link ownRows}: a fault in our own code.
 */
export function statementFor(tenant: TenantId, query: Fragment, limits: StatementLimits): Statement {
  assertGuarded(query);
  const rendered = render(query);
  const params = { ...rendered.params, tenant: tenantNumber(tenant).toString() };
  const parts: StatementParts = { text: rendered.text, params: Object.freeze(params), tenant, limits };
  return Object.freeze(parts) as Statement;
}

function tenantNumber(tenant: TenantId): bigint {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant)) throw new TypeError('A tenant is a UUID in lower case.');
  return BigInt(`0x${tenant.replaceAll('-', '')}`);
}

/** TRICKY: values never are in the text pieces, so counting `FROM` and `JOIN` there counts exactly the tables that are read. */
function assertGuarded(query: Fragment): void {
  let reads = 0;
  let guards = 0;
  for (const piece of query.pieces) {
    if (typeof piece === 'string') reads += piece.match(/\b(?:FROM|JOIN)\s+(?!\()/gi)?.length ?? 0;
    else if (piece.kind === 'tenant') guards += 1;
  }
  if (guards === 0 || guards < reads) throw new TypeError(`A statement reads ${reads} tables and guards ${guards} of them.`);
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
    return piece.kind === 'tenant' ? '{tenant:UInt128}' : `{${nameOf(piece)}:${piece.type}}`;
  };
  return { text: query.pieces.map(textOf).join(''), params };
}

import type { Command } from './commands.ts';
import type { Param, Piece, Query } from './sql.ts';

/** An organisation's identifier, in the shape of model's OrganizationId. */
export type TenantId = string & { readonly __kind: 'uuid' };

/**
 * The connections that run a statement: `short` for reads of a few rows by key, `long` for reads that may scan a whole history, `export`
 * for the pages of exports, which follow one another for hours, `alerts` for the windows of rules, read every few seconds.
 */
export type Lane = 'short' | 'long' | 'export' | 'alerts';

declare const brand: unique symbol;

interface Compiled {
  readonly text: string;
  /** Values by parameter name, as `query_params` of the ClickHouse client. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** SQL that can be run. Invariant: only this file creates it, restricted to one organisation unless the SQL itself says otherwise. */
export type CompiledSql = Compiled & {
  /** Runs instead while bodies are moved; its parameter `migratedUntilParameter` is set by then. */
  readonly meanwhile?: Compiled;
  readonly [brand]: true;
};

/** Makes the row that a statement promises from the row that the store returns. */
export type DecodeRow = (row: Readonly<Record<string, unknown>>, tenant: TenantId) => object;

/** A read of one tenant. */
export type Statement = CompiledSql & { readonly tenant: TenantId; readonly lane: Lane; readonly decode: DecodeRow | undefined };

/** @param decode absent: rows stay as the store returns them. @throws TypeError as {@link compileFor}. */
export function statementFor(tenant: TenantId, query: Query, lane: Lane, decode?: DecodeRow): Statement {
  return Object.freeze({ ...compileFor(tenant, query), tenant, lane, decode });
}

/**
 * SQL of one organisation.
 * @throws TypeError when the tenant is no UUID, or when the SQL names no rows of it or rows of all: bugs of ours.
 */
export function compileFor(tenant: TenantId, { pieces }: Query | Command): CompiledSql {
  const number = tenantNumber(tenant).toString();
  const compiled = (chosen: Pieces): Compiled => {
    if (!chosen.some((piece) => isMark(piece, 'tenant'))) throw new TypeError('A statement of an organisation names rows of it.');
    if (chosen.some((piece) => isMark(piece, 'across'))) throw new TypeError('A statement of one organisation names no rows of others.');
    const { text, params } = render(chosen);
    return { text, params: Object.freeze({ ...params, tenant: number }) };
  };
  const after = compiled(chosenFrom(pieces, 'after'));
  if (!pieces.some(isMoving)) return brandedSql(after);
  return brandedSql({ ...after, meanwhile: Object.freeze(compiled(chosenFrom(pieces, 'meanwhile'))) });
}

type Pieces = readonly Piece[];

function isMoving(piece: Piece): boolean {
  return typeof piece === 'object' && piece.kind === 'moving';
}

/** Pieces within a condition may move too. */
function chosenFrom(pieces: Pieces, time: 'after' | 'meanwhile'): Pieces {
  return pieces.flatMap((piece) => (typeof piece === 'object' && piece.kind === 'moving' ? chosenFrom(piece[time], time) : [piece]));
}

/**
 * SQL of all organisations or none: over system tables, over `acrossOrganizations`, or an insert, whose rows name their organisations.
 * @throws TypeError when it names rows of one organisation: a bug of ours.
 */
export function compileForAll({ pieces }: Query | Command): CompiledSql {
  const isOfOne = pieces.some((piece) => isMark(piece, 'tenant'));
  if (isOfOne) throw new TypeError('Rows of an organisation stand in a statement of that organisation.');
  return brandedSql(render(pieces));
}

function brandedSql(compiled: Omit<CompiledSql, typeof brand>): CompiledSql {
  return Object.freeze(compiled) as CompiledSql;
}

function isMark(piece: Piece, kind: 'tenant' | 'across'): boolean {
  return typeof piece === 'object' && piece.kind === kind;
}

function tenantNumber(tenant: TenantId): bigint {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant)) throw new TypeError('A tenant is a UUID in lower case.');
  return BigInt(`0x${tenant.replaceAll('-', '')}`);
}

function render(pieces: Pieces): Compiled {
  const params: Record<string, Param['value']> = {};
  const numbered = new Map<unknown, string>();
  const nameOf = (given: Param): string => {
    // Lists are compared by identity, because they may be long.
    const key = given.name ?? (typeof given.value === 'object' ? given : `${given.type}:${String(given.value)}`);
    const known = numbered.get(key);
    const name = known ?? given.name ?? `p${numbered.size}`;
    if (known !== undefined && given.name !== undefined && params[name] !== given.value) {
      throw new TypeError(`The parameter ${name} has two values.`);
    }
    numbered.set(key, name);
    params[name] = given.value;
    return name;
  };
  const textOf = (piece: Piece): string => {
    if (typeof piece === 'string') return piece;
    if (piece.kind === 'param') return `{${nameOf(piece)}:${piece.type}}`;
    return piece.kind === 'tenant' ? '{tenant:UInt128}' : '';
  };
  return { text: pieces.map(textOf).join(''), params };
}

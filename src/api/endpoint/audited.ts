import type { Context } from 'hono';
import type { Action, Principal } from '../../model/principal.ts';
import { auditedFilter } from './audited-filter.ts';
import { addressOf } from './authenticate.ts';
import type { ApiPorts } from './ports.ts';

/** What an entry of the audit log says beside who, when and from where. */
export interface AuditedPart {
  /** Of what; by default the parameters of the path, or the identifier of what was made. */
  readonly target?: string | undefined;
  /** Which bodies were read, or what was changed; as JSON. */
  readonly filter?: unknown;
}

/** What an endpoint says of the audit log. Each answered call of which it says something is one entry; a refused one is none. */
export interface Audited<OneCall> {
  /** The bodies that leave with the answer; undefined: none. */
  readonly readsBodies?: (call: OneCall) => AuditedPart | undefined;
  /**
   * What the call has changed; undefined: nothing, as a trial. By default every call of the actions `update`, `own` and `administer` but by
   * GET has changed something, and no other.
   */
  readonly changes?: (call: OneCall) => AuditedPart | undefined;
}

interface AnyCall {
  readonly context: Context;
  readonly principal: Principal;
  readonly ports: Pick<ApiPorts, 'noteAudit'>;
  readonly params: Readonly<Record<string, unknown>>;
}

/** An endpoint as far as the audit log looks at it. */
export interface AuditedEndpoint<OneCall> extends Audited<OneCall> {
  /** Method and path. */
  readonly at: string;
  readonly id: string;
  readonly action: Action;
}

const changing: ReadonlySet<Action> = new Set<Action>(['update', 'own', 'administer']);

/** What the audit log gets to know of an endpoint's calls. */
export function auditKind<OneCall>({ at, action, readsBodies, changes }: AuditedEndpoint<OneCall>): 'reads' | 'changes' | 'nothing' {
  if (readsBodies !== undefined) return 'reads';
  return changes !== undefined || (changing.has(action) && !at.startsWith('GET ')) ? 'changes' : 'nothing';
}

/**
 * Notes a call that is about to be answered. Durable on return. @param data of the answer, if it is an envelope's.
 * @throws GatelogError `audit_unavailable`: the call must not be answered then.
 */
export async function noteAnswered<OneCall extends AnyCall>(
  endpoint: AuditedEndpoint<OneCall>,
  call: OneCall,
  data: unknown,
): Promise<void> {
  const part = partOf(endpoint, call);
  if (part === undefined) return;
  const { context, principal, ports } = call;
  const params = Object.values(call.params).filter((value) => typeof value === 'string');
  const target = part.target ?? (params.length === 0 ? idIn(data) : params.join('/'));
  const kind = auditKind(endpoint) === 'reads' ? 'read' : 'change';
  await noteCall(context, ports, principal, { action: endpoint.id, target, filter: part.filter, kind });
}

function partOf<OneCall extends AnyCall>(endpoint: AuditedEndpoint<OneCall>, call: OneCall): AuditedPart | undefined {
  const { readsBodies, changes } = endpoint;
  if (readsBodies !== undefined) return call.context.req.method === 'HEAD' ? undefined : readsBodies(call);
  if (changes !== undefined) return changes(call);
  return auditKind(endpoint) === 'changes' ? {} : undefined;
}

/** Notes what was done at an endpoint without a key, which alone knows who calls. Durable on return. @throws GatelogError. */
export async function noteCall(
  context: Context,
  ports: Pick<ApiPorts, 'noteAudit'>,
  who: Pick<Principal, 'organizationId'> & Partial<Pick<Principal, 'keyId' | 'personId'>>,
  { action, target, filter, kind = 'change' }: AuditedPart & { readonly action: string; readonly kind?: 'change' | 'read' },
): Promise<void> {
  const entry = {
    organizationId: who.organizationId,
    personId: who.personId ?? null,
    keyId: who.keyId === who.personId ? null : (who.keyId ?? null),
    action,
    target: target ?? null,
    filter: auditedFilter(filter),
    address: addressOf(context) ?? null,
  };
  await ports.noteAudit(entry, kind);
}

function idIn(data: unknown): string | undefined {
  return typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string' ? data.id : undefined;
}

import { messageOf } from '../../model/errors.ts';
import { type OrganizationId, parseUuid, type RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { idHeaders, isIssued, makeRequestId } from './request-ids.ts';

/** Identifiers that callers choose. Both throw when the database cannot be written. */
export interface RequestIdClaims {
  /** Takes one. False: it was used before in this organisation. */
  readonly claim: (organizationId: OrganizationId, requestId: RequestId) => boolean;
  /** Gives one back of which no record will be. */
  readonly release: (organizationId: OrganizationId, requestId: RequestId) => void;
}

export interface IdentifyPorts {
  readonly requestIdClaims: RequestIdClaims;
  readonly observe: Observe;
}

/** What a call's own headers say of its identifier. */
export interface IdentityDirectives {
  readonly requestId: string | undefined;
  /** Its headers have the alias prefix, and so have those of its response. */
  readonly aliased: boolean;
  readonly warnings: readonly string[];
}

/** What an accepted call is called, and how its reply says so. */
export interface RequestIdentity {
  readonly requestId: RequestId;
  /** The caller chose it, and it is taken. */
  readonly isChosen: boolean;
  /** Our own lines on the reply, name and value in turn. */
  readonly responseHeaders: readonly string[];
}

const maxWarning = 2000;

/** The caller's own identifier when it is a UUID and new, else a fresh one and a warning. */
export function identify(
  ports: IdentifyPorts,
  directives: IdentityDirectives,
  organizationId: OrganizationId,
  openedAt: number,
): RequestIdentity {
  const chosen = directives.requestId === undefined ? undefined : claim(ports, organizationId, directives.requestId);
  const isChosen = chosen !== undefined && 'requestId' in chosen;
  const requestId = isChosen ? chosen.requestId : makeRequestId(organizationId, openedAt);
  const lines = idHeaders(requestId, directives.aliased);
  const warnings = chosen !== undefined && 'problem' in chosen ? [...directives.warnings, chosen.problem] : directives.warnings;
  if (warnings.length > 0) lines.push('svc-warning', warnings.join('; ').slice(0, maxWarning));
  return { requestId, isChosen, responseHeaders: lines };
}

/** A call is answered and leaves no record, so the caller may choose its identifier again. */
export function releaseRequestId(ports: IdentifyPorts, organizationId: OrganizationId, { requestId, isChosen }: RequestIdentity): void {
  if (!isChosen) return;
  try {
    ports.requestIdClaims.release(organizationId, requestId);
  } catch (error) {
    ports.observe({ kind: 'claim_failed', reason: messageOf(error) });
  }
}

function claim(
  ports: IdentifyPorts,
  organizationId: OrganizationId,
  asked: string,
): { readonly requestId: RequestId } | { readonly problem: string } {
  const requestId = parseUuid(asked);
  if (requestId === undefined) return { problem: 'Svc-Request-Id is not a UUID; a fresh identifier was given' };
  try {
    if (!isIssued(organizationId, requestId) && ports.requestIdClaims.claim(organizationId, requestId)) return { requestId };
  } catch (error) {
    // The call itself needs no database, so it goes on.
    ports.observe({ kind: 'claim_failed', reason: messageOf(error) });
    return { problem: 'Svc-Request-Id could not be checked just now; a fresh identifier was given' };
  }
  return { problem: 'Svc-Request-Id was used before; the earlier record stays and a fresh identifier was given' };
}

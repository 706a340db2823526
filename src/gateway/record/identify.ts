import { messageOf } from '../../model/errors.ts';
import { type OrganizationId, parseUuid, type RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { idHeaders, isIssued, makeRequestId } from './request-ids.ts';

/** Identifiers chosen by callers. Both functions throw when the database cannot be written. */
export interface RequestIdClaims {
  /** @returns false if this organisation has used it before. */
  readonly claim: (organizationId: OrganizationId, requestId: RequestId) => boolean;
  /** For an identifier that gets no record. */
  readonly release: (organizationId: OrganizationId, requestId: RequestId) => void;
}

export interface IdentifyPorts {
  readonly requestIdClaims: RequestIdClaims;
  readonly observe: Observe;
}

export interface IdentityDirectives {
  readonly requestId: string | undefined;
  /** The request has headers with the alias prefix, so the response gets alias headers too. */
  readonly aliased: boolean;
  readonly warnings: readonly string[];
}

export interface RequestIdentity {
  readonly requestId: RequestId;
  readonly isChosen: boolean;
  /** Our own headers, name and value in turn. */
  readonly responseHeaders: readonly string[];
}

const maxWarningCharacters = 2000;

/** Takes the caller's identifier if it is a new UUID, otherwise makes one; a rejected identifier adds a warning. */
export function identify(
  ports: IdentifyPorts,
  directives: IdentityDirectives,
  organizationId: OrganizationId,
  openedAt: number,
): RequestIdentity {
  const chosen = directives.requestId === undefined ? undefined : claim(ports, organizationId, directives.requestId);
  const isChosen = chosen !== undefined && 'requestId' in chosen;
  const requestId = isChosen ? chosen.requestId : makeRequestId(organizationId, openedAt);
  const headers = idHeaders(requestId, directives.aliased);
  const warnings = chosen !== undefined && 'problem' in chosen ? [...directives.warnings, chosen.problem] : directives.warnings;
  headers.push(...warningHeader(warnings));
  return { requestId, isChosen, responseHeaders: headers };
}

/** Name and value; nothing without a warning. */
export function warningHeader(warnings: readonly string[]): readonly string[] {
  return warnings.length === 0 ? [] : ['svc-warning', warnings.join('; ').slice(0, maxWarningCharacters)];
}

/** Frees the identifier of a call without a record, so that the caller may use it again. */
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
  requested: string,
): { readonly requestId: RequestId } | { readonly problem: string } {
  const requestId = parseUuid(requested);
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

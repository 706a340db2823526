import { messageOf } from '../model/errors.ts';
import { type OrganizationId, parseUuid, type RequestId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import type { Directives } from './directives.ts';
import { idLines, isIssuedRequestId, makeRequestId } from './request-ids.ts';

/** Takes a caller's own identifier. False: it was used before in this organisation. Throws when that cannot be known. */
export type ClaimRequestId = (organizationId: OrganizationId, requestId: RequestId) => boolean;

export interface IdentifyPorts {
  readonly claimRequestId: ClaimRequestId;
  readonly observe: Observe;
}

/** What an accepted call is called, and how its reply says so. */
export interface Identity {
  readonly requestId: RequestId;
  /** Our own lines on the reply, name and value in turn. */
  readonly replyHeaders: readonly string[];
}

const longestWarning = 2000;

/** The caller's own identifier when it is a UUID and new, else a fresh one and a warning. */
export function identify(ports: IdentifyPorts, directives: Directives, organizationId: OrganizationId, openedAt: number): Identity {
  const chosen = directives.requestId === undefined ? undefined : claim(ports, organizationId, directives.requestId);
  const requestId = chosen === undefined || 'problem' in chosen ? makeRequestId(organizationId, openedAt) : chosen.requestId;
  const lines = idLines(requestId, directives.aliased);
  const warnings = chosen !== undefined && 'problem' in chosen ? [...directives.warnings, chosen.problem] : directives.warnings;
  if (warnings.length > 0) lines.push('svc-warning', warnings.join('; ').slice(0, longestWarning));
  return { requestId, replyHeaders: lines };
}

function claim(
  ports: IdentifyPorts,
  organizationId: OrganizationId,
  asked: string,
): { readonly requestId: RequestId } | { readonly problem: string } {
  const requestId = parseUuid(asked);
  if (requestId === undefined) return { problem: 'Svc-Request-Id is not a UUID; a fresh identifier was given' };
  try {
    if (!isIssuedRequestId(organizationId, requestId) && ports.claimRequestId(organizationId, requestId)) return { requestId };
  } catch (error) {
    // The call itself needs no database, so it goes on.
    ports.observe({ kind: 'claim_failed', reason: messageOf(error) });
    return { problem: 'Svc-Request-Id could not be checked just now; a fresh identifier was given' };
  }
  return { problem: 'Svc-Request-Id was used before; the earlier record stays and a fresh identifier was given' };
}

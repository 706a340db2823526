import type { SignedIn } from '../../../contract/settings/session-cookie.ts';
import type { Principal } from '../../../model/principal.ts';
import type { ApiPorts } from '../../ports.ts';

/** @param expiresAt Unix milliseconds; null for a call with a key. */
export async function signedInOf(ports: ApiPorts, principal: Principal, expiresAt: number | null): Promise<SignedIn> {
  const { organizationId, keyId, permissions } = principal;
  const [organizationName, keys] = await Promise.all([ports.organizationName(organizationId), ports.apiKeys.list(organizationId)]);
  return {
    organization_id: organizationId,
    organization_name: organizationName ?? '',
    key_id: keyId,
    key_name: keys.find(({ id }) => id === keyId)?.name ?? '',
    key_permissions: permissions,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

export function cookieAttributes({ secureCookies }: ApiPorts) {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: secureCookies } as const;
}

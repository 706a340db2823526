import type { OrganizationId } from '../../model/ids.ts';
import { makeBrowserSessions } from '../../auth/browser-sessions.ts';
import { makePeople, type PeopleParts } from '../../auth/people/people.ts';
import type { Config } from '../../config/load.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { findOrganization } from '../../metadata/organization/organizations.ts';
import { systemClock } from '../../platform/clock.ts';

/** Below the base address of the API; the cookie of a sign-in holds for it alone. */
export const callbackPath = '/v1/sign-in/callback';

interface SignInParts extends Pick<PeopleParts, 'observe' | 'noteAudit'> {
  readonly database: MetadataDatabase;
  readonly config: PeopleParts['config'] & Pick<Config, 'publicApiUrl' | 'tlsCertFile' | 'basePath'>;
  /** The deployment's. */
  readonly secret: Uint8Array;
  /** Address of the API. */
  readonly baseUrl: () => string;
}

export function makeSignInPorts({ database, config, secret, noteAudit, observe, baseUrl }: SignInParts) {
  const { now } = systemClock;
  const { basePath, publicApiUrl, tlsCertFile } = config;
  // As browsers see it: a proxy in front may speak http to them and TLS to us.
  const secureCookies = publicApiUrl === undefined ? tlsCertFile !== undefined : publicApiUrl.startsWith('https:');
  return {
    baseUrl,
    people: makePeople({ database, config, secret, noteAudit, observe, now, callbackAddress: () => baseUrl() + callbackPath }),
    organizationName: async (organizationId: OrganizationId) => (await findOrganization(database, organizationId))?.name,
    browserSessions: makeBrowserSessions({ database, secret, isSecure: secureCookies, basePath, now }),
    secureCookies,
  };
}

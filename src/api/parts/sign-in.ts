import type { OrganizationId } from '../../model/ids.ts';
import { makeBrowserSessions } from '../../auth/browser-sessions.ts';
import type { Config } from '../../config/load.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { findOrganization } from '../../metadata/organization/organizations.ts';
import { systemClock } from '../../platform/clock.ts';

interface SignInParts {
  readonly database: MetadataDatabase;
  readonly config: Pick<Config, 'publicApiUrl'>;
  /** The deployment's. */
  readonly secret: Uint8Array;
}

export function makeSignInPorts({ database, config, secret }: SignInParts) {
  return {
    organizationName: async (organizationId: OrganizationId) => (await findOrganization(database, organizationId))?.name,
    browserSessions: makeBrowserSessions({ database, secret, now: systemClock.now }),
    secureCookies: config.publicApiUrl?.startsWith('https:') === true,
  };
}

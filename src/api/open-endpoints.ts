import { modelRegistry } from './endpoints/models.ts';
import { monitoring } from './endpoints/monitoring.ts';
import { sessionCookie } from './endpoints/session-cookie.ts';
import { signIn } from './endpoints/sign-in.ts';
import { signedBodies } from './endpoints/signed-bodies.ts';
import type { OpenEndpoint } from './endpoint/open-endpoint.ts';

/** Every endpoint that needs no key. */
export const openEndpoints: readonly OpenEndpoint[] = [...monitoring, ...signedBodies, ...modelRegistry, ...sessionCookie, ...signIn];

import type { Hono } from 'hono';
import { GatelogError } from '../model/errors.ts';
import { parseUuid } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { bareApi } from './app.ts';
import type { ApiPorts } from './ports.ts';
import { applyPrices } from './routes/prices/apply.ts';

/** Stands in the history in place of a key. */
const operatorKeyId = 'operator';

/**
 * What crosses organisations. Invariant: it asks for no key, and is served on a socket that only the user of the service can open.
 * `POST /organizations/{id}/prices/apply` takes and answers what `POST /v1/prices/apply` does.
 */
export function createOperatorApi(ports: ApiPorts): Hono {
  const app = bareApi(ports);
  app.post('/organizations/:id/prices/apply', (context) =>
    applyPrices.handle({ context, principal: operatorFor(context.req.param('id')), ports }),
  );
  return app;
}

function operatorFor(id: string): Principal {
  const organizationId = parseUuid(id);
  if (organizationId === undefined) throw new GatelogError('not_found', 'The address names no organisation.');
  return { organizationId, keyId: operatorKeyId, keyHash: '', permissions: 'admin' };
}

import { CallMemory } from '../../api/http/response-memory.ts';
import { applyPrices } from '../../api/endpoints/prices.ts';
import { GatelogError } from '../../model/errors.ts';
import { parseUuid } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';

/** Replaces a key in the history. */
const operatorKeyId = 'operator';

/** `POST /organizations/:id/prices/apply`: the same input and output as `POST /v1/prices/apply`. */
export const applyPricesOf: OperatorEndpoint = { method: 'POST', path: '/organizations/:id/prices/apply', handle: answerApply };

async function answerApply({ context, work }: OperatorCall): Promise<Response> {
  const principal = operatorFor(context.req.param('id') ?? '');
  const memory = new CallMemory(work.api.answerMemory, context.req.raw.signal).ownedBy(principal.organizationId);
  return memory.during(context, () => applyPrices.handle({ context, principal, ports: work.api, memory }));
}

function operatorFor(id: string): Principal {
  const organizationId = parseUuid(id);
  if (organizationId === undefined) throw new GatelogError('not_found', 'The address names no organisation.');
  return { organizationId, keyId: operatorKeyId, keyHash: '', permissions: 'admin' };
}

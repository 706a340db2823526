import { GatelogError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { bodyTooLarge, checkDeclaredBody, expectsContinue, readBody, type RequestBody } from '../http/request-body.ts';
import { type ReservingCall, isCounted, reserveBody, readReservedBody } from '../bodies/reserved-body.ts';
import type { BodyMemory } from '../bodies/memory.ts';

export interface IntakeBody {
  readonly maxBytes: number;
  /** The setting that says so. */
  readonly setting: string;
  /** Maximum number of copies of the body at once. */
  readonly copies: number;
}

/**
 * Reads the whole body of a request that goes to no provider, within the memory for bodies. `ready` is called once. @throws GatelogError
 * for a body that is declared too large.
 */
export function readIntakeBody(
  { bodyMemory }: { readonly bodyMemory: BodyMemory },
  call: ReservingCall,
  { organizationId, maxBytes, setting, copies }: IntakeBody & Pick<Principal, 'organizationId'>,
  ready: (body: Buffer | GatelogError) => void,
): void {
  const { request, response } = call;
  checkDeclaredBody(request, maxBytes, setting);
  if (expectsContinue(request)) response.writeContinue();
  const onBody = (body: RequestBody | GatelogError): void => {
    if (body instanceof GatelogError) ready(body);
    else ready('buffered' in body ? body.buffered : bodyTooLarge(maxBytes, setting));
  };
  if (isCounted(request, maxBytes)) {
    const reservation = reserveBody(bodyMemory, call, organizationId);
    readReservedBody(request, { reservation, bufferMaxBytes: maxBytes, copies, isNeeded: true }, onBody);
  } else readBody(request, maxBytes, onBody);
}

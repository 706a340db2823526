import { randomUUID } from 'node:crypto';
import type { BodyAddressOwner } from '../../auth/body-address.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { GatelogError } from '../../model/errors.ts';
import { inOneLine } from '../../model/json/one-line.ts';
import { jsonParts } from '../../model/json/raw.ts';
import type { BodiesRow } from '../../query/requests/columns.ts';
import { requestItem } from '../../query/requests/item.ts';
import type { StreamRow } from '../../query/stream/rows.ts';

/** How soon a client connects again, milliseconds. */
const retryMs = 1000;

/** A record in the format of server-sent events. */
export interface StreamEvent {
  readonly storedNumber: number;
  readonly text: string;
}

export type BodyAddressOf = (owner: BodyAddressOwner, requestId: RequestId) => string;

/** @param bodies undefined without bodies, or when they are not sent. */
export function eventOf(row: StreamRow, bodies: BodiesRow | undefined, bodyAddressOf: BodyAddressOf): StreamEvent {
  const address = bodyAddressOf({ organizationId: row.organization as OrganizationId }, row.id as RequestId);
  const item = Object.assign(requestItem(row, bodies), { signed_body_url: address, inputs: null });
  const data = inOneLine(jsonParts(item, randomUUID()).join(''));
  return { storedNumber: row.stored_number, text: `id: ${row.stored_number}\nevent: request\ndata: ${data}\n\n` };
}

/** Tells of a record about which the filter could not decide. @param reason to be read behind a colon. */
export function passedByEvent(row: StreamRow, reason: string): StreamEvent {
  const error = `The filter could not decide about this request, which is left out: ${reason}.`;
  const data = JSON.stringify({ request_id: row.id, error });
  return { storedNumber: row.stored_number, text: `id: ${row.stored_number}\nevent: passed_by\ndata: ${data}\n\n` };
}

/** The beginning of a stream. A client that loses its connection before the first event goes on behind this position. */
export function beginningText(position: number): string {
  return `retry: ${retryMs}\n: live\nid: ${position}\n\n`;
}

/** Keeps the connection alive while nothing matches. Its position spares a client that connects again what did not match. */
export function aliveText(position: number): string {
  return `: alive\nid: ${position}\n\n`;
}

/** Why the service ends a stream. */
export function endText({ code, message }: GatelogError): string {
  return `event: end\ndata: ${JSON.stringify({ data: null, error: message, code })}\n\n`;
}

import type { Context } from 'hono';
import type { AddressedPath } from './allowed-methods.ts';

/** The endpoint that a call has reached. */
const reached = new WeakMap<Context, string>();

/** An endpoint as it is declared: `POST /v1/session/{id}/tag`. What callers write into its path (a session, a name) is not in it. */
export function endpointName({ declaration: { method, path } }: AddressedPath): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Says which endpoint a call has reached. */
export function noteEndpoint(context: Context, endpoint: AddressedPath): void {
  reached.set(context, endpointName(endpoint));
}

/** Name of the endpoint that a call has reached; undefined: none. */
export function endpointOf(context: Context): string | undefined {
  return reached.get(context);
}

import type { Context } from 'hono';
import type { AddressedPath } from './allowed-methods.ts';

const reached = new WeakMap<Context, string>();

/** An endpoint as declared, such as `POST /v1/session/{id}/tag`, without the caller's values in the path. */
export function endpointName({ declaration: { method, path } }: AddressedPath): string {
  return `${method.toUpperCase()} ${path}`;
}

export function recordEndpoint(context: Context, endpoint: AddressedPath): void {
  reached.set(context, endpointName(endpoint));
}

/** @returns undefined when the call has reached no endpoint. */
export function endpointOf(context: Context): string | undefined {
  return reached.get(context);
}

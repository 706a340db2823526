import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { problemSchema } from '../contract/problem.ts';
import type { Action, Principal } from '../model/principal.ts';
import type { ApiPorts } from './ports.ts';

/** What a handler gets. */
export interface EndpointCall {
  readonly context: Context;
  readonly principal: Principal;
  readonly ports: ApiPorts;
}

/** One endpoint of the API: declared once, for the router and for the OpenAPI document. */
export interface Endpoint {
  /** Its part of the OpenAPI document. The path is written `/v1/request/{id}`. */
  readonly declaration: RouteConfig;
  /** What the key must allow. Invariant: every endpoint needs a key. */
  readonly action: Action;
  readonly handle: (call: EndpointCall) => Promise<Response>;
}

/** A JSON answer or body in a declaration. */
export function jsonContent<Schema>(schema: Schema): { readonly 'application/json': { readonly schema: Schema } } {
  return { 'application/json': { schema } };
}

const sentences = {
  400: 'The body is not JSON.',
  401: 'The key is missing, malformed, unknown, revoked or of another region.',
  403: 'The key lacks the permission.',
  404: 'There is no such record in this organisation.',
  413: 'The body is over the limit.',
  415: 'The body is not declared as JSON.',
  422: 'The body or filter is not valid; `details.path` says where.',
  500: 'The service failed.',
  503: 'The store cannot be reached; try again after `Retry-After` seconds.',
  504: 'The query took longer than its time limit.',
} as const;

/** Declarations of failures; all have one shape. */
export function problems(...statuses: readonly (keyof typeof sentences)[]): RouteConfig['responses'] {
  return Object.fromEntries(
    [401, 403, ...statuses, 500, 503].map((status) => [
      status,
      { description: sentences[status as keyof typeof sentences], content: jsonContent(problemSchema) },
    ]),
  );
}

export const keyRequired = [{ bearer: [] }];

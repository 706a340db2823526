import { problemSchema } from '../../contract/problem.ts';
import type { DeclaredResponse } from '../openapi/declaration.ts';

export function jsonContent<Schema>(schema: Schema): { readonly 'application/json': { readonly schema: Schema } } {
  return { 'application/json': { schema } };
}

const sentences = {
  400: 'The body is not JSON.',
  401: 'The key is missing, malformed, unknown, revoked or of another region.',
  403: 'The key lacks the permission.',
  404: 'There is no such record in this organisation.',
  405: 'The path takes other methods, which `Allow` names.',
  409: 'Somebody else has changed it since the version that the call names.',
  413: 'The body is over the limit.',
  415: 'The body is not declared as JSON.',
  422: 'The body, the filter or the address is not valid, `details.path` says where; or the query needs more memory than it may use.',
  429: 'Too many keys from this address were not accepted, while calls with a good key still work; or too many previews of the organisation wait.',
  500: 'The service failed.',
  503: 'A part that the call needs cannot be reached; try again after `Retry-After` seconds.',
  504: 'The query took longer than its time limit.',
} as const;

export type ProblemStatus = keyof typeof sentences;
export type Headers = Readonly<Record<string, { readonly description: string; readonly schema: { readonly type: 'string' | 'integer' } }>>;
export type Responses = Readonly<Record<number, DeclaredResponse>>;

/** Headers of a status at every endpoint; `problem.ts` and the router in `app.ts` set them. */
const problemHeaders: Readonly<Partial<Record<ProblemStatus, Headers>>> = {
  401: { 'WWW-Authenticate': { description: 'The scheme, `Bearer`.', schema: { type: 'string' } } },
  405: { Allow: { description: 'Methods that the path takes.', schema: { type: 'string' } } },
  429: {
    'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer' } },
    'RateLimit-Policy': { description: 'The limit and its window, e.g. `60;w=60`.', schema: { type: 'string' } },
    'RateLimit-Limit': { description: 'Calls, or cents, allowed in a window.', schema: { type: 'integer' } },
    'RateLimit-Remaining': { description: 'What is left of the limit in this window.', schema: { type: 'integer' } },
    'RateLimit-Reset': { description: 'Seconds after which to try again.', schema: { type: 'integer' } },
  },
  503: { 'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer' } } },
};

export const hintHeader: Headers = {
  'svc-hint': { description: 'Why the answer is empty, or what else about it may surprise.', schema: { type: 'string' } },
};

export const cursorHeader: Headers = {
  'svc-next-cursor': {
    description: 'There may be more: sent back as `cursor`, the next page begins behind this one.',
    schema: { type: 'string' },
  },
};

export const pageHeaders: Headers = {
  ...hintHeader,
  ...cursorHeader,
  'svc-total-count': { description: 'How many match, pages aside, when `Svc-Include-Count: true` was sent.', schema: { type: 'integer' } },
};

export const deprecationHeaders: Headers = {
  Deprecation: { description: 'Since when the path is deprecated (RFC 9745).', schema: { type: 'string' } },
  Link: { description: 'The successor.', schema: { type: 'string' } },
};

export function problemResponses(...statuses: readonly ProblemStatus[]): Responses {
  return Object.fromEntries(
    statuses.map((status) => {
      const headers = problemHeaders[status];
      const response = {
        description: sentences[status],
        ...(headers === undefined ? {} : { headers }),
        content: jsonContent(problemSchema),
      };
      return [status, response];
    }),
  );
}

/** These failures, and those of every endpoint with a key. */
export function problems(...statuses: readonly ProblemStatus[]): Responses {
  return problemResponses(401, 403, 405, ...statuses, 429, 500, 503);
}

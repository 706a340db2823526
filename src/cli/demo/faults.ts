import type { ImportRecord } from '../../client/nouns/imports.ts';
import type { SeededRandom } from './base/seeded-random.ts';
import type { ErrorReply, Wire } from './wires.ts';

/** What goes wrong with a call. `cut`: some of its answer came. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly error: ErrorReply }
  | { readonly kind: 'reply'; readonly error: ErrorReply }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'stream' | 'no_reply' | 'left' };

export const serverError: Fault = {
  kind: 'status',
  status: 500,
  error: { type: 'server_error', message: 'The server had an error while it processed the request.' },
};

export const wrongParameter: Fault = {
  kind: 'status',
  status: 400,
  error: { type: 'invalid_request_error', message: "Unsupported value: 'temperature' does not support 2.5 with this model." },
};

const rateLimited: Readonly<Record<string, ErrorReply>> = {
  ANTHROPIC: {
    type: 'rate_limit_error',
    message: "This request would exceed your organization's rate limit of 400,000 input tokens per minute.",
  },
  OPENAI: {
    type: 'tokens',
    message: 'Rate limit reached on tokens per min (TPM): Limit 200000, Used 198211, Requested 4120. Please try again in 699ms.',
  },
  GOOGLE: { type: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota. Please retry in 21s.' },
};

/** Undefined for most calls. */
export function drawnFault(random: SeededRandom, { provider }: Wire): Fault | undefined {
  const drawn = random.next();
  if (drawn < 0.007) {
    return { kind: 'status', status: 429, error: rateLimited[provider] ?? { type: 'rate_limited', message: 'Too many requests.' } };
  }
  // It comes inside a stream whose status was 200.
  if (drawn < 0.014 && provider === 'ANTHROPIC') return { kind: 'reply', error: { type: 'overloaded_error', message: 'Overloaded' } };
  if (drawn > 0.998) return { kind: 'stream' };
  if (drawn > 0.997) return { kind: 'no_reply' };
  return drawn > 0.994 ? { kind: 'left' } : undefined;
}

/** The answer broke off, so that its beginning is all there is. */
export function isCut({ kind }: Fault): boolean {
  return kind === 'stream' || kind === 'left';
}

/** What the record of a failed call says of its end. */
export function failureFields(fault: Fault, wire: Wire): Partial<ImportRecord> {
  switch (fault.kind) {
    case 'status':
    case 'reply': {
      const { error } = fault;
      return {
        response_status: fault.kind === 'status' ? fault.status : 200,
        response_body: wire.error(error),
        failure: { kind: fault.kind, ...error },
      };
    }
    case 'refused': {
      const type = 'rate_limited';
      const { message } = fault;
      return {
        response_status: 429,
        response_body: { error: { message, type: 'gatelog_error', param: null, code: type } },
        failure: { kind: 'refused', type, message },
      };
    }
    case 'stream':
      return { response_status: 502, failure: { kind: 'stream', type: null, message: null } };
    case 'left':
      return { response_status: 499, failure: null };
    case 'no_reply':
      return { response_status: 0, response_body: null, failure: { kind: 'no_reply', type: null, message: null } };
  }
}

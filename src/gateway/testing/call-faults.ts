import { GatelogError } from '../../model/errors.ts';
import { type LimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';
import { zeroMoney } from '../../model/pricing/money.ts';
import { BodyMemory } from '../bodies/memory.ts';
import type { ForwardLimits, ForwardPorts } from '../call/ports.ts';
import { readInTurn } from './gateway-harness.ts';
import { ourKey, requestText } from './raw-http.ts';

/** A call without a fault, and the gateway that it goes to. A fault changes one or both. */
export interface Draft {
  readonly headers: Map<string, string>;
  line: string;
  /** Members of the body. */
  readonly body: Map<string, unknown>;
  /** The body is filled up to this size. */
  minBytes: number;
  framing: 'whole' | 'chunked' | 'declared';
  limits: Partial<ForwardLimits>;
  ports: Partial<ForwardPorts>;
  readonly policies: LimitPolicy[];
  /** Another call of the organisation has all the places. */
  isCrowded: boolean;
}

export type Recorded = 'none' | 'without its body' | 'with its body';

interface Fault {
  readonly code: string;
  /** What the sentence says. */
  readonly says: RegExp;
  /** What is on record of a call with this fault. */
  readonly record: Recorded;
  /** Its body is not held, so that whatever is told first, none is on record. */
  readonly isStreamed?: true;
  /** Two faults of the same part of a call cannot meet. */
  readonly of: readonly string[];
  readonly make: (draft: Draft) => void;
}

export const kibi = 1024;
export const readingKey = 'sk-svc-us-readsreadsreads0';
const unknownKey = 'sk-svc-us-unknownunknown00';
const perMinute = parseLimitPolicy('1;w=60');
const centsPerMinute = parseLimitPolicy('1000;w=60;u=cents');

function setKey({ headers }: Draft, key: string): void {
  headers.set('Svc-Auth', `Bearer ${key}`);
}

function readLarge(draft: Draft, ways: Partial<ForwardPorts['largeBodies']>): void {
  draft.ports = { ...draft.ports, largeBodies: { ...(draft.ports.largeBodies ?? readInTurn), ...ways } };
}

/** In the order in which they are told. */
export const faults: Readonly<Record<string, Fault>> = {
  'two Host headers': {
    code: 'malformed_request',
    says: /one Host header/,
    record: 'none',
    of: ['host'],
    make: ({ headers }) => headers.set('Host', 'another'),
  },
  'no key': {
    code: 'missing_key',
    says: /needs a key/,
    record: 'none',
    of: ['key', 'credential'],
    make: ({ headers }) => {
      headers.delete('Svc-Auth');
      headers.set('Authorization', '');
    },
  },
  'an unknown key': {
    code: 'invalid_key',
    says: /unknown or revoked/,
    record: 'none',
    of: ['key'],
    make: (draft) => setKey(draft, unknownKey),
  },
  'a key that may only read': {
    code: 'permission_denied',
    says: /may not send/,
    record: 'none',
    of: ['key'],
    make: (draft) => setKey(draft, readingKey),
  },
  'as many calls at once as its organisation may have': {
    code: 'too_many_calls',
    says: /GATELOG_CALLS_IN_FLIGHT/,
    record: 'none',
    of: ['calls'],
    make: (draft) => {
      draft.isCrowded = true;
    },
  },
  'a log by another method than POST': {
    code: 'method_not_allowed',
    says: /sent by POST/,
    record: 'none',
    of: ['path'],
    make: (draft) => {
      draft.line = 'PUT /oai/v1/log';
    },
  },
  'a path that leads upwards': {
    code: 'malformed_request',
    says: /"\.\." segment/,
    record: 'without its body',
    of: ['path'],
    make: (draft) => {
      draft.line = 'POST /v1/chat/../files';
    },
  },
  'a path of no provider': {
    code: 'not_found',
    says: /No provider is reached/,
    record: 'without its body',
    of: ['path'],
    make: (draft) => {
      draft.line = 'POST /nowhere/chat';
    },
  },
  'a target that nobody may name': {
    code: 'target_not_allowed',
    says: /Svc-Target-Url/,
    record: 'without its body',
    of: ['path'],
    make: ({ headers }) => headers.set('Svc-Target-Url', 'http://10.0.0.1/'),
  },
  'a directive that is no such word': {
    code: 'invalid_directive',
    says: /Omit-Request/,
    record: 'without its body',
    of: ['directive'],
    make: ({ headers }) => headers.set('Svc-Omit-Request', 'perhaps'),
  },
  'limits that cannot be read': {
    code: 'limits_unavailable',
    says: /limits are away/,
    record: 'without its body',
    of: ['quota', 'budget'],
    make: (draft) => {
      const callLimits = limitsOf(() => {
        throw new GatelogError('limits_unavailable', 'The limits are away.');
      });
      draft.ports = { ...draft.ports, callLimits };
    },
  },
  'a transfer coding that the gateway does not take': {
    code: 'not_implemented',
    says: /transfer codings/,
    record: 'without its body',
    of: ['framing'],
    make: ({ headers }) => headers.set('Transfer-Encoding', 'gzip, chunked'),
  },
  'a body that is declared too large': {
    code: 'body_too_large',
    says: /GATELOG_REQUEST_MAX_BYTES/,
    record: 'without its body',
    of: ['framing'],
    make: (draft) => {
      draft.framing = 'declared';
    },
  },
  'a body that there is no memory for': {
    code: 'too_many_calls',
    says: /GATELOG_HELD_BODIES_BYTES/,
    record: 'without its body',
    of: ['size'],
    make: (draft) => {
      draft.minBytes = Math.max(draft.minBytes, 80 * kibi);
      draft.ports = { ...draft.ports, bodyMemory: new BodyMemory({ maxBytes: 1, sharePercent: 100, waitMs: 1 }) };
    },
  },
  'a large body that no thread scans': {
    code: 'too_many_calls',
    says: /scans are full/,
    record: 'with its body',
    of: ['size'],
    make: (draft) => {
      draft.minBytes = 1100 * kibi;
      readLarge(draft, {
        shape: async () => {
          throw new GatelogError('too_many_calls', 'The scans are full.');
        },
      });
    },
  },
  'a body that turns out too large': {
    code: 'body_too_large',
    says: /GATELOG_REQUEST_MAX_BYTES/,
    record: 'without its body',
    of: ['framing', 'size'],
    make: (draft) => {
      draft.framing = 'chunked';
      draft.minBytes = 200 * kibi;
      draft.limits = { ...draft.limits, requestMaxBytes: 100 * kibi };
    },
  },
  'a stored prompt without messages': {
    code: 'prompt_not_supported',
    says: /prompt_id/,
    record: 'with its body',
    of: ['prompt'],
    make: ({ body }) => {
      body.delete('messages');
      body.set('prompt_id', 'p');
    },
  },
  'a list of models with an empty name': {
    code: 'invalid_model',
    says: /none of them empty/,
    record: 'with its body',
    of: ['model'],
    make: ({ body }) => body.set('model', 'gpt-4o,'),
  },
  'a model that names two providers': {
    code: 'invalid_model',
    says: /names two providers/,
    record: 'with its body',
    of: ['model'],
    make: ({ body }) => body.set('model', 'openai/gpt-4o/groq'),
  },
  'no key of the provider': {
    code: 'no_provider_key',
    says: /openai/i,
    record: 'none',
    of: ['credential'],
    make: ({ headers }) => headers.delete('Authorization'),
  },
  'a fallback to a provider that the model excludes': {
    code: 'invalid_model',
    says: /which the body's model excludes/,
    record: 'with its body',
    of: ['model'],
    make: ({ headers, body }) => {
      headers.set('Svc-Fallbacks', '[{"provider":"groq"}]');
      body.set('model', '!groq,gpt-4o,gpt-4o-mini');
    },
  },
  'a budget and a large body that no thread reads': {
    code: 'too_many_calls',
    says: /threads are full/,
    record: 'with its body',
    of: ['budget'],
    make: (draft) => {
      draft.policies.push(centsPerMinute);
      draft.minBytes = Math.max(draft.minBytes, 80 * kibi);
      readLarge(draft, {
        summaries: async () => {
          throw new GatelogError('too_many_calls', 'The threads are full.');
        },
      });
    },
  },
  'a quota that is used up': {
    code: 'rate_limited',
    says: /quota of calls/,
    record: 'with its body',
    of: ['quota'],
    make: ({ policies }) => policies.push(perMinute),
  },
  'a body that is too large for what the gateway answers itself': {
    code: 'body_too_large',
    says: /answers itself/,
    record: 'without its body',
    of: ['path', 'size', 'prompt', 'model', 'credential', 'budget'],
    isStreamed: true,
    make: (draft) => {
      draft.line = 'POST /echo/chat';
      draft.minBytes = 200 * kibi;
      draft.limits = { ...draft.limits, routeMaxBytes: 100 * kibi };
    },
  },
};

export function limitsOf(storedPolicies: () => readonly LimitPolicy[]): ForwardPorts['callLimits'] {
  const used = { left: 0n, endsAt: Date.now() + 60_000 };
  return {
    windows: { claim: (claims) => ({ granted: false, states: claims.map(() => used), refused: 0, reserved: false }) },
    storedPolicies,
    estimateCost: () => zeroMoney,
    readUser: () => '',
  };
}

export function draftWith(names: readonly string[]): Draft {
  const draft: Draft = {
    headers: new Map([
      ['Content-Type', 'application/json'],
      ['Svc-Auth', `Bearer ${ourKey}`],
      ['Authorization', 'Bearer provider-key'],
    ]),
    line: 'POST /v1/chat/completions',
    body: new Map<string, unknown>([
      ['model', 'gpt-4o'],
      ['messages', []],
    ]),
    minBytes: 0,
    framing: 'whole',
    limits: {},
    ports: {},
    policies: [],
    isCrowded: false,
  };
  for (const name of names) faults[name]?.make(draft);
  return draft;
}

export function textOf({ headers, line, body, minBytes, framing }: Draft, further: readonly string[]): string {
  const members = Object.fromEntries(body);
  const bare = JSON.stringify({ ...members, x: '' }).length;
  const text = JSON.stringify({ ...members, x: 'x'.repeat(Math.max(0, minBytes - bare)) });
  const lines = [...Array.from(headers, ([name, value]) => `${name}: ${value}`), ...further];
  if (framing === 'declared') return requestText(line, [...lines, `Content-Length: ${1024 ** 3}`]);
  if (framing === 'whole' && !headers.has('Transfer-Encoding')) return requestText(line, lines, text);
  const coding = headers.has('Transfer-Encoding') ? [] : ['Transfer-Encoding: chunked'];
  return requestText(line, [...lines, ...coding], `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
}

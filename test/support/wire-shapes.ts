import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A body with its declared type. */
export interface TypedBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** One kind of call in its wire format, with recorded bodies of both sides. */
export interface WireShape {
  readonly name: string;
  /** Path and query at the gateway, and those that reach the provider. */
  readonly path: string;
  readonly providerPath: string;
  /** The same for a streamed call, where its path differs. */
  readonly streamPath?: string;
  readonly streamProviderPath?: string;
  readonly request: TypedBody;
  readonly response: TypedBody;
  readonly error: TypedBody;
  /** Absent when the provider does not stream this. */
  readonly stream?: TypedBody;
  /** Expected members of the record, for a JSON response and for a stream. */
  readonly record: Readonly<{ provider: string; prompt_tokens: number | null; completion_tokens: number | null }>;
}

/** The recordings are beside the wire formats; compiled programs also run in the repository's folder. */
const recording = (name: string): Buffer => readFileSync(path.resolve('src/providers', name));
const json = (name: string): TypedBody => ({ contentType: 'application/json', bytes: recording(name) });
const events = (name: string): TypedBody => ({ contentType: 'text/event-stream; charset=utf-8', bytes: recording(name) });
const openAiError = json('openai/__fixtures__/chat-error.json');

interface OpenAiShape {
  readonly name: string;
  readonly path: string;
  readonly recordings: string;
  readonly tokens: readonly [prompt: number, completion: number | null];
  readonly stream: boolean;
  readonly request?: TypedBody;
  readonly response?: TypedBody;
}

function openAi({ name, path: at, recordings, tokens, stream, request, response }: OpenAiShape): WireShape {
  const file = (end: string): string => `openai/__fixtures__/${recordings}-${end}`;
  return {
    name,
    path: at,
    providerPath: at,
    request: request ?? json(file('request.json')),
    response: response ?? json(file('response.json')),
    error: openAiError,
    ...(stream ? { stream: events(file('response.sse')) } : {}),
    record: { provider: 'OPENAI', prompt_tokens: tokens[0], completion_tokens: tokens[1] },
  };
}

/** Bytes that are not valid text. */
const binary = Buffer.from(Array.from({ length: 3000 }, (_none, index) => (index * 167) % 256));

const form: TypedBody = {
  contentType: 'multipart/form-data; boundary=part',
  bytes: Buffer.concat([
    Buffer.from('--part\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n'),
    binary,
    Buffer.from('\r\n--part\r\nContent-Disposition: form-data; name="model"\r\n\r\ngpt-4o-mini-transcribe\r\n--part--\r\n'),
  ]),
};

/** Every supported wire format, one binary response, and an unknown path. */
export const wireShapes: readonly WireShape[] = [
  openAi({ name: 'chat', path: '/v1/chat/completions', recordings: 'chat', tokens: [1830, 17], stream: true }),
  openAi({ name: 'completions', path: '/v1/completions', recordings: 'completions', tokens: [5, 4], stream: true }),
  openAi({ name: 'responses', path: '/v1/responses', recordings: 'responses', tokens: [1830, 117], stream: true }),
  openAi({ name: 'embeddings', path: '/v1/embeddings', recordings: 'embeddings', tokens: [9, null], stream: false }),
  openAi({ name: 'images', path: '/v1/images/generations', recordings: 'images', tokens: [28, 272], stream: true }),
  openAi({ name: 'speech', path: '/v1/audio/speech', recordings: 'speech', tokens: [14, 101], stream: true }),
  openAi({
    name: 'transcriptions',
    path: '/v1/audio/transcriptions',
    recordings: 'transcriptions',
    tokens: [150, 23],
    stream: true,
    request: form,
  }),
  {
    name: 'messages',
    path: '/anthropic/v1/messages?beta=true',
    providerPath: '/v1/messages?beta=true',
    request: json('anthropic/__fixtures__/messages-request.json'),
    response: json('anthropic/__fixtures__/messages-response.json'),
    error: json('anthropic/__fixtures__/messages-error.json'),
    stream: events('anthropic/__fixtures__/messages-response.sse'),
    record: { provider: 'ANTHROPIC', prompt_tokens: 3289, completion_tokens: 23 },
  },
  {
    name: 'generateContent',
    path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    providerPath: '/v1beta/models/gemini-2.5-flash:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    streamProviderPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    request: json('google/__fixtures__/generate-request.json'),
    response: json('google/__fixtures__/generate-response.json'),
    error: json('google/__fixtures__/generate-error.json'),
    stream: events('google/__fixtures__/generate-response.sse'),
    record: { provider: 'GOOGLE', prompt_tokens: 1830, completion_tokens: 101 },
  },
  {
    name: 'unknown path',
    path: '/v1/nobody/knows%2Fthis?a=%2e&a=b',
    providerPath: '/v1/nobody/knows%2Fthis?a=%2e&a=b',
    request: { contentType: 'application/octet-stream', bytes: binary },
    response: { contentType: 'audio/mpeg', bytes: Buffer.from(binary.toReversed()) },
    error: { contentType: 'text/plain', bytes: Buffer.from('Größe\r\n\r\nunbekannt') },
    stream: { contentType: 'text/event-stream', bytes: Buffer.from('event: word\ndata: Grüße\n\n: comment\n\ndata\n\n') },
    record: { provider: 'OPENAI', prompt_tokens: null, completion_tokens: null },
  },
];

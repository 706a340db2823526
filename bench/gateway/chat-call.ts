import type { Candidate } from '../peers/candidate.ts';

/** The call that every part of the benchmark makes: a chat completion. */
export interface ChatOptions {
  readonly stream?: true;
  /** Commands for the fake provider (see there), at the end of the user's message. */
  readonly order?: string;
  /** Minimum length of the body, in thousand bytes. */
  readonly kilobytes?: number;
}

const paragraph = 'A caller wants to know what a gateway costs, and so it asks the same thing many times and counts what comes back. ';
const defaultParagraphs = 7;

/** The body of a chat request, about 1 KB by default. */
export function chatBody({ stream, order = '', kilobytes }: ChatOptions): string {
  const paragraphs = kilobytes === undefined ? defaultParagraphs : Math.ceil((kilobytes * 1000) / paragraph.length);
  return JSON.stringify({
    model: 'gpt-4o-mini',
    messages: [
      { role: 'system', content: 'You answer briefly and name your sources.' },
      { role: 'user', content: paragraph.repeat(paragraphs) + order },
    ],
    temperature: 0.2,
    ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
  });
}

/** A whole HTTP request with this body, as text. */
export function chatRequest(candidate: Candidate, body: string): string {
  const headers = {
    Host: `127.0.0.1:${candidate.port}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': 'gatelog-bench',
    ...candidate.headers,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

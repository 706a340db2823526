import { isObject } from '../../../ui/conversation/read/json.ts';

/** Characters of a body that are shown; the rest is in the download. */
export const shownLength = 16 * 1024 * 1024;

/** A body as it is recorded. */
export interface RawBody {
  readonly kind: 'json' | 'text' | 'bytes';
  /** Of bytes, base64. */
  readonly text: string;
  readonly contentType: string;
}

/** @param body As the API shows it. @returns undefined: none is kept. */
export function rawBody(body: unknown): RawBody | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string') return { kind: 'text', text: body, contentType: /^\s*[{[]/.test(body) ? 'application/json' : 'text/plain' };
  if (isObject(body) && Object.keys(body).length === 2) {
    const { base64, content_type: contentType } = body;
    if (typeof base64 === 'string' && typeof contentType === 'string') return { kind: 'bytes', text: base64, contentType };
  }
  // The record has JSON as this writes it.
  return { kind: 'json', text: JSON.stringify(body), contentType: 'application/json' };
}

/** A body as it is shown. */
export interface ShownBody {
  readonly lines: readonly string[];
  readonly isJson: boolean;
  readonly isCut: boolean;
}

/** @param body As the API shows it. */
export function shownBody(body: unknown, { kind, text }: RawBody): ShownBody {
  const whole = kind === 'json' ? JSON.stringify(body, undefined, 2) : text;
  const lines = whole.slice(0, shownLength).split(/\r\n?|\n/);
  return { lines, isJson: kind === 'json', isCut: whole.length > shownLength };
}

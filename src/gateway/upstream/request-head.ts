import { GatelogError } from '../../model/errors.ts';
import { InternTable } from '../../platform/http/intern-table.ts';
import { fieldName, type HeaderList } from '../../platform/http/header-list.ts';

export interface OutgoingHead {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly host: string;
  /** Header lines, name and value in turn; nothing of the connection and of the body's length is among them. */
  readonly lines: HeaderList;
  readonly credentials: HeaderList;
  /** Bytes of the body; undefined: it goes in chunks. */
  readonly bodyBytes: number | undefined;
}

const illegalInValue = /[^\t\u0020-\u007e\u0080-\u00ff]/;
const illegalInPath = /[^\u0021-\u007e\u0080-\u00ff]/;
/** Whether it is a name. */
const names = new InternTable((name) => fieldName.test(name));
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** RFC 9110 §8.6: whether a server expects a body with a method, so that it is to be told when there is none. */
export function expectsBody(method: string): boolean {
  return bodyMethods.has(method);
}

/**
 * The head of a request as it goes over a connection, Latin-1.
 * @throws GatelogError `malformed_request` for what HTTP/1.1 does not allow, so that nothing can hide a second request in it.
 */
export function outgoingHead({ method, path, host, lines, credentials, bodyBytes }: OutgoingHead): string {
  if (!fieldName.test(method) || illegalInPath.test(path)) throw illegal();
  const start = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  return `${start}${textOf(lines, 0)}${textOf(credentials, lines.length)}${framing(method, bodyBytes)}\r\n`;
}

/** @param before how many lines, name and value each counted, stand before these. */
function textOf(lines: HeaderList, before: number): string {
  let text = '';
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const name = lines[index] ?? '';
    const value = lines[index + 1] ?? '';
    if (!names.at((before + index) >> 1, name) || illegalInValue.test(value)) throw illegal();
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

function framing(method: string, bodyBytes: number | undefined): string {
  if (bodyBytes === undefined) return 'transfer-encoding: chunked\r\n';
  return bodyBytes > 0 || expectsBody(method) ? `content-length: ${bodyBytes}\r\n` : '';
}

function illegal(): GatelogError {
  return new GatelogError(
    'malformed_request',
    'The request cannot be sent on as it is; its path, method or a header holds characters that HTTP/1.1 does not allow.',
  );
}

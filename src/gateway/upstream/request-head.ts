import { GatelogError } from '../../model/errors.ts';
import { InternTable } from '../../platform/http/intern-table.ts';
import { fieldName, type HeaderList } from '../../platform/http/header-list.ts';

export interface OutgoingHead {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly host: string;
  /** Names and values in turn, without those of the connection and of the body's length. */
  readonly headers: HeaderList;
  readonly credentials: HeaderList;
  /** Undefined: the body is sent in chunks. */
  readonly bodyBytes: number | undefined;
}

const illegalInValue = /[^\t\u0020-\u007e\u0080-\u00ff]/;
const illegalInPath = /[^\u0021-\u007e\u0080-\u00ff]/;
/** Whether a name is valid. */
const names = new InternTable((name) => fieldName.test(name));
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** RFC 9110 §8.6: a request with one of these methods states the length of an empty body too. */
export function expectsBody(method: string): boolean {
  return bodyMethods.has(method);
}

/**
 * Serializes the head of a request, Latin-1.
 * @throws GatelogError `malformed_request` for characters that HTTP/1.1 forbids, because they could hide a second request.
 */
export function outgoingHead({ method, path, host, headers, credentials, bodyBytes }: OutgoingHead): string {
  if (!fieldName.test(method) || illegalInPath.test(path)) throw illegal();
  const start = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  return `${start}${serialize(headers, 0)}${serialize(credentials, headers.length)}${framing(method, bodyBytes)}\r\n`;
}

/** @param offset number of names and values before these. */
function serialize(headers: HeaderList, offset: number): string {
  let text = '';
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (!names.at((offset + index) >> 1, name) || illegalInValue.test(value)) throw illegal();
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

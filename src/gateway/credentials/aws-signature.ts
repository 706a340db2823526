import { createHash, createHmac } from 'node:crypto';

export interface AwsKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  /** For temporary keys. */
  readonly sessionToken: string | undefined;
}

export interface SignedRequest {
  readonly method: string;
  readonly host: string;
  /** Path and query as in the request line. */
  readonly path: string;
  readonly body: Buffer;
}

export interface SignatureScope {
  readonly region: string;
  readonly service: string;
  /** Unix milliseconds. AWS accepts a signature for five minutes. */
  readonly at: number;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** Headers that sign the host, time and whole body by AWS Signature Version 4. */
export function signAws(keys: AwsKeys, request: SignedRequest, { region, service, at }: SignatureScope): readonly string[] {
  const { accessKey, secretKey, sessionToken } = keys;
  const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const lines = ['host', request.host, 'x-amz-date', time, ...(sessionToken === undefined ? [] : ['x-amz-security-token', sessionToken])];
  const signed = lines.filter((_, index) => index % 2 === 0).join(';');
  const canonicalLines = lines.map((part, index) => (index % 2 === 0 ? `${part}:` : `${part.trim()}\n`)).join('');
  const [pathname = '', query] = splitOnce(request.path, '?');
  const canonical = [request.method, encodedPath(pathname), sortedQuery(query ?? ''), canonicalLines, signed, hash(request.body)].join(
    '\n',
  );
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const key = [time.slice(0, 8), region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretKey}`);
  const signature = hmac(key, [algorithm, time, scope, hash(canonical)].join('\n')).toString('hex');
  const authorization = `${algorithm} Credential=${accessKey}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  return [...lines.slice(2), 'authorization', authorization];
}

/** Encodes every segment of the path a second time, as all of Amazon's services but S3 expect. */
function encodedPath(pathname: string): string {
  return pathname.split('/').map(encoded).join('/');
}

/** Amazon's encoding: all but letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sortedQuery(query: string): string {
  if (query === '') return '';
  const parameters = query.split('&').map((parameter) => {
    const [name = '', value = ''] = splitOnce(parameter, '=');
    return `${encoded(decoded(name))}=${encoded(decoded(value))}`;
  });
  return parameters.toSorted().join('&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

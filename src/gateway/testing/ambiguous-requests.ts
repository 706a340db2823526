/** A request whose framing or head may be read in two ways. */
export interface AmbiguousRequest {
  readonly name: string;
  readonly line?: string;
  /** Lines of its head beside `Host` and the keys. */
  readonly lines?: readonly string[];
  /** What follows the head. */
  readonly rest?: string;
  /** Every line break of the head becomes this. */
  readonly breaks?: string;
}

const chunked = '5\r\nhello\r\n0\r\n\r\n';
const chunkedLine = 'Transfer-Encoding: chunked';
/** What a smuggler would like to be taken for a request of its own. */
const smuggled = 'GET /v1/smuggled HTTP/1.1\r\nHost: h\r\n\r\n';
const get = (name: string, target: string): AmbiguousRequest => ({ name, line: `GET ${target} HTTP/1.1` });
const withLine = (name: string, ...lines: readonly string[]): AmbiguousRequest => ({ name, lines });
const withBody = (name: string, lines: readonly string[], rest: string): AmbiguousRequest => ({ name, lines, rest });
const withChunks = (name: string, rest: string): AmbiguousRequest => ({ name, lines: [chunkedLine], rest });

/** None of these is taken for a request by either listener. */
export const refusedRequests: readonly AmbiguousRequest[] = [
  withBody('a length and chunks', ['Content-Length: 5', chunkedLine], chunked),
  withBody('chunks and a length', [chunkedLine, 'Content-Length: 4'], `0\r\n\r\n${smuggled}`),
  withBody('a coding that looks like chunks', ['Transfer-Encoding: xchunked'], chunked),
  withBody('a coding that looks like chunks, and a length', ['Transfer-Encoding: xchunked', 'Content-Length: 5'], 'hello'),
  withBody('chunks that are not the last coding', ['Transfer-Encoding: chunked, identity'], chunked),
  withBody('no chunks', ['Transfer-Encoding: identity'], 'hello'),
  withBody('no chunks, and a length', ['Transfer-Encoding: identity', 'Content-Length: 5'], 'hello'),
  withBody('chunks said twice', [chunkedLine, chunkedLine], chunked),
  withBody('chunks said and taken back', [chunkedLine, 'Transfer-Encoding: identity'], chunked),
  withBody('chunks behind a control character', ['Transfer-Encoding: \u000bchunked'], chunked),
  withBody('chunks in quotes', ['Transfer-Encoding: "chunked"'], chunked),
  withBody('chunks in a folded line', ['Transfer-Encoding:\r\n chunked'], chunked),
  withBody('chunks before a space', ['Transfer-Encoding : chunked'], chunked),
  withBody('one length twice', ['Content-Length: 5', 'Content-Length: 5'], 'hello'),
  withBody('two lengths', ['Content-Length: 5', 'Content-Length: 6'], 'hello!'),
  ...['5, 5', '+5', '-1', '0x5', '99999999999999999999999', ''].map((length) =>
    withBody(`the length ${JSON.stringify(length)}`, [`Content-Length: ${length}`], 'hello'),
  ),
  withLine('a folded line', 'X-A: a\r\n b'),
  withLine('a folded line that reads like a length', 'X-A: a\r\n Content-Length: 5'),
  withLine('a line feed in a line', 'X-A: a\nX-B: b'),
  withLine('a carriage return in a line', 'X-A: a\rX-B: b'),
  withLine('a zero in a line', 'X-A: a\0b'),
  withLine('a name before a space', 'X-A : b'),
  withLine('a line without a name', ': x'),
  withLine('a second Host', 'Host: evil'),
  withLine('a carriage return in a directive', 'Svc-Request-Id: a\rX-Evil: 1'),
  { name: 'line feeds alone', breaks: '\n' },
  ...[' ', '\t', '\0', '\u0001', '\u007f', '\u00e9', '\r'].map((character) =>
    get(`the character ${JSON.stringify(character)} in the target`, `/v1/fi${character}les`),
  ),
  ...['HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1x'].map((version) => ({ name: version, line: `GET /v1/files ${version}` })),
  { name: 'a control character in the method', line: 'GE\u0001T /v1/files HTTP/1.1' },
  { name: 'a method that nobody knows', line: 'BREW /v1/files HTTP/1.1' },
  withChunks('a line feed in an extension of a chunk', '5;a\nb\r\nhello\r\n0\r\n\r\n'),
  withChunks('extensions without an end', `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`),
  ...['FFFFFFFFFFFFFFFFF', '5 ', '0x5', '-5', '+5', '', 'g'].map((size) =>
    withChunks(`the chunk size ${JSON.stringify(size)}`, `${size}\r\nhello\r\n0\r\n\r\n`),
  ),
  withChunks('chunks in line feeds', '5\nhello\n0\n\n'),
  withChunks('a chunk that is longer than it says', '5\r\nhelloXX0\r\n\r\n'),
  withChunks('a length in the trailer', `5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n${smuggled}`),
  withChunks('a malformed trailer', '5\r\nhello\r\n0\r\nX T: t\r\n\r\n'),
];

/** The bytes of such a request, a character each. */
export function bytesOf(request: AmbiguousRequest, line: string, keys: readonly string[]): string {
  const { lines = [], rest = '', breaks = '\r\n' } = request;
  return [request.line ?? line, 'Host: h', ...keys, ...lines, '', rest].join(breaks);
}

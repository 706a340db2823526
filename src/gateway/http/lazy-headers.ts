import type { HeaderList } from '../../platform/http/header-list.ts';
import { InternTable } from '../../platform/http/intern-table.ts';

/** The headers that are read by name, by this gateway or by Node's server (`expect`, `te`). */
export type RequestHeaders = Record<UsedName, string | undefined>;

type UsedName = 'host' | 'expect' | 'upgrade' | 'te' | `content-${'length' | 'type' | 'encoding'}` | 'transfer-encoding' | CrossOriginName;
type CrossOriginName = 'origin' | `access-control-request-${'method' | 'headers'}`;

const noHeaders: RequestHeaders = {
  host: undefined,
  expect: undefined,
  upgrade: undefined,
  te: undefined,
  'content-length': undefined,
  'content-type': undefined,
  'content-encoding': undefined,
  'transfer-encoding': undefined,
  origin: undefined,
  'access-control-request-method': undefined,
  'access-control-request-headers': undefined,
};

/** The first of these headers wins; all others are joined, as in Node. */
const firstWins: ReadonlySet<string> = new Set<UsedName>(['host', 'content-length', 'content-type']);

const names = new InternTable((name): UsedName | 'none' => {
  const lower = name.toLowerCase();
  return Object.hasOwn(noHeaders, lower) ? (lower as UsedName) : 'none';
});

/** Reads only the names that are used. Node's own `headers` parses all of them. */
export function readHeaders(raw: HeaderList): RequestHeaders {
  const headers = { ...noHeaders };
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = names.at(index >> 1, raw[index] ?? '');
    if (name === 'none') continue;
    const before = headers[name];
    const value = raw[index + 1] ?? '';
    if (before === undefined) headers[name] = value;
    else if (!firstWins.has(name)) headers[name] = `${before}, ${value}`;
  }
  return headers;
}

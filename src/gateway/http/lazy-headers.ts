import type { HeaderList } from '../../platform/http/header-list.ts';
import { InternTable } from '../../platform/http/intern-table.ts';

/** The header lines of a request that somebody asks for by name: this gateway, or Node's server (`expect`, `te`). */
export type RequestHeaders = Record<AskedName, string | undefined>;

type AskedName = 'host' | 'expect' | 'upgrade' | 'te' | `content-${'length' | 'type' | 'encoding'}` | 'transfer-encoding' | CrossOriginName;
type CrossOriginName = 'origin' | `access-control-request-${'method' | 'headers'}`;

const noLines: RequestHeaders = {
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

/** Of several lines of these names the first one holds, of others all, as in Node. */
const firstHolds: ReadonlySet<string> = new Set<AskedName>(['host', 'content-length', 'content-type']);

/** The name in {@link noLines}, `none` for any other. */
const names = new InternTable((name): AskedName | 'none' => {
  const lower = name.toLowerCase();
  return Object.hasOwn(noLines, lower) ? (lower as AskedName) : 'none';
});

/** What the lines of a request say under the names that are asked for. Node's own `headers` reads all of them, most of which nobody asks for. */
export function readHeaders(raw: HeaderList): RequestHeaders {
  const asked = { ...noLines };
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = names.at(index >> 1, raw[index] ?? '');
    if (name === 'none') continue;
    const before = asked[name];
    const value = raw[index + 1] ?? '';
    if (before === undefined) asked[name] = value;
    else if (!firstHolds.has(name)) asked[name] = `${before}, ${value}`;
  }
  return asked;
}

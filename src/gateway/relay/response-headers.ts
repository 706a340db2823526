import type { HeaderList } from '../../platform/http/header-list.ts';
import { InternTable } from '../../platform/http/intern-table.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { addressHeaders } from './reply-addresses.ts';
import { connectionTokens, headerText, hopByHopNames, keepHeader, withoutConnectionHeaders } from '../http/headers.ts';

/**
 * Headers that set a browser's state for the provider's host. A browser would apply them to the gateway's host, and some to related hosts.
 */
const providerHostNames = [
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'expect-ct',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'strict-transport-security',
] as const;

/** An allow-list, as for request headers. */
const recordedNames = ['content-type', 'content-encoding', 'content-length', 'retry-after', ...wireProfile.recordedResponseHeaders];

type HeaderKind = 'dropped' | 'connection' | 'recorded' | 'date' | 'address';

const headerKinds: ReadonlyMap<string, HeaderKind> = new Map<string, HeaderKind>([
  ...[...hopByHopNames, ...providerHostNames].map((name) => [name, 'dropped'] as const),
  ...recordedNames.map((name) => [name, 'recorded'] as const),
  ...addressHeaders.map((name) => [name, 'address'] as const),
  ['connection', 'connection'],
  ['date', 'date'],
]);

/** By name. Headers that only the gateway sends are dropped: from a provider they would be taken for ours. */
const names = new InternTable((name) => {
  const lower = name.toLowerCase();
  const isOurs = lower.startsWith('svc-') || lower.startsWith('helicone-');
  return { lower, kind: isOurs ? 'dropped' : headerKinds.get(lower) };
});

export interface ResponseHead {
  /** Headers for the client, name and value in turn, in their order and case. The caller owns the list. */
  readonly passed: string[];
  /** By lower-case name; the last header of a name wins. */
  readonly recorded: Readonly<Record<string, string>>;
  readonly hasDate: boolean;
  /** Some header holds an address that a client may call. */
  readonly hasAddress: boolean;
}

export function readResponseHead(raw: HeaderList): ResponseHead {
  const passed: string[] = [];
  const recorded: Record<string, string> = {};
  let hasDate = false;
  let hasAddress = false;
  let declared: Set<string> | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const { lower, kind } = names.at(index >> 1, name);
    if (kind === 'connection') declared = connectionTokens(declared, value);
    if (kind === 'connection' || kind === 'dropped') continue;
    if (kind === 'recorded') keepHeader(recorded, lower, headerText(value));
    if (kind === 'date') hasDate = true;
    if (kind === 'address') hasAddress = true;
    passed.push(name, value);
  }
  return { passed: withoutConnectionHeaders(passed, declared), recorded, hasDate: hasDate && declared?.has('date') !== true, hasAddress };
}

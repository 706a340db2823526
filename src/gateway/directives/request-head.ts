import { headerPairs, type HeaderList } from '../../platform/http/header-list.ts';
import { GatelogError } from '../../model/errors.ts';
import { holdsOurKey } from '../../auth/api-key.ts';
import { withoutSessionCookies } from '../../auth/session-cookie.ts';
import type { TraceContext } from '../../model/record/exchange.ts';
import { clientHeaders } from '../../model/vocabulary/clients.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { agentHeaderRows } from './agents.ts';
import { type Directives, DirectiveReader } from './directives.ts';
import { readTraceparent } from './traceparent.ts';
import { tooLongWarning } from './values.ts';
import { awsKeyHeaders, type AwsKeyHeader } from '../../providers/amazon/wire.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { InternTable } from '../../platform/http/intern-table.ts';
import {
  connectionTokens,
  headerText,
  hopByHopNames,
  isOfProxy,
  keepHeader,
  withoutConnectionHeaders,
  withoutSecrets,
  withoutZstd,
} from '../http/headers.ts';

/** An allow-list: a header that is not in it is not recorded, so an unknown credential cannot be either. */
const recordedNames = [
  'content-type',
  'content-encoding',
  'user-agent',
  'referer',
  'accept',
  ...clientHeaders,
  ...wireProfile.recordedRequestHeaders,
];

const clients: ReadonlyMap<string, string> = new Map(wireProfile.clientHeaders);

type HeaderKind =
  | 'dropped'
  | 'host'
  | 'connection'
  | 'credential'
  | 'recorded'
  | 'length'
  | 'encodings'
  | 'caching'
  | 'cookie'
  | 'client'
  | 'aws-key'
  | 'agent'
  | 'trace';

const headerKinds: ReadonlyMap<string, HeaderKind> = new Map<string, HeaderKind>([
  ...hopByHopNames.map((name) => [name, 'dropped'] as const),
  ...recordedNames.map((name) => [name, 'recorded'] as const),
  ['host', 'host'],
  ['connection', 'connection'],
  ['content-length', 'length'],
  ['accept-encoding', 'encodings'],
  ['cache-control', 'caching'],
  ['cookie', 'cookie'],
  ['traceparent', 'trace'],
  ...wireProfile.clientHeaders.map(([name]) => [name, 'client'] as const),
  // Official clients send a provider's key in these, and may send ours. Some of them name the client too.
  ...wireProfile.keyHeaders.map(({ name }) => [name, 'credential'] as const),
  ...awsKeyHeaders.map((name) => [name, 'aws-key'] as const),
  ...Array.from(agentHeaderRows.keys(), (name) => [name, 'agent'] as const),
]);

/** Headers without a kind are directives or pass to the provider. */
const names = new InternTable((name) => {
  const lower = name.toLowerCase();
  // Our keys are kept from the provider in names as in values.
  const isDropped = holdsOurKey(lower) || isOfProxy(lower);
  return { lower, kind: isDropped ? ('dropped' as const) : headerKinds.get(lower), client: clients.get(lower) };
});

export interface RequestHead {
  readonly directives: Directives;
  /** Headers that may contain keys, ours and the provider's. */
  readonly credentials: HeaderList;
  /** Headers for the provider beside the credentials and the length. No key of ours is among them. */
  readonly passed: HeaderList;
  /** `Content-Length`, if present. */
  readonly length: HeaderList;
  /** For the record, by lower-case name; the last header of a name wins. */
  readonly recorded: Readonly<Record<string, string>>;
  /** Provider whose clients alone send one of the headers. */
  readonly client: string | undefined;
  /** Keys of an AWS account, if any; they are in no other list. */
  readonly amazon: Partial<Record<AwsKeyHeader, string>> | undefined;
  /** Of a valid `traceparent`, which passes all the same. */
  readonly trace: TraceContext | undefined;
}

/** What headers of one request have said so far. */
interface Seen {
  client: string | undefined;
  cacheControl: string | undefined;
  amazon: string[] | undefined;
  parents: string[] | undefined;
}

/** Names in the `Connection` headers of a request, and characters of each header: more than any client sends. */
const maxDeclared = 64;
const maxConnection = 2048;

function boundedDeclared(known: Set<string> | undefined, value: string): Set<string> | undefined {
  const declared = value.length > maxConnection ? undefined : connectionTokens(known, value);
  if (value.length <= maxConnection && (declared?.size ?? 0) <= maxDeclared) return declared;
  throw new GatelogError(
    'malformed_request',
    `The Connection headers of a request name ${maxDeclared} fields at most, each header in ${maxConnection} characters.`,
  );
}

/**
 * Reads all headers in one pass. @param agentSessions whether a coding agent's own headers name its session.
 * @throws GatelogError `malformed_request`.
 */
export function readRequestHead(raw: HeaderList, agentSessions = false): RequestHead {
  const directives = new DirectiveReader();
  const [credentials, passed]: [string[], string[]] = [[], []];
  const recorded: Record<string, string> = {};
  let length: string[] = [];
  let declared: Set<string> | undefined;
  let hasHost = false;
  const seen: Seen = { client: undefined, cacheControl: undefined, amazon: undefined, parents: undefined };
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const { lower, kind, client } = names.at(index >> 1, name);
    switch (kind) {
      case 'dropped':
        continue;
      case 'host':
        hasHost = isFirstHost(hasHost);
        continue;
      case 'connection':
        declared = boundedDeclared(declared, value);
        continue;
      case 'credential':
      case 'aws-key':
        seen.client ??= client;
        (kind === 'aws-key' ? (seen.amazon ??= []) : credentials).push(name, value);
        continue;
      case 'length':
        length = [name, recordLength(recorded, lower, value)];
        continue;
      case 'recorded':
        if (recordHeader(recorded, directives, { name, lower, value })) passed.push(name, value);
        continue;
      case 'caching':
      case 'client':
      case 'trace':
        note(seen, kind, lower, value);
        break;
      case 'agent':
        readAgent(directives, lower, value, agentSessions);
        break;
      case undefined:
        if (directives.takes(name, lower, value)) continue;
        break;
      default:
    }
    pass(passed, name, keptValue(kind, value));
  }
  return {
    directives: directives.directives(seen.cacheControl),
    credentials,
    passed: withoutConnectionHeaders(passed, declared),
    length: withoutConnectionHeaders(length, declared),
    recorded,
    client: seen.client,
    amazon: seen.amazon === undefined ? undefined : amazonKeys(seen.amazon),
    trace: seen.parents === undefined ? undefined : readTraceparent(seen.parents),
  };
}

function note(seen: Seen, kind: 'caching' | 'client' | 'trace', lower: string, value: string): void {
  if (kind === 'caching') seen.cacheControl = seen.cacheControl === undefined ? value : `${seen.cacheControl},${value}`;
  else if (kind === 'client') seen.client = clients.get(lower);
  else (seen.parents ??= []).push(value);
}

/** @returns the length. */
function recordLength(recorded: Record<string, string>, lower: string, value: string): string {
  keepHeader(recorded, lower, value);
  return value;
}

function pass(passed: string[], name: string, value: string | undefined): void {
  if (value !== undefined) passed.push(name, value);
}

/** What goes on of a header; undefined: it stays behind. */
function keptValue(kind: HeaderKind | undefined, value: string): string | undefined {
  if (holdsOurKey(value)) return undefined;
  if (kind === 'encodings') return withoutZstd(value);
  return kind === 'cookie' ? withoutSessionCookies(value) : value;
}

function recordedText(lower: string, value: string): string {
  return lower === 'referer' ? withoutSecrets(headerText(value)) : headerText(value);
}

interface NamedHeader {
  readonly name: string;
  readonly lower: string;
  readonly value: string;
}

/** @returns false for a header that stays behind. */
function recordHeader(recorded: Record<string, string>, directives: DirectiveReader, { name, lower, value }: NamedHeader): boolean {
  if (holdsOurKey(value)) return false;
  if (!keepHeader(recorded, lower, recordedText(lower, value))) directives.warn(tooLongWarning(name, textLimits.headerBytes));
  return true;
}

function readAgent(directives: DirectiveReader, lower: string, value: string, isOn: boolean): void {
  const row = isOn ? agentHeaderRows.get(lower) : undefined;
  if (row !== undefined && !holdsOurKey(value)) directives.takesFromAgent(row, value);
}

/** RFC 9112 §3.2; Node silently keeps the first one. */
function isFirstHost(hasHost: boolean): true {
  if (hasHost) throw new GatelogError('malformed_request', 'A request has one Host header.');
  return true;
}

function amazonKeys(list: HeaderList): Partial<Record<AwsKeyHeader, string>> {
  const keys: Partial<Record<string, string>> = {};
  for (const [name, value] of headerPairs(list)) {
    const trimmed = value.trim();
    if (!holdsOurKey(trimmed)) keys[name.toLowerCase()] = trimmed;
  }
  return keys;
}

import type { HeaderList } from '../../platform/http/header-list.ts';
import { GatelogError } from '../../model/errors.ts';
import { holdsOurKey } from '../../auth/api-key.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { type Directives, DirectiveReader, overlong } from './directives.ts';
import { InternTable } from '../../platform/http/intern-table.ts';
import {
  connectionTokens,
  headerText,
  hopByHopNames,
  keepHeader,
  withoutConnectionHeaders,
  withoutSecrets,
  withoutZstd,
} from '../http/headers.ts';

/** Headers in which official clients send a provider's key, and so may send ours. */
const credentialNames = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** What a record keeps of a request's headers. An allow-list: a header that nobody thought of is not stored, so no credential can be. */
const recordedNames = ['content-type', 'content-encoding', 'user-agent', 'referer', 'accept', 'openai-beta'] as const;

/** Headers with which Helicone's clients of Bedrock send the keys of an account, and the one in which Amazon's own send such a key's token. */
const amazonNames = ['aws-access-key', 'aws-secret-key', 'aws-session-token', 'x-amz-security-token'] as const;
export type AmazonName = (typeof amazonNames)[number];

type LineKind = 'dropped' | 'host' | 'connection' | 'credential' | 'recorded' | 'length' | 'encodings' | 'caching' | 'anthropic' | 'amazon';

const lineKinds: ReadonlyMap<string, LineKind> = new Map<string, LineKind>([
  ...hopByHopNames.map((name) => [name, 'dropped'] as const),
  ...credentialNames.map((name) => [name, 'credential'] as const),
  ...recordedNames.map((name) => [name, 'recorded'] as const),
  ['host', 'host'],
  ['connection', 'connection'],
  ['content-length', 'length'],
  ['accept-encoding', 'encodings'],
  ['cache-control', 'caching'],
  ['anthropic-version', 'anthropic'],
  ...amazonNames.map((name) => [name, 'amazon'] as const),
]);

/** What is done with a line, by its name. Lines of any other name are ours or pass. */
const names = new InternTable((name) => {
  const lower = name.toLowerCase();
  // A key of ours in a name is as much a key as one in a value.
  return { lower, kind: holdsOurKey(lower) ? ('dropped' as const) : lineKinds.get(lower) };
});

/** What the head of a request says to the gateway. Lines are name and value in turn, in their order and case. */
export interface RequestHead {
  readonly directives: Directives;
  /** Lines that may hold keys, ours and the provider's. */
  readonly credentials: HeaderList;
  /** Lines that pass to the provider beside the credentials and the length. No key of ours is among them. */
  readonly passed: HeaderList;
  /** The line that says how long the body is, when there is one. */
  readonly length: HeaderList;
  /** What the record keeps, lower-case names; the last line of a name wins. */
  readonly recorded: Readonly<Record<string, string>>;
  /** It has an `anthropic-version`, as every call of Anthropic's clients does. */
  readonly speaksAnthropic: boolean;
  /** Keys of an account at Amazon, which are among no other lines; undefined: there are none. */
  readonly amazon: Partial<Record<AmazonName, string>> | undefined;
}

/** Names, and the characters of one line, in the `Connection` headers of a request: more than any client has. */
const maxDeclared = 64;
const maxConnection = 2048;

function boundedDeclared(known: Set<string> | undefined, value: string): Set<string> | undefined {
  const declared = value.length > maxConnection ? undefined : connectionTokens(known, value);
  if (value.length <= maxConnection && (declared?.size ?? 0) <= maxDeclared) return declared;
  throw new GatelogError(
    'malformed_request',
    `The Connection headers of a request name ${maxDeclared} fields at most, a line of them in ${maxConnection} characters.`,
  );
}

/** Reads the head of a request in one pass over its lines. @throws GatelogError `malformed_request`. */
export function readRequestHead(raw: HeaderList): RequestHead {
  const directives = new DirectiveReader();
  const credentials: string[] = [];
  const passed: string[] = [];
  const recorded: Record<string, string> = {};
  let length: string[] = [];
  let declared: Set<string> | undefined;
  let hasHost = false;
  let speaksAnthropic = false;
  let cacheControl: string | undefined;
  let amazon: string[] | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const { lower, kind } = names.at(index >> 1, name);
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
      case 'amazon':
        (kind === 'amazon' ? (amazon ??= []) : credentials).push(name, value);
        continue;
      case 'length':
        length = [name, value];
        keepHeader(recorded, lower, value);
        continue;
      case 'recorded':
        if (holdsOurKey(value)) continue;
        if (!keepHeader(recorded, lower, shownHeader(lower, value))) directives.warn(overlong(name, textLimits.headerBytes));
        passed.push(name, value);
        continue;
      case 'encodings':
        break;
      case 'caching':
        cacheControl = cacheControl === undefined ? value : `${cacheControl},${value}`;
        break;
      case 'anthropic':
        speaksAnthropic = true;
        break;
      case undefined:
        if (directives.takes(name, lower, value)) continue;
    }
    if (!holdsOurKey(value)) passed.push(name, kind === 'encodings' ? withoutZstd(value) : value);
  }
  return {
    directives: directives.directives(cacheControl),
    credentials,
    passed: withoutConnectionHeaders(passed, declared),
    length: withoutConnectionHeaders(length, declared),
    recorded,
    speaksAnthropic,
    amazon: amazon === undefined ? undefined : amazonKeys(amazon),
  };
}

function shownHeader(lower: string, value: string): string {
  return lower === 'referer' ? withoutSecrets(headerText(value)) : headerText(value);
}

/** RFC 9112 §3.2; Node keeps the first one without a word. */
function isFirstHost(hasHost: boolean): true {
  if (hasHost) throw new GatelogError('malformed_request', 'A request has one Host header.');
  return true;
}

function amazonKeys(lines: HeaderList): Partial<Record<AmazonName, string>> {
  const pairs = lines.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), (lines[index + 1] ?? '').trim()] as const] : []));
  return Object.fromEntries(pairs.filter(([, value]) => !holdsOurKey(value)));
}

import { GatelogError } from '../../model/errors.ts';
import { type LimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';
import type { BodyKeeping, TaggedProperty, Tags } from '../../model/record/exchange.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import { exceedsBytes, isJsonObject, parseJson, quotedInHeader, wellFormed } from '../../model/text.ts';
import { propertyLimits, textLimits } from '../../model/vocabulary/limits.ts';
import { type AttemptDirectives, attemptReaders, type RetryDraft, finishRetry } from './retry.ts';
import { type CachePolicy, type CacheHeader, type CacheHeaders, readCacheAsk } from './cache.ts';
import { foreignDirectives } from './foreign.ts';
import { headerText } from '../http/headers.ts';
import { nearestHeader, type UnreadLine } from './nearest-header.ts';

/** Prefixes of our own headers: ours, and the one that clients of Helicone's API send. */
const ownPrefix = 'svc-';
const aliasPrefix = 'helicone-';
const propertySuffix = 'property-';

/** All that our own headers on one request say. */
export interface Directives {
  readonly tags: Tags;
  /** Value of `Svc-Auth`, as sent. */
  readonly auth: string | undefined;
  /** Value of `Svc-Request-Id`, as sent. */
  readonly requestId: string | undefined;
  /** Value of `Svc-Target-Url`, as sent. */
  readonly targetUrl: string | undefined;
  /** `Svc-Stream-Usage`: a stream's usage is asked for and recorded. */
  readonly streamUsage: boolean;
  /** `Svc-RateLimit-Policy`. */
  readonly limitPolicy: LimitPolicy | undefined;
  /** `Svc-Retry-…` and `Svc-Fallbacks`; undefined: there is one attempt. */
  readonly attempts: AttemptDirectives | undefined;
  /** `Svc-Cache-*` with `Cache-Control`; undefined: the cache has no part in the call. */
  readonly cache: CachePolicy | undefined;
  /** What could not be done as asked, for `svc-warning`. */
  readonly warnings: readonly string[];
  /** True when a header came with the alias prefix: the reply then carries its names too. */
  readonly aliased: boolean;
  /** Why the call must not be made, where going on would not be what was asked for. Answered once the key is known, so that it is on record. */
  readonly refusal: GatelogError | undefined;
}

/** What is said to a caller of its headers; the line that says it has an end too. */
const maxWarnings = 32;
/** To compare names takes time, before anybody knows who calls. */
const maxSuggestions = 4;

type WritableTags = { -readonly [Name in keyof Tags]: Tags[Name] };

interface Draft {
  readonly properties: Map<string, TaggedProperty>;
  readonly tags: WritableTags;
  readonly warnings: string[];
  auth: string | undefined;
  requestId: string | undefined;
  targetUrl: string | undefined;
  streamUsage: boolean;
  limitPolicy: LimitPolicy | undefined;
  attempts: RetryDraft | undefined;
  cacheHeaders: CacheHeaders | undefined;
  aliased: boolean;
  refusal: GatelogError | undefined;
}

/** A head may hold tens of thousands of lines, of which this is said before anybody knows whose they are. */
function warn({ warnings }: Draft, text: string): void {
  if (warnings.length < maxWarnings) warnings.push(text);
  else if (warnings.length === maxWarnings) warnings.push('and more of that kind');
}

/** What one directive does with its value. */
type Reader = (draft: Draft, value: string, name: string) => void;

type TextTag =
  | 'userId'
  | 'sessionId'
  | 'sessionName'
  | 'sessionPath'
  | 'modelOverride'
  | 'promptId'
  | 'promptVersion'
  | 'jobId'
  | 'nodeId'
  | 'experimentId';

const text =
  (field: TextTag): Reader =>
  (draft, value, name) => {
    const read = wellFormed(headerText(value));
    if (exceedsBytes(read, textLimits.identifierBytes)) warn(draft, overlong(name, textLimits.identifierBytes));
    else if (read !== '') draft.tags[field] = read;
  };

/** What stands among the properties too, where it is shown under the prefix that it was sent with. */
const namedText = (field: 'sessionId' | 'sessionName' | 'sessionPath' | 'promptId'): Reader => {
  const read = text(field);
  return (draft, value, name) => {
    read(draft, value, name);
    if (draft.tags[field] !== undefined && name.toLowerCase().startsWith(aliasPrefix)) draft.tags.aliasedNames = true;
  };
};

/** Why a text is not on record, for `svc-warning`. */
export function overlong(what: string, maxBytes: number): string {
  return `${what} is over ${maxBytes} bytes and was not stored`;
}

const keepingWords: ReadonlyMap<string, BodyKeeping> = new Map([
  ['true', 'counted'],
  ['strict', 'never'],
  ['false', 'kept'],
]);

const keeping =
  (field: 'requestBody' | 'responseBody'): Reader =>
  (draft, value, name) => {
    const word = keepingWords.get(value.trim().toLowerCase());
    if (word !== undefined) draft.tags[field] = word;
    else draft.refusal ??= new GatelogError('invalid_directive', `${name} takes true, strict or false; got ${quotedInHeader(value)}.`);
  };

const flag =
  (set: (draft: Draft, isOn: boolean) => void): Reader =>
  (draft, value, name) => {
    const word = value.trim().toLowerCase();
    set(draft, word === 'true');
    if (word !== 'true' && word !== 'false') {
      draft.refusal ??= new GatelogError('invalid_directive', `${name} takes true or false; got ${quotedInHeader(value)}.`);
    }
  };

const readStreamUsage = flag((draft, isOn) => {
  draft.streamUsage = isOn;
});

const readSecurity = flag((draft, isOn) => {
  if (isOn) draft.tags.securityCheck = true;
  else delete draft.tags.securityCheck;
});

/** Who asks by the name that Helicone's documentation has for it counts on the call being blocked. */
const readBlocking: Reader = (draft, value, name) => {
  readSecurity(draft, value, name);
  if (draft.tags.securityCheck === true) warn(draft, `${name} marks the record of an attack (threat) and does NOT block the call`);
};

/** One policy a call: of two different ones nobody knows which was meant, and none may be dropped. */
const readLimitPolicy: Reader = (draft, value, name) => {
  if (draft.limitPolicy !== undefined && draft.limitPolicy.text !== headerText(value)) {
    draft.refusal ??= new GatelogError(
      'invalid_directive',
      `${name} is there twice; send one policy, and store others with PUT /v1/rate-limits.`,
    );
    return;
  }
  try {
    draft.limitPolicy = parseLimitPolicy(headerText(value), name);
  } catch (error) {
    if (!(error instanceof GatelogError)) throw error;
    draft.refusal ??= error;
  }
};

/** They are read together, once all are here. */
const cacheHeader =
  (header: CacheHeader): Reader =>
  (draft, value, name) => {
    draft.cacheHeaders = { ...draft.cacheHeaders, [header]: { name, value } };
  };

const readTargetUrl: Reader = (draft, value, name) => {
  draft.targetUrl = headerText(value).trim();
  if (exceedsBytes(draft.targetUrl, textLimits.addressBytes)) {
    warn(draft, `${name} is over ${textLimits.addressBytes} bytes and was not stored whole`);
  }
};

/** Our headers by the text after the prefix, lower case. `descriptions.ts` says what each is for. */
const readerTable = {
  auth: (draft, value) => {
    draft.auth = value;
  },
  'request-id': (draft, value) => {
    draft.requestId = value.trim();
  },
  properties: readPropertiesObject,
  'user-id': text('userId'),
  'session-id': namedText('sessionId'),
  'session-name': namedText('sessionName'),
  'session-path': namedText('sessionPath'),
  'model-override': text('modelOverride'),
  'prompt-id': namedText('promptId'),
  'prompt-version': text('promptVersion'),
  'prompt-inputs': readPromptInputs,
  'job-id': text('jobId'),
  'node-id': text('nodeId'),
  'experiment-id': text('experimentId'),
  cost: readCost,
  'omit-request': keeping('requestBody'),
  'omit-response': keeping('responseBody'),
  'stream-usage': readStreamUsage,
  'cache-enabled': cacheHeader('cache-enabled'),
  'cache-read': cacheHeader('cache-read'),
  'cache-save': cacheHeader('cache-save'),
  'cache-seed': cacheHeader('cache-seed'),
  'cache-bucket-max-size': cacheHeader('cache-bucket-max-size'),
  'cache-ignore-keys': cacheHeader('cache-ignore-keys'),
  'cache-control': cacheHeader('cache-control'),
  ...attemptReaders,
  'security-enabled': readSecurity,
  // The name that Helicone's documentation has for it.
  'llm-security-enabled': readBlocking,
  'target-url': readTargetUrl,
  // The name that clients of Helicone's API know for it.
  'openai-api-base': readTargetUrl,
  'ratelimit-policy': readLimitPolicy,
} satisfies Readonly<Record<string, Reader>>;

/** A map: any text may come, `constructor` too. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>(Object.entries(readerTable));

/** One of our request headers, by the text after the prefix. `Svc-Property-…` has a name of the caller's in it and is not among them. */
export type DirectiveName = keyof typeof readerTable;

/** Reads our headers off one request, line by line. Tags that are over a limit are left out and named in `warnings`; the model call goes on. */
export class DirectiveReader {
  private readonly draft: Draft = {
    properties: new Map(),
    tags: { properties: [] },
    warnings: [],
    auth: undefined,
    requestId: undefined,
    targetUrl: undefined,
    streamUsage: false,
    limitPolicy: undefined,
    attempts: undefined,
    cacheHeaders: undefined,
    aliased: false,
    refusal: undefined,
  };

  /** Reads a line when it is one of ours; such a line is never forwarded. @returns false for every other line. */
  takes(name: string, lower: string, value: string): boolean {
    const aliased = lower.startsWith(aliasPrefix);
    if (!aliased && !lower.startsWith(ownPrefix)) return false;
    if (aliased) this.draft.aliased = true;
    readOne(this.draft, { name, lower, value, prefixLength: aliased ? aliasPrefix.length : ownPrefix.length });
    return true;
  }

  /** Says on the reply what could not be done as asked. */
  warn(what: string): void {
    warn(this.draft, what);
  }

  /** What all lines together said. @param cacheControl value of the plain `Cache-Control`. */
  directives(cacheControl: string | undefined): Directives {
    const attempts = finishRetry(this.draft);
    const cache = this.draft.cacheHeaders === undefined ? undefined : readCache(this.draft, this.draft.cacheHeaders, cacheControl);
    const { properties, tags, warnings, auth, requestId, targetUrl, streamUsage, limitPolicy, aliased, refusal } = this.draft;
    tags.properties = [...properties.values()];
    return { tags, warnings, auth, requestId, targetUrl, streamUsage, limitPolicy, attempts, cache, aliased, refusal };
  }
}

function readCache(draft: Draft, sent: CacheHeaders, cacheControl: string | undefined): CachePolicy | undefined {
  try {
    return readCacheAsk(sent, cacheControl);
  } catch (error) {
    if (!(error instanceof GatelogError)) throw error;
    draft.refusal ??= error;
    return undefined;
  }
}

interface HeaderLine {
  readonly name: string;
  readonly lower: string;
  readonly value: string;
  readonly prefixLength: number;
}

function readOne(draft: Draft, { name, lower, value, prefixLength }: HeaderLine): void {
  const suffix = lower.slice(prefixLength);
  if (suffix.startsWith(propertySuffix)) {
    const start = prefixLength + propertySuffix.length;
    const property = name.slice(start);
    const content = wellFormed(headerText(value));
    const isLowered = name.startsWith(lower.slice(0, start));
    addProperty(draft, isLowered ? { name: property, value: content, lowered: true } : { name: property, value: content });
    return;
  }
  const reader = readers.get(suffix);
  if (reader !== undefined) reader(draft, value, name);
  else warn(draft, unread(draft, { name, suffix, prefixLength }));
}

function unread({ warnings }: Draft, line: UnreadLine): string {
  const without = foreignDirectives.get(line.suffix);
  if (without !== undefined) return `${line.name} is NOT carried out by this gateway: ${without}`;
  const meant = warnings.length < maxSuggestions ? nearestHeader(line, readers.keys()) : undefined;
  return `${line.name} is not a header that this gateway knows and was ignored${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

function addProperty(draft: Draft, property: TaggedProperty): void {
  const { name, value } = property;
  // Characters are never more than UTF-16 units; only of a long name do they have to be counted.
  const length = name.length <= propertyLimits.nameCharacters ? name.length : Array.from(name).length;
  if (length < 1 || length > propertyLimits.nameCharacters) {
    warn(draft, `a property name has ${length} characters and was not stored (1 to ${propertyLimits.nameCharacters} are allowed)`);
  } else if (Buffer.byteLength(value) > propertyLimits.valueBytes) {
    warn(draft, `the value of property ${quotedInHeader(name)} is over ${propertyLimits.valueBytes} bytes and was not stored`);
  } else if (draft.properties.size >= propertyLimits.properties && !draft.properties.has(name)) {
    warn(draft, `property ${quotedInHeader(name)} is over the limit of ${propertyLimits.properties} and was not stored`);
  } else {
    // Deleting first keeps "the last wins" also for the order, by which declared names that several spellings have are told apart.
    draft.properties.delete(name);
    draft.properties.set(name, property);
  }
}

function readPropertiesObject(draft: Draft, value: string, name: string): void {
  const object = parseJson(headerText(value));
  if (!isJsonObject(object)) {
    warn(draft, `${name} is not a JSON object of names to strings and was not stored`);
    return;
  }
  for (const [property, content] of Object.entries(object)) {
    if (typeof content === 'string') addProperty(draft, { name: wellFormed(property), value: wellFormed(content) });
    else warn(draft, `property ${quotedInHeader(property)} in ${name} is not a string and was not stored`);
  }
}

function readPromptInputs(draft: Draft, value: string, name: string): void {
  const object = parseJson(headerText(value));
  if (!isJsonObject(object)) {
    warn(draft, `${name} is not a JSON object and was not stored`);
    return;
  }
  const entries = Object.entries(object).map(([key, content]): [string, string] => [
    wellFormed(key),
    wellFormed(typeof content === 'string' ? content : JSON.stringify(content)),
  ]);
  const bytes = entries.reduce((sum, [key, content]) => sum + Buffer.byteLength(key) + Buffer.byteLength(content), 0);
  if (bytes > textLimits.inputsBytes) warn(draft, overlong(name, textLimits.inputsBytes));
  else draft.tags.promptInputs = Object.fromEntries(entries);
}

function readCost(draft: Draft, value: string, name: string): void {
  const amount = exceedsBytes(value, textLimits.identifierBytes) ? undefined : parseMoney(value);
  if (amount === undefined || amount < 0n) warn(draft, `${name} is not a decimal number of US dollars and was not stored`);
  else draft.tags.cost = value.trim();
}

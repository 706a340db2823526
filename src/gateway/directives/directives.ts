import { mapTextTagHeaders } from '../../model/record/text-tags.ts';
import { GatelogError } from '../../model/errors.ts';
import { type LimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';
import type { BodyKeeping, TaggedProperty, Tags } from '../../model/record/exchange.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import { exceedsBytes, isJsonObject, parseJson, quotedInHeader, wellFormed } from '../../model/text.ts';
import { propertyLimits, textLimits } from '../../model/vocabulary/limits.ts';
import { headerText } from '../http/headers.ts';
import type { AgentHeader } from '../../model/vocabulary/agent-sessions.ts';
import { finishAgent, readAgentHeader } from './agents.ts';
import { type CachePolicy, cacheReaders, finishCache } from './cache.ts';
import { type AttemptDirectives, attemptReaders, finishRetry } from './retry.ts';
import { unknownHeaderWarning } from './unknown-header.ts';
import { checkOnce, type Draft, flag, tooLongWarning, type Reader, text, warn, word } from './values.ts';

const ownPrefix = 'svc-';
/** Clients of Helicone's API send our headers under this prefix. */
const aliasPrefix = 'helicone-';
const propertySuffix = 'property-';

export interface Directives {
  readonly tags: Tags;
  /** `Svc-Auth` as sent. */
  readonly auth: string | undefined;
  /** `Svc-Request-Id` as sent, not yet validated. */
  readonly requestId: string | undefined;
  /** `Svc-Target-Url` as sent, not yet validated. */
  readonly targetUrl: string | undefined;
  readonly streamUsage: boolean;
  readonly limitPolicy: LimitPolicy | undefined;
  /** `Svc-Retry-…` and `Svc-Fallbacks`; undefined: there is one attempt. */
  readonly attempts: AttemptDirectives | undefined;
  /** `Svc-Cache-*` with `Cache-Control`; undefined: the call does not use the cache. */
  readonly cache: CachePolicy | undefined;
  /** For `svc-warning`. */
  readonly warnings: readonly string[];
  /** A header came with the alias prefix: the response then has the alias names too. */
  readonly aliased: boolean;
  /** Why the call must be rejected. Sent once the key is verified, so that the rejection is on record. */
  readonly refusal: GatelogError | undefined;
}

/** Suggestions of one response: comparing names takes time, and the key is not verified yet. */
const maxSuggestions = 4;

/** A text that is shown among the properties too, under the prefix that it was sent with. */
const namedText = (tag: 'sessionId' | 'sessionName' | 'sessionPath' | 'promptId'): Reader => {
  const read = text(tag);
  return (draft, value, name) => {
    read(draft, value, name);
    if (draft.tags[tag] !== undefined && name.toLowerCase().startsWith(aliasPrefix)) draft.tags.aliasedNames = true;
  };
};

const keepingWords: ReadonlyMap<string, BodyKeeping> = new Map([
  ['true', 'counted'],
  ['strict', 'never'],
  ['false', 'kept'],
]);

const keeping = (tag: 'requestBody' | 'responseBody'): Reader =>
  word(keepingWords, 'true, strict or false', (draft, value) => {
    draft.tags[tag] = value;
  });

const setSecurity = (draft: Draft, isOn: boolean): void => {
  if (isOn) draft.tags.securityCheck = true;
  else delete draft.tags.securityCheck;
};

/** A caller that uses the name of Helicone's documentation expects the call to be blocked. */
const readBlocking = flag((draft, isOn, name) => {
  setSecurity(draft, isOn);
  if (isOn) warn(draft, `${name} marks the record of an attack (threat) and does NOT block the call`);
});

const readLimitPolicy: Reader = (draft, value, name) => {
  const policy = headerText(value);
  checkOnce(draft.limitPolicy?.text, policy, name, 'one policy, and store others with PUT /v1/rate-limits');
  draft.limitPolicy = parseLimitPolicy(policy, name);
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
  'prompt-inputs': readPromptInputs,
  ...mapTextTagHeaders(text),
  cost: readCost,
  'omit-request': keeping('requestBody'),
  'omit-response': keeping('responseBody'),
  'stream-usage': flag((draft, isOn) => {
    draft.streamUsage = isOn;
  }),
  ...cacheReaders,
  ...attemptReaders,
  'security-enabled': flag(setSecurity),
  // The name in Helicone's documentation.
  'llm-security-enabled': readBlocking,
  'target-url': readTargetUrl,
  // The name that Helicone's clients send.
  'openai-api-base': readTargetUrl,
  'ratelimit-policy': readLimitPolicy,
} satisfies Readonly<Record<string, Reader>>;

/** A map, because any text may come, `constructor` too. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>(Object.entries(readerTable));

/** One of our request headers, by the text after the prefix. `Svc-Property-…` ends with the caller's own name and is not among them. */
export type DirectiveName = keyof typeof readerTable;

/**
 * Reads our headers off one request, one at a time. A tag over its limit is left out and named in `warnings`; the call goes on. A directive
 * that cannot be carried out becomes the refusal.
 */
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
    cache: undefined,
    agent: undefined,
    aliased: false,
    refusal: undefined,
  };

  /** Reads a header when it is one of ours; it is never forwarded then. @returns false for any other header. */
  takes(name: string, lower: string, value: string): boolean {
    const aliased = lower.startsWith(aliasPrefix);
    if (!aliased && !lower.startsWith(ownPrefix)) return false;
    if (aliased) this.draft.aliased = true;
    readOne(this.draft, { name, lower, value, prefixLength: aliased ? aliasPrefix.length : ownPrefix.length });
    return true;
  }

  /** Reads a header of a coding agent; it is forwarded too. */
  takesFromAgent(row: AgentHeader, value: string): void {
    readAgentHeader(this.draft, row, value);
  }

  /** Adds to `svc-warning`. */
  warn(what: string): void {
    warn(this.draft, what);
  }

  /** All headers together. @param cacheControl value of the plain `Cache-Control`. */
  directives(cacheControl: string | undefined): Directives {
    const { draft } = this;
    const attempts = finishRetry(draft);
    let cache: CachePolicy | undefined;
    try {
      cache = draft.cache === undefined ? undefined : finishCache(draft.cache, cacheControl);
    } catch (error) {
      refuse(draft, error);
    }
    const { agent } = draft;
    if (agent !== undefined) finishAgent(draft, agent, (name, value) => addProperty(draft, { name, value }));
    const { properties, tags, warnings, auth, requestId, targetUrl, streamUsage, limitPolicy, aliased, refusal } = draft;
    tags.properties = [...properties.values()];
    return { tags, warnings, auth, requestId, targetUrl, streamUsage, limitPolicy, attempts, cache, aliased, refusal };
  }
}

/** The first error of a call refuses it. */
function refuse(draft: Draft, error: unknown): void {
  if (!(error instanceof GatelogError)) throw error;
  draft.refusal ??= error;
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
  if (reader === undefined) {
    const known = draft.warnings.length < maxSuggestions ? readers.keys() : undefined;
    warn(draft, unknownHeaderWarning({ name, suffix, prefixLength }, known));
    return;
  }
  try {
    reader(draft, value, name);
  } catch (error) {
    refuse(draft, error);
  }
}

function addProperty(draft: Draft, property: TaggedProperty): void {
  const { name, value } = property;
  // A name has no more characters than UTF-16 units, so only those of a long name are counted.
  const length = name.length <= propertyLimits.nameCharacters ? name.length : Array.from(name).length;
  if (length < 1 || length > propertyLimits.nameCharacters) {
    warn(draft, `a property name has ${length} characters and was not stored (1 to ${propertyLimits.nameCharacters} are allowed)`);
  } else if (Buffer.byteLength(value) > propertyLimits.valueBytes) {
    warn(draft, `the value of property ${quotedInHeader(name)} is over ${propertyLimits.valueBytes} bytes and was not stored`);
  } else if (draft.properties.size >= propertyLimits.properties && !draft.properties.has(name)) {
    warn(draft, `property ${quotedInHeader(name)} is over the limit of ${propertyLimits.properties} and was not stored`);
  } else {
    // The last one wins in order too: the order decides between several spellings of a declared name.
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
  if (bytes > textLimits.inputsBytes) warn(draft, tooLongWarning(name, textLimits.inputsBytes));
  else draft.tags.promptInputs = Object.fromEntries(entries);
}

function readCost(draft: Draft, value: string, name: string): void {
  const amount = exceedsBytes(value, textLimits.identifierBytes) ? undefined : parseMoney(value);
  if (amount === undefined || amount < 0n) warn(draft, `${name} is not a decimal number of US dollars and was not stored`);
  else draft.tags.cost = value.trim();
}

import type { EndOverrides, ExchangeAnswer, ExchangeOpen, TaggedProperty, Tags } from '../../model/record/exchange.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { InternTable, maxText } from '../../platform/http/intern-table.ts';

/**
 * JSON of the two frames that every exchange has, equal to the output of `JSON.stringify`. Formatted by hand, because they are on the hot
 * path.
 * TRICKY: parts that repeat from call to call (key, address, most headers, names) are interned as flat strings. V8 joins concatenated
 * parts into a rope; a rope of seventy parts took a tenth of a call's time and garbage. A frame with a rare member goes through
 * `JSON.stringify`.
 */
export function serializeOpen(open: ExchangeOpen): string {
  const hasMore =
    open.countryCode !== undefined ||
    open.reserved !== undefined ||
    open.cacheEnabled !== undefined ||
    open.cachedFrom !== undefined ||
    open.bodyOverride !== undefined;
  if (hasMore) return JSON.stringify(open);
  return `{"version":1,"requestId":"${open.requestId}${ownerText(open)}${open.openedAt}${targetText(open)}${modelText(open)},"headers":{${headersText(open.headers)}},"tags":{${tagsText(open.tags)}}${traceText(open)}${credentialText(open)}}`;
}

function traceText({ trace }: ExchangeOpen): string {
  return trace === undefined ? '' : `,"trace":{"traceId":"${trace.traceId}","spanId":"${trace.spanId}"}`;
}

function credentialText({ credentialHash }: ExchangeOpen): string {
  return credentialHash === undefined ? '' : `,"credentialHash":${quoted(credentialHash)}`;
}

/** As {@link serializeOpen}, for the frame that ends an exchange with a small response. */
export function serializeAnswered(answer: ExchangeAnswer): string {
  const { head, end } = answer;
  const isCut = end.requestCut !== undefined || end.responseCut !== undefined || end.responseTailFollows !== undefined;
  const isRare = end.firstByteMs === undefined || end.status !== undefined || isCut;
  if (isRare || hasOverrides(head) || hasOverrides(end)) return JSON.stringify(answer);
  return `{"head":{"status":${head.status},"headers":{${headersText(head.headers)}},"elapsedMs":${head.elapsedMs}},"end":{"outcome":"${end.outcome}","elapsedMs":${end.elapsedMs},"firstByteMs":${end.firstByteMs}${end.firstTokenMs === undefined ? '' : `,"firstTokenMs":${end.firstTokenMs}`},"overheadMs":${end.overheadMs},"requestBytes":${end.requestBytes},"responseBytes":${end.responseBytes}}}`;
}

/** By key hash. The organisation shows whether the text is current. */
const owners = new InternTable(() => ({ organizationId: '', text: '' }));

function ownerText({ organizationId, keyHash }: ExchangeOpen): string {
  const owner = owners.at(0, keyHash);
  if (owner.organizationId !== organizationId) {
    owner.organizationId = organizationId;
    owner.text = flattened(`","organizationId":"${organizationId}","keyHash":"${keyHash}","openedAt":`);
  }
  return owner.text;
}

/** By path, because most calls of a path go to the same target. */
const targets = new InternTable(() => ({ method: '', provider: '', targetUrl: '', text: '' }));

function targetText(open: ExchangeOpen): string {
  const { method, path, provider, targetUrl } = open;
  if (path.length > maxText) return formatTarget(open);
  const target = targets.at(0, path);
  if (target.method !== method || target.provider !== provider || target.targetUrl !== targetUrl) {
    target.method = method;
    target.provider = provider;
    target.targetUrl = targetUrl;
    target.text = flattened(formatTarget(open));
  }
  return target.text;
}

function formatTarget({ method, path, provider, targetUrl }: ExchangeOpen): string {
  return `,"method":${quoted(method)},"path":${quoted(path)},"provider":${quoted(provider)},"targetUrl":${quoted(targetUrl)}`;
}

function modelText({ model }: ExchangeOpen): string {
  return model === undefined ? '' : `,"model":${quoted(model)}`;
}

function hasOverrides({ provider, targetUrl, model, attempts, bodyOverride, credentialHash }: EndOverrides): boolean {
  const isOther = provider !== undefined || targetUrl !== undefined || model !== undefined || credentialHash !== undefined;
  return isOther || attempts !== undefined || bodyOverride !== undefined;
}

/** A text as the first element of a list, and after another element. */
interface ListElement {
  readonly first: string;
  readonly following: string;
}

function listElement(text: string): ListElement {
  return { first: flattened(text), following: flattened(`,${text}`) };
}

/** Headers with few distinct values. */
const repeatedHeaders: ReadonlyMap<string, InternTable<ListElement>> = new Map(
  ['content-type', 'user-agent', 'accept', 'content-encoding', ...wireProfile.repeatedHeaders].map((name) => [
    name,
    new InternTable((value) => listElement(`"${name}":${quoted(value)}`)),
  ]),
);
const headerNames = new InternTable((name) => listElement(`${quoted(name)}:`));

function headersText(headers: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in headers) {
    const value = headers[name] ?? '';
    const known = isRepeated(value) ? repeatedHeaders.get(name)?.at(0, value) : undefined;
    text += known === undefined ? startOf(headerNames.of(name), text) + quoted(value) : startOf(known, text);
  }
  return text;
}

/** Each form with files has a new boundary. */
function isRepeated(value: string): boolean {
  return value.length <= maxText && !value.startsWith('multipart/');
}

function startOf({ first, following }: ListElement, before: string): string {
  return before === '' ? first : following;
}

const tagNames = new InternTable((name) => listElement(`${quoted(name)}:`));
const propertyNames = new InternTable((name) => listElement(`{"name":${quoted(name)},"value":`));

function tagsText(tags: Tags): string {
  let text = '';
  for (const name in tags) {
    const value = tags[name as keyof Tags];
    if (value === undefined) continue;
    text += startOf(tagNames.of(name), text) + tagText(value);
  }
  return text;
}

function tagText(value: NonNullable<Tags[keyof Tags]>): string {
  if (typeof value === 'string') return quoted(value);
  return Array.isArray(value) ? `[${propertyTexts(value)}]` : JSON.stringify(value);
}

function propertyTexts(properties: readonly TaggedProperty[]): string {
  let text = '';
  properties.forEach(({ name, value, lowered }, index) => {
    text += startOfProperty(name, index, text) + quoted(value) + (lowered === true ? ',"lowered":true}' : '}');
  });
  return text;
}

function startOfProperty(name: string, index: number, before: string): string {
  if (name.length <= maxText) return startOf(propertyNames.at(index, name), before);
  return `${before === '' ? '' : ','}{"name":${quoted(name)},"value":`;
}

/** Characters that JSON may escape. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Flattens a rope. UTF-8 loses nothing, because JSON text has no lone surrogates. */
function flattened(text: string): string {
  return Buffer.from(text).toString();
}

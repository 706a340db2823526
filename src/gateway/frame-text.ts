import type { EndFacts, ExchangeAnswer, ExchangeOpen, TaggedProperty, Tags } from '../model/exchange.ts';

/**
 * The JSON of the two frames that every exchange has, the same text as of `JSON.stringify`. By hand, because they are on the path of every reply:
 * a text per value and no walk over objects takes little more than half the time. What only few exchanges have goes through `JSON.stringify` with all the rest.
 */
export function openText(open: ExchangeOpen): string {
  const hasMore =
    open.countryCode !== undefined || open.reserved !== undefined || open.cacheEnabled !== undefined || open.cachedFrom !== undefined;
  if (hasMore) return JSON.stringify(open);
  return `{"version":${open.version},"requestId":"${open.requestId}","organizationId":"${open.organizationId}","keyHash":"${open.keyHash}","openedAt":${open.openedAt},"method":${quoted(open.method)},"path":${quoted(open.path)},"provider":${quoted(open.provider)},"targetUrl":${quoted(open.targetUrl)}${modelText(open)},"headers":${textsOf(open.headers)},"tags":${tagsText(open.tags)}}`;
}

/** As {@link openText}, of the frame that ends an exchange with a small reply. */
export function answerText(answer: ExchangeAnswer): string {
  const { head, end } = answer;
  const isRare = end.firstByteMs === undefined || end.status !== undefined || end.requestCut !== undefined || end.responseCut !== undefined;
  if (isRare || hasFacts(head) || hasFacts(end)) return JSON.stringify(answer);
  return `{"head":{"status":${head.status},"headers":${textsOf(head.headers)},"elapsedMs":${head.elapsedMs}},"end":{"outcome":"${end.outcome}","elapsedMs":${end.elapsedMs},"firstByteMs":${end.firstByteMs},"overheadMs":${end.overheadMs},"requestBytes":${end.requestBytes},"responseBytes":${end.responseBytes}}}`;
}

/** Most calls name their model alone. */
function modelText({ model }: ExchangeOpen): string {
  return model === undefined ? '' : `,"model":${quoted(model)}`;
}

function hasFacts({ provider, targetUrl, model, attempts }: EndFacts): boolean {
  return provider !== undefined || targetUrl !== undefined || model !== undefined || attempts !== undefined;
}

function tagsText(tags: Tags): string {
  let text = '';
  for (const name in tags) {
    const value = tags[name as keyof Tags];
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}"${name}":${tagText(value)}`;
  }
  return `{${text}}`;
}

function tagText(value: NonNullable<Tags[keyof Tags]>): string {
  if (typeof value === 'string') return quoted(value);
  return Array.isArray(value) ? `[${propertyTexts(value)}]` : JSON.stringify(value);
}

function propertyTexts(properties: readonly TaggedProperty[]): string {
  let text = '';
  for (const { name, value, lowered } of properties) {
    text += `${text === '' ? '' : ','}{"name":${quoted(name)},"value":${quoted(value)}${lowered === true ? ',"lowered":true' : ''}}`;
  }
  return text;
}

function textsOf(texts: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in texts) text += `${text === '' ? '' : ','}${quoted(name)}:${quoted(texts[name] ?? '')}`;
  return `{${text}}`;
}

/** What JSON escapes. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

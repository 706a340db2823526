import { madeOfSpan, spanPrefix } from '../../model/vocabulary/span-marks.ts';
import type { SpanIdentity } from '../../model/record/exchange.ts';

/**
 * What the column `span_links` of a record says, one text for each link: the spans that tell of the same call, the parents of these, spans
 * inside them that carry the call, the instrumentations that made them, the key that sent them, and marks. `*`: the record was made of a
 * span. `t`: a span told what was said. `lq`, `lr`: log records told the request, the response. `u1`: it told counts; `u2`: the provider's own
 * usage. `fs`, `fp`: spans gave the session, the path.
 */
export interface SpanLinks {
  readonly ids: readonly string[];
  readonly parentIds: readonly string[];
  readonly carrierIds: readonly string[];
  readonly scopes: readonly string[];
  readonly isMadeOfSpan: boolean;
  readonly hasTexts: boolean;
  readonly usage: SpanIdentity['usage'];
  /** Empty: unknown. */
  readonly keyId: string;
}

/** The marks of a record whose request, or response, log records have told. */
export const toldByLogs = { request: 'lq', response: 'lr' } as const;
/** The mark of a record whose span told what was said. */
export const hasTextsMark = 't';
/** Of one kind in one record: a call that more spans tell of is known by the first of them. */
const maxLinks = 16;

const prefixes = { id: spanPrefix, parent: '^', carrier: '-', scope: '@', key: 'k:' } as const;

export function linksOf({ ids, parentIds, carrierIds, scopes, hasTexts, usage, keyId }: SpanIdentity): readonly string[] {
  return [
    madeOfSpan,
    ...(hasTexts ? ['t'] : []),
    `u${usage}`,
    `${prefixes.key}${keyId}`,
    ...relationsOf({ ids, parentIds, carrierIds, scopes }),
  ];
}

type Relations = Pick<SpanLinks, 'ids' | 'parentIds' | 'carrierIds' | 'scopes'>;

/** The links to spans and their makers alone. */
export function relationsOf({ ids, parentIds, carrierIds, scopes }: Relations): readonly string[] {
  return [
    ...prefixed(prefixes.id, ids),
    ...prefixed(prefixes.parent, parentIds),
    ...prefixed(prefixes.carrier, carrierIds),
    ...prefixed(prefixes.scope, scopes),
  ];
}

function prefixed(prefix: string, texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].slice(0, maxLinks).map((text) => prefix + text);
}

/** Links that name spans, or instrumentations, as what. */
export const linksTo = {
  asId: (spanIds: readonly string[]) => spanIds.map((id) => prefixes.id + id),
  asParent: (spanIds: readonly string[]) => spanIds.map((id) => prefixes.parent + id),
  asCarrier: (spanIds: readonly string[]) => spanIds.map((id) => prefixes.carrier + id),
  asScope: (scopes: readonly string[]) => scopes.map((scope) => prefixes.scope + scope),
} as const;

export function readLinks(texts: readonly string[]): SpanLinks {
  const behind = (prefix: string): readonly string[] =>
    texts.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length));
  return {
    ids: behind(prefixes.id),
    parentIds: behind(prefixes.parent),
    carrierIds: behind(prefixes.carrier),
    scopes: behind(prefixes.scope),
    isMadeOfSpan: texts.includes(madeOfSpan),
    hasTexts: texts.includes('t'),
    usage: texts.includes('u2') ? 2 : texts.includes('u1') ? 1 : 0,
    keyId: behind(prefixes.key)[0] ?? '',
  };
}

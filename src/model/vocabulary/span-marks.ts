import { sessionProperties } from './session-properties.ts';

/** The mark, in `span_links`, of a record that was made of a span. */
export const madeOfSpan = '*';

/** Before the identifier of a span, in `span_links`: it tells of the record's call. */
export const spanPrefix = '=';

/** The marks of a record to which spans gave these properties: what its call stated has none. */
const marks = [
  [sessionProperties.sessionId, 'fs'],
  [sessionProperties.sessionPath, 'fp'],
] as const;

/** What a record says of spans, as far as it decides what another span may take the place of. */
export interface SpanMarks {
  readonly isOfSpan: boolean;
  /** A call through the gateway that a span tells of too. The span of a tool, or of another step, makes a record with no link. */
  readonly isJoined: boolean;
  /** Empty: none. */
  readonly traceId: string;
  /** Names of properties that spans gave. */
  readonly given: Set<string>;
}

export function readMarks(spanLinks: readonly string[], traceId: string): SpanMarks {
  const given = marks.filter(([, mark]) => spanLinks.includes(mark)).map(([name]) => name);
  return { isOfSpan: spanLinks.includes(madeOfSpan), isJoined: spanLinks.some(isSpan), traceId, given: new Set(given) };
}

function isSpan(link: string): boolean {
  return link.startsWith(spanPrefix);
}

/** The marks to write. Of a record that was made of a span any other may take the place of any: it needs none. */
export function givenMarks({ isOfSpan, given }: SpanMarks): readonly string[] {
  return isOfSpan ? [] : marks.filter(([name]) => given.has(name)).map(([, mark]) => mark);
}

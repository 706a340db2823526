import { cutMessage, failureKinds, keptType } from '../../../model/record/failure.ts';
import {
  type Arbitrary,
  array,
  bigInt,
  boolean,
  constant,
  constantFrom,
  dictionary,
  oneof,
  option,
  record,
  sample,
  string,
  tuple,
} from 'fast-check';
import { type AcceptedChange, type Change, fillingValues } from '../../../model/change.ts';
import { readMarks } from '../../../model/vocabulary/span-marks.ts';
import { type OrganizationId, uuidOfHex } from '../../../model/ids.ts';
import { parseMoney } from '../../../model/pricing/money.ts';
import type { RecordedBody, RequestRecord } from '../../../model/record/request-record.ts';
import { mapTextTags } from '../../../model/record/text-tags.ts';
import { unreportedUsage, type Usage } from '../../../model/record/usage.ts';
import { promptIdProperty } from '../../../model/vocabulary/property-alias.ts';
import { sessionFeedbackProperty, sessionProperties } from '../../../model/vocabulary/session-properties.ts';
import type { SortableRecord } from '../../testing/order-harness.ts';

/** A record as it is stored, with what a filter does not read. */
export type StoredRecord = RequestRecord & SortableRecord;

const plainTexts = 'a A alpha Alpha ALPHA alphabet beta null NULL 0 -1 true {} []';
const specialTexts = String.raw`% _ \ %% 100% a_b axb a%b a\b a\\b \% \_ \\ .* a.b (a [a] ^a$ a/b \/ it's "q" ' \N \' {p0:String} {tenant:UInt128} '; \u2028`;
const germanAndGreek = 'straße STRASSE STRAẞE ß ẞ ss ΟΔΟΣ οδος οδοσ ΑΣΑ Σ σ ς ΑΣ\u0301Β Ά ΐ ΑΙ\u0345 \u2126 ω';
const turkishAndLatin = 'İstanbul i\u0307stanbul istanbul ISTANBUL ıstanbul I ı İ Ǆ ǅ ǆ ﬀ FF \u212A k K é e\u0301 É E\u0301 Ä ä A\u0308';
const otherScripts = '😀 😀😀 👩\u200D👩\u200D👧 𐐀 𐐨 שלום مرحبا \u202Eabc 日本 日 Привет ПРИВЕТ ꙮ Ⴀ ა Ა \uFFFD \u{10FFFF} \u00AD';
const unprintable = [
  ' ',
  ' alpha ',
  'a b',
  '`',
  '\0',
  'a\0b',
  '\n',
  'a\nb',
  '\t\r',
  '\u0001\u001F\u007F',
  '\u2028\u2029',
  '\uFEFF',
  'ΟΔΟΣ ΑΣ',
];
const long = [`${'long '.repeat(1200)}END`, 'ΑΣ'.repeat(700), `${'😀'.repeat(500)}x`, `${'_%'.repeat(300)}\\`];

/** Texts that a careless comparison takes for one another, or for something special. */
const pool = [plainTexts, specialTexts, germanAndGreek, turkishAndLatin, otherScripts]
  .flatMap((texts) => texts.split(' '))
  .concat(unprintable, long);

/** Letters of texts and patterns made up by chance. */
export const nastyLetters = 'a A b B % _ \\ \' " Σ σ ς İ i ı ß ẞ é \0 \n \u0301 \u0307 😀 𐐀'.split(' ');

/** Any text of the pool, put together or made up; never empty for long. */
export const nastyText: Arbitrary<string> = oneof(
  { weight: 6, arbitrary: constantFrom(...pool) },
  { weight: 2, arbitrary: tuple(constantFrom(...pool), constantFrom(...pool)).map(([left, right]) => `${left}${right}`) },
  { weight: 2, arbitrary: string({ unit: constantFrom(...nastyLetters), maxLength: 6 }) },
);

/** Names of properties and inputs, and one that nothing has. */
export const nastyNames = [
  'Env',
  'env',
  'ENV',
  'Ünï',
  'o\'k "q"',
  '%',
  '\\',
  'a\0b',
  'Σ',
  '__proto__',
  'constructor',
  'toString',
  'x '.repeat(60),
];
/** Names that stand for one another, and the property that a session is told by. */
export const sessionNames = [...Object.values(sessionProperties), sessionFeedbackProperty, promptIdProperty].flatMap((name) => [
  name,
  name.replace('Svc-', 'Helicone-'),
]);
export const scoreNames = ['svc-score-feedback', '😀', '\uFFFD', 'quality', 'Quality', '__proto__', 'a/b', 'q"\u2028\u001F', 'Σ'];

const sessionIds = ['s-1', 'S-1', 's-2', 'ΟΔΟΣ', '%', 'a\\b', "it's", ''];
const january = Date.UTC(2026, 0, 31, 23, 59, 59, 990);
/** Around the changes of Berlin's clocks: the hour that is left out, and the one that comes twice. */
const clockChanges = ['2026-03-29T00:59:59.999Z', '2026-03-29T01:00Z', '2026-10-25T00:30Z', '2026-10-25T01:30Z'].map((text) =>
  Date.parse(text),
);
const times = [0, 1, 9, 10, 11, 11, 1010, 86_400_000].map((ms) => january + ms).concat(clockChanges);
const maxUint64 = 18_446_744_073_709_549_568;

const sparse = (texts: Arbitrary<string> = nastyText): Arbitrary<string> =>
  oneof({ weight: 2, arbitrary: constant('') }, { weight: 5, arbitrary: texts });
const maybe = <Value>(values: Arbitrary<Value>): Arbitrary<Value | null> => option(values, { freq: 3 });
const time = constantFrom(...times);
const quantity = maybe(constantFrom(0, 1, 2, 100, 100, 101, 1500, 2 ** 53, 2 ** 53 + 2, maxUint64));
const few = constantFrom(0, 1, 5, 12, 100, 1000);
const money = maybe(
  constantFrom(
    '0',
    '0.3',
    '0.299999999999',
    '0.30',
    '0.000000000001',
    '1',
    '0.1',
    '0.2',
    '-0.000000000001',
    '12345678901234567890.123456789012',
  ),
).map((text) => (text === null ? null : (parseMoney(text) ?? null)));

const textBody: Arbitrary<RecordedBody> = sparse().map((text) => ({ kind: 'text', text }));
const jsonBody: Arbitrary<RecordedBody> = nastyText.map((text) => ({
  kind: 'json',
  text: JSON.stringify({ messages: [{ role: 'user', content: text }] }),
}));
const binaryBody: Arbitrary<RecordedBody> = constantFrom('YWxwaGE=', 'a').map((base64) => ({
  kind: 'binary',
  base64,
  contentType: 'image/png',
}));
const body: Arbitrary<RecordedBody> = oneof(textBody, jsonBody, binaryBody, constant<RecordedBody>({ kind: 'absent' }));

/** Tokens: either a number that only 64 bits hold alone, or both in the size of everyday. */
const usage: Arbitrary<Usage> = oneof(
  { weight: 1, arbitrary: constantFrom(2 ** 53, maxUint64).map((promptTokens) => ({ ...unreportedUsage, promptTokens })) },
  {
    weight: 6,
    arbitrary: record({ promptTokens: maybe(few), completionTokens: maybe(few), cacheRead: quantity, cacheWrite: maybe(few) }).map(
      ({ cacheRead, cacheWrite, ...rest }) => ({
        ...unreportedUsage,
        ...rest,
        promptCacheReadTokens: cacheRead,
        promptCacheWriteTokens: cacheWrite,
      }),
    ),
  },
);

const properties: Arbitrary<ReadonlyMap<string, string>> = tuple(
  array(tuple(constantFrom(...nastyNames), sparse()), { maxLength: 4 }),
  array(tuple(constantFrom(...sessionNames), oneof(nastyText, constant(''))), { maxLength: 2 }),
  maybe(constantFrom(...sessionIds)),
).map(([free, named, id]) => new Map([...free, ...named, ...(id === null ? [] : [[sessionProperties.sessionId, id] as const])]));

const scoreMaps = array(tuple(constantFrom(...scoreNames), constantFrom(0, 1, 0.5, -1, 0.1 + 0.2, 1e21, -2.5e22, 1e-7, 2 ** 53)), {
  maxLength: 3,
}).map((entries): ReadonlyMap<string, number> => new Map(entries));

const feedback = maybe(record({ number: constantFrom(1, 2 ** 50 + 1, 1_767_225_600_000_001), createdAt: time, rating: boolean() }));

/** Digits of a UUIDv7 that tells a time. */
const timed = (ms: number) => (hex: string) => `${ms.toString(16).padStart(12, '0')}7${hex.slice(13, 16)}8${hex.slice(17)}`;

/** A version 7 identifier that tells the arrival or another time, or one of another version whose order is not that of its time. */
function identifiers(createdAt: number): Arbitrary<string> {
  const random = bigInt({ min: 0n, max: (1n << 128n) - 1n }).map((bits) => bits.toString(16).padStart(32, '0'));
  return oneof(random.map(timed(createdAt)), random.map(timed(january + 5)), random);
}

const plainRecord = time.chain((createdAt) =>
  record({
    createdAt: constant(createdAt),
    requestId: identifiers(createdAt).map((hex) => uuidOfHex(hex)),
    responseCreatedAt: maybe(time),
    keyHash: sparse(constantFrom('abc', 'ABC', 'abd')),
    method: constant('POST'),
    path: sparse(),
    referrer: sparse(),
    targetUrl: sparse(),
    provider: constantFrom('OPENAI', 'openai', 'CUSTOM'),
    countryCode: sparse(constantFrom('DE', 'de', 'NO')),
    client: sparse(),
    clientVersion: sparse(),
    requestModel: sparse(),
    responseModel: sparse(),
    modelOverride: sparse(),
    model: nastyText,
    userId: sparse(constantFrom('u-1', 'U-1', 'ß', 'ẞ', 'a_b', 'axb', '😀', 'é', 'e\u0301', '\0')),
    properties,
    aliasedNames: boolean(),
    promptId: sparse(),
    ...mapTextTags(() => sparse()),
    inputs: dictionary(constantFrom(...nastyNames), sparse(), { maxKeys: 3 }).map((inputs) => new Map(Object.entries(inputs))),
    responseId: sparse(),
    status: constantFrom(0, 200, 200, 404, 499, 500, 65_535),
    failure: maybe(record({ kind: constantFrom(...failureKinds), type: sparse().map(keptType), message: sparse().map(cutMessage) })),
    latencyMs: quantity,
    timeToFirstByteMs: quantity,
    timeToFirstTokenMs: quantity,
    streamed: boolean(),
    usage,
    cost: money,
    cacheEnabled: boolean(),
    cached: boolean(),
    cacheReferenceId: sparse(constantFrom('0197b000-0000-7000-8000-00000000000a', '0197b000-0000-7000-8000-00000000000b')),
    threat: maybe(boolean()),
    isPassthroughBilling: maybe(boolean()),
    assets: array(nastyText, { maxLength: 2 }),
    requestBody: body,
    responseBody: body,
    traceId: sparse(),
    spanId: sparse(),
    promptText: sparse(),
    lastUserText: sparse(),
    completionText: sparse(),
    inputPreview: sparse(),
    outputPreview: sparse(),
    scores: scoreMaps,
    feedback,
    cacheCreatedAt: maybe(time),
  }),
);

const remaining = {
  credentialHash: '',
  spanLinks: [],
  gatewayOverheadMs: null,
  attempts: [],
  changes: [],
  sessionChanges: [],
  serviceTier: '',
  costSource: 'none',
  priceReference: '',
  appliedPrice: '',
  requestBodyCut: false,
  responseBodyCut: false,
  sizeBytes: 0,
} as const;

/** So many records of an organisation; the same seed gives the same ones. Each identifier is used once. */
export function nastyRecords(organizationId: OrganizationId, count: number, seed: number): readonly StoredRecord[] {
  const made = sample(plainRecord, { numRuns: count, seed });
  const unique = new Map(made.map((plain) => [plain.requestId, plain]));
  return [...unique.values()].map((plain) => withProperties({ organizationId, ...remaining, ...plain, ...noSession }, plain.properties));
}

const noSession = { sessionId: '', sessionName: '', sessionPath: '', bodyGroup: 2n ** 64n - 1n };

/** The record after a change; what tells its session follows the properties. */
export function changed(stored: StoredRecord, { change, number, acceptedAt }: AcceptedChange): StoredRecord {
  switch (change.kind) {
    case 'property':
    case 'session_property':
      return withProperties(stored, change.values);
    case 'fill':
      return withProperties(stored, fillingValues({ ...stored, spanMarks: readMarks(stored.spanLinks, stored.traceId) }, change));
    case 'score':
      return { ...stored, scores: new Map([...stored.scores, ...change.values]) };
    case 'feedback': {
      const { rating } = change;
      const scores = new Map([...stored.scores, ['svc-score-feedback', Number(rating)] as const]);
      return { ...stored, scores, feedback: { number, rating, createdAt: acceptedAt } };
    }
  }
}

function withProperties(stored: StoredRecord, values: ReadonlyMap<string, string>): StoredRecord {
  const merged = new Map([...stored.properties, ...values]);
  return {
    ...stored,
    properties: merged,
    sessionId: merged.get(sessionProperties.sessionId) ?? '',
    sessionName: merged.get(sessionProperties.sessionName) ?? '',
    sessionPath: merged.get(sessionProperties.sessionPath) ?? '',
  };
}

const change: Arbitrary<Change> = oneof(
  {
    weight: 4,
    arbitrary: properties.filter(({ size }) => size > 0).map((values): Change => ({ kind: 'property', values })),
  },
  {
    weight: 1,
    arbitrary: scoreMaps.filter(({ size }) => size > 0).map((values): Change => ({ kind: 'score', values })),
  },
  { weight: 1, arbitrary: boolean().map((rating): Change => ({ kind: 'feedback', rating })) },
);

/** Changes for some of the records, in the order in which they were accepted. */
export function nastyChanges(records: readonly StoredRecord[], count: number, seed: number): readonly AcceptedChange[] {
  return sample(tuple(constantFrom(...records), change, time), { numRuns: count, seed }).map(([chosen, made, acceptedAt], index) => ({
    organizationId: chosen.organizationId,
    requestId: chosen.requestId,
    change: made,
    keyId: 'key',
    acceptedAt,
    number: (seed % 1_000_000) * 1000 + index,
  }));
}

/** Tags for some of the sessions, in the order in which they are given; an empty one takes the tag away. */
export function nastyTags(count: number, seed: number): readonly (readonly [sessionId: string, tag: string])[] {
  return sample(tuple(constantFrom(...sessionIds.filter((id) => id !== '')), sparse()), { numRuns: count, seed });
}

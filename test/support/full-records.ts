import { createHash } from 'node:crypto';
import { recordAt } from '../../bench/query/records.ts';
import type { OrganizationId } from '../../src/model/ids.ts';
import { parseMoney } from '../../src/model/pricing/money.ts';
import type { RecordedBody, RequestRecord } from '../../src/model/record/request-record.ts';
import { sessionProperties } from '../../src/model/vocabulary/session-properties.ts';

/** Values of all fields, each now present and now absent. */
export function fullRecord(number: number, count: number, organization: OrganizationId): RequestRecord {
  const plain = recordAt(number, count, organization);
  const choose = chooser(number);
  return {
    ...plain,
    ...namesOf(number, plain),
    ...outcomeOf(number, plain),
    // Several at one time.
    createdAt: plain.createdAt - (plain.createdAt % 8000),
    threat: choose(3, null, choose<boolean | null>(2, true, false)),
    isPassthroughBilling: choose(4, null, choose<boolean | null>(8, true, false)),
    assets: choose<readonly string[]>(6, ['one', textOf(number, 'asset')], []),
    // Feedback is a score too.
    scores: new Map<string, number>(
      choose<[string, number][]>(
        3,
        [
          ['accuracy', number / 3],
          ['helpful', 1],
        ],
        choose<[string, number][]>(10, [['svc-score-feedback', choose(4, 1, 0)]], []),
      ),
    ),
    feedback: choose(3, null, choose(10, { number: number + 1, rating: choose(4, true, false), createdAt: plain.createdAt + 5000 }, null)),
    // The headers of a session are properties too.
    properties: new Map([
      ...plain.properties,
      ...choose<[string, string][]>(2, [['Note', textOf(number, 'note')]], []),
      [sessionProperties.sessionId, plain.sessionId],
      [sessionProperties.sessionName, plain.sessionName],
      [sessionProperties.sessionPath, plain.sessionPath],
    ]),
    requestBody: bodyOf(number, plain.requestBody),
    responseBody: bodyOf(number + 1, plain.responseBody),
    requestBodyCut: choose(14, true, false),
    responseBodyCut: choose(15, true, false),
    sizeBytes: 1100 + number,
  };
}

/** Chooses the first value for numbers that the divisor divides. */
function chooser(number: number) {
  return <Value>(divisor: number, value: Value, otherwise: Value): Value => (number % divisor === 0 ? value : otherwise);
}

function textOf(number: number, name: string): string {
  return number % 3 === 0 ? '' : `${name} ${number} "ü" 🙂\n\t\u2028 =1`;
}

function namesOf(number: number, plain: RequestRecord) {
  const choose = chooser(number);
  const text = (name: string): string => textOf(number, name);
  return {
    path: choose(11, '', '/v1/chat/completions'),
    referrer: text('https://example.com/'),
    targetUrl: choose(5, '', plain.targetUrl),
    provider: choose(13, 'CUSTOM', 'OPENAI'),
    countryCode: choose(2, 'DE', ''),
    client: choose(3, 'claude-code', ''),
    clientVersion: choose(3, '2.1.332', ''),
    modelOverride: choose(17, 'gpt-override', ''),
    model: choose(17, 'gpt-override', plain.responseModel),
    nodeId: text('node'),
    jobId: text('job'),
    traceId: choose(3, '', createHash('md5').update(`trace ${number}`).digest('hex')),
    spanId: choose(3, '', createHash('md5').update(`span ${number}`).digest('hex').slice(0, 16)),
    promptId: text('prompt'),
    promptVersion: choose(4, '3', ''),
    inputs: new Map(
      choose<[string, string][]>(
        2,
        [
          ['name', text('input')],
          ['__proto__', 'p'],
        ],
        [],
      ),
    ),
  };
}

function outcomeOf(number: number, plain: RequestRecord) {
  const choose = chooser(number);
  const dollars = `${number % 90}.${String(number * 7919)
    .padStart(12, '0')
    .slice(-12)}`;
  return {
    responseCreatedAt: choose(7, null, plain.responseCreatedAt),
    status: [200, 200, 429, 499, 0][number % 5] ?? 200,
    latencyMs: choose(6, null, number),
    timeToFirstByteMs: choose(3, null, number % 400),
    timeToFirstTokenMs: choose(2, null, number % 900),
    streamed: choose(2, false, true),
    gatewayOverheadMs: choose(4, null, number / 7),
    attempts: choose(
      9,
      [
        { provider: 'OPENAI', status: 500, ms: 12 },
        { provider: 'AZURE', status: 200, ms: 30 },
      ],
      [],
    ),
    usage: {
      ...plain.usage,
      promptCacheReadTokens: choose(2, 5, null),
      promptCacheWriteTokens: choose(3, 7, null),
      promptAudioTokens: choose(5, 1, null),
      completionAudioTokens: choose(7, 2, null),
      reasoningTokens: choose(4, 11, null),
      estimated: choose(10, true, false),
      raw: choose<unknown>(2, { prompt_tokens: number, details: { cached: 1.5, note: textOf(number, 'usage') } }, null),
    },
    cost: choose(8, null, parseMoney(dollars) ?? null),
    costSource: choose<RequestRecord['costSource']>(8, 'none', choose<RequestRecord['costSource']>(2, 'price-book', 'provider')),
    cacheEnabled: choose(2, true, false),
    cached: choose(12, true, false),
    cacheReferenceId: choose(12, '0197b000-0000-7000-8000-00000000000a', ''),
  };
}

function bodyOf(number: number, plain: RecordedBody): RecordedBody {
  const bodies: readonly RecordedBody[] = [
    { kind: 'absent' },
    { kind: 'text', text: `not JSON: ${number} "ü" 🙂\r\n\u2028` },
    { kind: 'text', text: '{"cut": tru' },
    { kind: 'binary', base64: 'AAECAw==', contentType: 'audio/mpeg' },
    { kind: 'json', text: JSON.stringify({ number: number / 7, deep: [[[{ a: null, b: [true, false], c: '\u0001\\"/\u2028' }]]] }) },
    { kind: 'json', text: String(number) },
    { kind: 'json', text: JSON.stringify({ long: 'x'.repeat(6000), big: 1e300, small: -5e-7 }) },
  ];
  return bodies[number % 14] ?? plain;
}

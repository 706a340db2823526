import { type OrganizationId, uuidOfHex } from '../../src/model/ids.ts';
import { moneyOfUsd } from '../../src/model/pricing/money.ts';
import { noTrace, type RequestRecord } from '../../src/model/record/request-record.ts';
import { emptyTextTags } from '../../src/model/record/text-tags.ts';
import { previewOf } from '../../src/ingest/interpret/previews.ts';
import { failureOfStatus } from '../../src/model/record/failure.ts';
import { unreportedUsage } from '../../src/model/record/usage.ts';

/** Records of a team that has used the gateway for a month: bodies of about a kilobyte, a few dozen values of each tag. */

export const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;
export const otherTenant = '0197b000-0000-7000-8000-00000000000b' as OrganizationId;

/** A word in one of a hundred thousand request bodies. */
export const rareWord = 'chrysanthemum';
/** A word in one of four request bodies. */
export const commonWord = 'quarterly';

const rareEvery = 100_000;
/** Spreads a million records over a month. The density is the same for any number. */
const msBetween = 2592;
const start = Date.UTC(2026, 5, 1);
/** Concurrent sessions. */
const sessionsAtOnce = 200;
export const requestsOfSession = 5;
/** The session of this name has a thousand requests, spread over the whole time. */
export const longSession = 'session-long';
const requestsOfLongSession = 1000;
/** Number of different session names, which repeat. */
export const sessionNames = 400;
const wordsOfBody = 75;

/** A pseudo-random sequence that is the same in every run. */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = makeRandom(7);
const letters = 'abcdefghijklmnopqrstuvwxyz';
const words = Array.from({ length: 4000 }, () =>
  Array.from({ length: 4 + Math.floor(random() * 6) }, () => letters[Math.floor(random() * letters.length)]).join(''),
);

function textOf(draw: () => number, length: number): string {
  return Array.from({ length }, () => words[Math.floor(draw() * words.length)]).join(' ');
}

/** Arrival time of record `number`, Unix milliseconds. */
export function arrivalOf(number: number): number {
  return start + number * msBetween;
}

/** The index of the session of record `number`; undefined for one of the long session. */
function sessionOf(number: number, count: number): number | undefined {
  if (number % Math.max(requestsOfSession, Math.floor(count / requestsOfLongSession)) === 0) return undefined;
  return Math.floor(number / (sessionsAtOnce * requestsOfSession)) * sessionsAtOnce + (number % sessionsAtOnce);
}

/** Members that are equal in all records. */
const commonMembers = {
  keyHash: 'f'.repeat(64),
  credentialHash: '',
  method: 'POST',
  path: '/v1/chat/completions',
  referrer: '',
  targetUrl: 'https://api.openai.com/v1/chat/completions',
  provider: 'OPENAI',
  countryCode: '',
  requestModel: 'gpt-4o-mini',
  responseModel: 'gpt-4o-mini-2024-07-18',
  modelOverride: '',
  model: 'gpt-4o-mini-2024-07-18',
  sessionPath: '/answer',
  ...emptyTextTags,
  ...noTrace,
  promptId: '',
  inputs: new Map(),
  timeToFirstTokenMs: null,
  gatewayOverheadMs: 0.2,
  attempts: [],
  serviceTier: 'default',
  costSource: 'price-book',
  priceReference: 'openai/gpt-4o-mini',
  appliedPrice: '',
  client: '',
  clientVersion: '',
  timeToFirstByteMs: null,
  streamed: false,
  cacheEnabled: false,
  cached: false,
  cacheReferenceId: '',
  cacheCreatedAt: null,
  threat: null,
  isPassthroughBilling: null,
  assets: [],
  scores: new Map(),
  feedback: null,
  changes: [],
  sessionChanges: [],
  requestBodyCut: false,
  responseBodyCut: false,
  sizeBytes: 1100,
} as const;

/** Record number `number` of `count`. */
export function recordAt(number: number, count: number, organizationId: OrganizationId): RequestRecord {
  const draw = makeRandom(number + 1);
  const createdAt = arrivalOf(number);
  const session = sessionOf(number, count);
  const latencyMs = Math.floor(200 + draw() ** 3 * 20_000);
  const status = draw() < 0.97 ? 200 : 429;
  const [promptTokens, completionTokens] = [Math.floor(draw() * 2000), Math.floor(draw() * 500)];
  const extra = [...(number % rareEvery === 5 ? [rareWord] : []), ...(number % 4 === 0 ? [commonWord] : [])].join(' ');
  const question = `${textOf(draw, wordsOfBody)} ${extra}`;
  const answer = textOf(draw, wordsOfBody);
  const hex = `${createdAt.toString(16).padStart(12, '0')}7${Math.floor(draw() * 4096)
    .toString(16)
    .padStart(3, '0')}8${number.toString(16).padStart(15, '0')}`;
  return {
    ...commonMembers,
    organizationId,
    requestId: uuidOfHex(hex),
    createdAt,
    responseCreatedAt: createdAt + latencyMs,
    userId: `user-${Math.floor(draw() * 2000)}`,
    bodyGroup: BigInt(session ?? 0),
    sessionId: session === undefined ? longSession : `session-${session}`,
    sessionName: session === undefined ? 'long' : `flow ${session % sessionNames}`,
    aliasedNames: false,
    properties: new Map([
      ['Team', `team-${Math.floor(draw() * 50)}`],
      ['Environment', draw() < 0.8 ? 'production' : 'staging'],
      ['Feature', `feature-${Math.floor(draw() * 20)}`],
    ]),
    responseId: `chatcmpl-${number}`,
    status,
    failure: failureOfStatus(status),
    latencyMs,
    usage: { ...unreportedUsage, promptTokens, completionTokens },
    cost: moneyOfUsd((promptTokens * 15 + completionTokens * 60) / 1e8) ?? null,
    requestBody: { kind: 'json', text: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: question }] }) },
    responseBody: { kind: 'json', text: JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer } }] }) },
    promptText: question,
    lastUserText: question,
    completionText: answer,
    inputPreview: previewOf(question),
    outputPreview: previewOf(answer),
  };
}

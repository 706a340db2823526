import { beforeEach, describe, expect, it } from 'vitest';
import { redactionPlaces, type RedactionRule } from '../../model/redaction-rule.ts';
import { emptyTextTags, mapTextTags } from '../../model/record/text-tags.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { threadTimeMs } from '../../platform/thread-cpu-time.ts';
import { newId } from '../testing/ingest-harness.ts';
import type { RecordTexts } from '../interpret/record-texts.ts';
import { redactedPlaceholder } from './redact-texts.ts';
import { type Redacted, BoundedRedactor } from './bounded.ts';

const secret = 'ann@example.com';
const organizationId = newId();
let now: number;
let redactions: BoundedRedactor;

beforeEach(() => {
  now = 0;
  redactions = new BoundedRedactor({ monotonic: () => now, threadTime: threadTimeMs });
});

const email: RedactionRule = { kind: 'email', pattern: null, replacement: '[email]', appliesTo: ['request', 'response', 'properties'] };
const regex = (pattern: string, appliesTo = email.appliesTo): RedactionRule => ({ kind: 'regex', pattern, replacement: '[x]', appliesTo });
const bytes = (content: string): RecordedBody => ({
  kind: 'binary',
  base64: Buffer.from(content, 'latin1').toString('base64'),
  contentType: 'x/y',
});
const text = (content: string): RecordedBody => ({ kind: 'text', text: content });

/** Texts that all hold the secret. */
function planted(given: Partial<RecordTexts> = {}): RecordTexts {
  const body: RecordedBody = { kind: 'json', text: JSON.stringify({ [secret]: `by ${secret}` }) };
  const said = `to ${secret}`;
  return {
    requestBody: body,
    responseBody: body,
    requestIsOpaque: false,
    responseIsOpaque: false,
    promptText: said,
    lastUserText: said,
    completionText: said,
    path: `/v1/x?by=${secret}`,
    referrer: said,
    targetUrl: said,
    usageRaw: { user: said },
    properties: new Map([
      ['Owner', said],
      ['Svc-Session-Name', said],
    ]),
    inputs: new Map([['to', said]]),
    requestModel: said,
    modelOverride: said,
    responseModel: said,
    responseId: said,
    serviceTier: said,
    userId: said,
    ...mapTextTags(() => said),
    promptId: said,
    ...given,
  };
}

const apply = (rules: readonly RedactionRule[], texts = planted()): Redacted => redactions.apply(organizationId, rules, texts);
const textOf = (value: unknown): string => JSON.stringify(value, (_name, each: unknown) => (each instanceof Map ? [...each] : each));

describe('where the rules look', () => {
  it('request, response and properties, and not what requests are found by', () => {
    const { texts, failure } = apply([email]);
    expect(failure).toBeUndefined();
    const { userId, promptId, properties, ...others } = texts;
    const rest = { ...others, ...emptyTextTags };
    expect(textOf(rest)).not.toContain(secret);
    expect(rest.requestBody).toEqual({ kind: 'json', text: '{"[email]":"by [email]"}' });
    const said = `to ${secret}`;
    expect([...properties]).toEqual([
      ['Owner', 'to [email]'],
      ['Svc-Session-Name', said],
    ]);
    expect({ userId, promptId, ...mapTextTags((name) => texts[name]) }).toEqual({
      userId: said,
      promptId: said,
      ...mapTextTags(() => said),
    });
  });

  it('everywhere where a rule says so', () => {
    expect(textOf(apply([{ ...email, appliesTo: redactionPlaces }]).texts)).not.toContain(secret);
  });

  it.each([
    ['request', 'response'],
    ['response', 'request'],
  ] as const)('%s alone: nothing of the other changes', (place, other) => {
    const { texts } = apply([{ ...email, appliesTo: [place] }]);
    const before = planted();
    expect(textOf(texts[`${place}Body`])).not.toContain(secret);
    expect(texts[`${other}Body`]).toEqual(before[`${other}Body`]);
    expect([texts.properties, texts.inputs]).toEqual([before.properties, before.inputs]);
  });
});

describe('bodies', () => {
  it('text, and text that was cut out of JSON', () => {
    expect(apply([email], planted({ requestBody: text(`{"to": "${secret}", "tex`) })).texts.requestBody).toEqual(
      text('{"to": "[email]", "tex'),
    );
  });

  it('of bytes one in which something is found is left out, and one in which nothing is stays', () => {
    const clean = bytes('\u0000\u00ff picture');
    const { texts } = apply([email], planted({ requestBody: bytes(`\u0000\u00ff name="to" ${secret}`), responseBody: clean }));
    expect([texts.requestBody, texts.responseBody]).toEqual([text(redactedPlaceholder), clean]);
  });

  it('of which nobody sees what they say are left out', () => {
    const given = { requestBody: bytes('zstd'), requestIsOpaque: true, responseBody: text('data: an\n\ndata: n@'), responseIsOpaque: true };
    const { texts } = apply([email], planted(given));
    expect([texts.requestBody, texts.responseBody]).toEqual([text(redactedPlaceholder), text(redactedPlaceholder)]);
  });

  it('none stays none', () => {
    const absent: RecordedBody = { kind: 'absent' };
    expect(apply([email], planted({ requestBody: absent })).texts.requestBody).toEqual(absent);
  });
});

describe('what the rules cannot be applied to is left out, with all that they would have looked at', () => {
  const withheld = {
    requestBody: text(redactedPlaceholder),
    responseBody: text(redactedPlaceholder),
    promptText: '',
    completionText: '',
    usageRaw: null,
  };

  it('JSON that nests too deeply', () => {
    const deep: RecordedBody = { kind: 'json', text: `${'['.repeat(100_000)}"${secret}"${']'.repeat(100_000)}` };
    const { texts, failure } = apply([email], planted({ requestBody: deep }));
    expect([failure, texts]).toMatchObject([expect.stringContaining('nested deeper') as string, withheld]);
    expect(textOf([texts.inputs, texts.path, texts.properties.get('Owner')])).not.toContain(secret);
    expect([...texts.properties]).toEqual([['Svc-Session-Name', `to ${secret}`]]);
    expect([texts.requestModel, texts.responseModel, texts.responseId, texts.serviceTier]).toEqual(['', '', '', '']);
  });

  it('a text of JSON that nests too deeply, whose escapes would hide what it says; brackets that are no JSON stay', () => {
    const escaped = secret.replace('@', String.raw`\u0040`);
    const deep = `${'['.repeat(501)}"${escaped}"${']'.repeat(501)}`;
    for (const body of [
      text(deep),
      text(`data: ${deep}\n\ndata: {}`),
      { kind: 'json', text: JSON.stringify({ arguments: deep }) } as const,
    ]) {
      expect(apply([email], planted({ requestBody: body })).texts.requestBody).toEqual(text(redactedPlaceholder));
    }
    expect(apply([email], planted({ requestBody: text('['.repeat(5000)) })).texts.requestBody).toEqual(text('['.repeat(5000)));
  });

  it('a pattern that this version does not take', () => {
    expect(apply([regex('(?=x)')])).toMatchObject({ failure: 'a pattern cannot be used', texts: withheld });
  });

  it('a text that takes too long, and after some of them the rest of the minute`s; other organisations go on', () => {
    // Each match is one letter, and only the end of the text says so.
    const slow = [regex('a.*b|a')];
    const long = planted({ requestBody: text('a'.repeat(300_000)) });
    const clock = performance.now.bind(performance);
    redactions = new BoundedRedactor({ monotonic: () => now + clock(), threadTime: () => undefined });
    const failures = Array.from({ length: 7 }, () => apply(slow, long).failure);
    expect(failures[0]).toContain('timed out');
    expect(failures.at(-1)).toBe('the rules took too long for other records');
    expect(apply([email]).failure).toBe('the rules took too long for other records');
    expect(redactions.apply(newId(), [email], planted()).failure).toBeUndefined();
    now += 60_000;
    expect(apply([regex('ann'), email]).failure).toBeUndefined();
  });
});

it('rules that are slow and never too slow take five seconds of a minute, whatever comes; what they need as others do is not counted', () => {
  let worked = 0;
  let stepMs = 900;
  redactions = new BoundedRedactor({ monotonic: () => now, threadTime: () => (worked += stepMs) });
  const rules = [regex('ann')];
  const small = planted({ requestBody: text('a'.repeat(3000)) });
  const tries = Array.from({ length: 100 }, () => redactions.apply(organizationId, rules, small).failure);
  const applied = tries.filter((failure) => failure === undefined).length;
  expect([applied, new Set(tries.slice(applied))]).toEqual([6, new Set(['the rules took too long for other records'])]);
  expect(worked).toBeLessThan(12 * 900 + 1);
  now += 60_000;
  stepMs = 1;
  for (let count = 0; count < 10_000; count += 1) expect(redactions.apply(organizationId, rules, small).failure).toBeUndefined();
});

const rulesOf = (index: number): RedactionRule[] => Array.from({ length: 20 }, (_, rule) => regex(`n${index}r${rule}x`));

describe('a thread that lets others go first', () => {
  const slow = planted({ requestBody: text('a'.repeat(3000)) });
  const limits = { ms: 1, msPerMiB: 0 };

  it('gets more time where it was not on a core in the time that it had', () => {
    redactions = new BoundedRedactor({ monotonic: () => now, threadTime: () => 0 }, limits);
    const { texts, failure } = apply([regex('a.*b|a')], slow);
    expect([failure, texts.requestBody.kind === 'text' && texts.requestBody.text.length]).toEqual([undefined, 9000]);
  });

  it('gets no more where it was, or where nobody knows', () => {
    let worked = 0;
    const working = new BoundedRedactor({ monotonic: () => now, threadTime: () => (worked += 1) }, limits);
    const unknown = new BoundedRedactor({ monotonic: () => (now += 1), threadTime: () => undefined }, limits);
    for (const each of [working, unknown]) {
      expect(each.apply(organizationId, [regex('a.*b|a')], slow).failure).toContain('timed out after 1ms');
    }
  });
});

it('the patterns of many organisations are not all kept compiled, and all of them work', () => {
  for (const index of [...Array.from({ length: 50 }).keys(), 0, 1]) {
    const { texts } = apply(rulesOf(index), planted({ completionText: `a n${index}r19x b` }));
    expect(texts.completionText).toBe('a [x] b');
  }
});

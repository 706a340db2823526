import { beforeEach, describe, expect, it } from 'vitest';
import { redactionTargets, type RedactionRule } from '../../model/redaction-rule.ts';
import { emptyTextTags, mapTextTags } from '../../model/record/text-tags.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { threadCpuClock } from '../../platform/thread-cpu-time.ts';
import { byLength } from '../../../test/support/test-length.ts';
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
  redactions = new BoundedRedactor({ monotonic: () => performance.now(), threadTime: threadCpuClock() });
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
    userAgent: said,
    clientVersion: said,
    failureType: said,
    failureMessage: said,
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
    expect(textOf(apply([{ ...email, appliesTo: redactionTargets }]).texts)).not.toContain(secret);
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

  it('a text that takes too long, with the rule that did', () => {
    const given = planted({ requestBody: text('a'.repeat(300_000)) });
    const { texts, failure } = apply([email, regex('ann'), slow], given);
    expect([failure, texts]).toMatchObject([
      expect.stringMatching(/^rule 3 takes more than the [\d.]+ ms that it may$/) as string,
      withheld,
    ]);
  });
});

// Each match is one letter, and only the end of its line says so.
const slow = regex('a.*b|a');
const slowTexts = planted({ requestBody: text(`${'a'.repeat(200)}\n`.repeat(15)) });
const documented = [email, regex('EMP-[0-9]{6}')];
const quickTexts = planted({ requestBody: text(`EMP-123456 asks ${secret}. `.repeat(20)) });

/** A redactor on a thread whose clocks go on by so much whenever they are read. */
function redactorWhere({ elapsedMs, workedMs }: { readonly elapsedMs: number; readonly workedMs: () => number | undefined }) {
  let worked = 0;
  const threadTime = (): number => (worked += workedMs() ?? 0);
  return new BoundedRedactor({ monotonic: () => (now += elapsedMs), threadTime: workedMs() === undefined ? undefined : threadTime });
}

describe('what rules may take is judged by their work on the text', () => {
  it.each([
    ['the thread waits for a core in between', 30, 0.01],
    ['the clock counts in ticks, and any record may meet one', 0.05, 10],
    ['nobody knows how long the thread worked', 30, undefined],
  ])('no text of quick rules is left out at any rate, where %s', (_where, elapsedMs, workedMs) => {
    redactions = redactorWhere({ elapsedMs, workedMs: () => workedMs });
    const failures = new Set(Array.from({ length: byLength(2000, 20_000) }, () => apply(documented, quickTexts).failure));
    expect([...failures]).toEqual([undefined]);
  });

  it('slow texts leave out no text that is not slow, of the same rules and the same caller', () => {
    redactions = redactorWhere({ elapsedMs: 0.1, workedMs: () => 0.1 });
    const failures = Array.from({ length: 80 }, () => apply([email, slow], slowTexts).failure);
    expect(failures.at(-1)).toMatch(/^rule 2 takes more/);
    const { texts, failure } = apply([email, slow], planted({ requestBody: text(`a or two, ${secret}`) }));
    expect([failure, texts.requestBody]).toEqual([undefined, text('[x] or two, [email]'.replaceAll('a', '[x]'))]);
  });

  it('a pause of the thread makes no rule slow', () => {
    let workedMs = 0.1;
    let readsUntilPause = Infinity;
    redactions = redactorWhere({ elapsedMs: 0.1, workedMs: () => ((readsUntilPause -= 1) === 0 ? 500 : workedMs) });
    const many = [slow, ...Array.from({ length: 31 }, (_, index) => regex(`E[a-z]P-${index}[0-9]{6}`))];
    for (let count = 0; count < 80; count += 1) apply([slow], slowTexts);
    expect(apply([slow], slowTexts).failure).toMatch(/^rule 1 takes more/);
    workedMs = 0.005;
    readsUntilPause = 10;
    expect(apply(many, planted({ requestBody: text('x'.repeat(3000)) })).failure).toBeUndefined();
    expect(readsUntilPause).toBeLessThan(0);
  });

  it('slow rules take two seconds at once, and a twelfth of the time after that, beside what any record may take', () => {
    let reads = 0;
    const startedAt = now;
    redactions = redactorWhere({ elapsedMs: 0.1, workedMs: () => 0.1 * Math.sign((reads += 1)) });
    const tries = Array.from({ length: 300 }, () => apply([slow], slowTexts).failure);
    const leftOut = tries.filter((failure) => failure !== undefined).length;
    expect(leftOut).toBeGreaterThan(200);
    expect(0.1 * reads).toBeLessThan(1.2 * (2000 + (now - startedAt) / 12 + tries.length));
  });

  it('rules that were too slow take of a text, once their organisation has no time left, no more than quick ones', () => {
    let reads = 0;
    redactions = redactorWhere({ elapsedMs: 0.1, workedMs: () => 0.1 * Math.sign((reads += 1)) });
    for (let count = 0; count < 80; count += 1) apply([email, slow], slowTexts);
    const readsBefore = reads;
    const failures = Array.from({ length: 100 }, () => apply([email, slow], slowTexts).failure);
    expect(new Set(failures)).toEqual(new Set(['rule 2 takes more than the 0.4 ms that it may']));
    expect((0.1 * (reads - readsBefore)) / failures.length).toBeLessThan(2);
  });

  it('rules that were too slow are like any once they are others, and once their organisation has had its time again', () => {
    let idleMs = 0;
    let worked = 0;
    const clocks = { monotonic: () => (now += 0.1), threadTime: () => (worked += 0.1), idleTime: () => idleMs };
    redactions = new BoundedRedactor(clocks);
    for (let count = 0; count < 80; count += 1) apply([slow], slowTexts);
    expect(apply([slow], slowTexts).failure).toMatch(/^rule 1 takes more than the 0/);
    expect(apply([email, slow], slowTexts).failure).toMatch(/^rule 2 takes more than the [1-9]/);
    idleMs = 100_000;
    expect(apply([slow], slowTexts).failure).toBeUndefined();
  });

  it('while the thread waits for a core, slow rules get no more of it', () => {
    let waitedMs = 0;
    let worked = 0;
    const monotonic = (): number => (now += 0.1 + waitedMs);
    redactions = new BoundedRedactor({ monotonic, threadTime: () => (worked += 0.1), idleTime: () => 0 });
    for (let count = 0; count < 80; count += 1) apply([slow], slowTexts);
    waitedMs = 10;
    const failures = Array.from({ length: 20 }, () => apply([slow], slowTexts).failure);
    expect(failures.filter((failure) => failure === undefined)).toEqual([]);
  });

  it('another organisation has a share of its own', () => {
    redactions = redactorWhere({ elapsedMs: 0.1, workedMs: () => 0.1 });
    for (let count = 0; count < 80; count += 1) apply([slow], slowTexts);
    expect(apply([slow], slowTexts).failure).toBeDefined();
    expect(redactions.apply(newId(), [slow], slowTexts).failure).toBeUndefined();
  });
});

const rulesOf = (index: number): RedactionRule[] => Array.from({ length: 20 }, (_, rule) => regex(`n${index}r${rule}x`));

it('the patterns of many organisations are not all kept compiled, and all of them work', () => {
  for (const index of [...Array.from({ length: 50 }).keys(), 0, 1]) {
    const { texts } = apply(rulesOf(index), planted({ completionText: `a n${index}r19x b` }));
    expect(texts.completionText).toBe('a [x] b');
  }
});

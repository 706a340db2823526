import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byLength } from '../../test/support/test-length.ts';
import type { RedactionKind, RedactionRule } from '../model/redaction-rule.ts';
import { redactCards } from './cards.ts';
import { redactEmails } from './emails.ts';
import { redactKeys } from './keys.ts';
import { compilePattern, wrongPattern } from './pattern.ts';
import { redactJson, redactText } from './redact-json.ts';
import { compileRules, type Redactor } from './redactor.ts';

const rule = (kind: RedactionKind, given: Partial<RedactionRule> = {}): RedactionRule => ({
  kind,
  pattern: null,
  replacement: `[${kind}]`,
  appliesTo: ['request'],
  ...given,
});

function redactorOf(...rules: RedactionRule[]): Redactor {
  const { request } = compileRules(rules);
  if (request === undefined) throw new Error('no rule looks there');
  return request;
}

describe('e-mail addresses', () => {
  it.each([
    ['write to ann.lee+tag@mail.example.co.uk.', 'write to X.'],
    ['<ann@x.io>,bob@y.io;"c@z.io"', '<X>,X;"X"'],
    ['a@b.co@c.de', 'X@c.de'],
    ['mailto:ann%40x.com&b=ann%40y.com', 'mailto:X&b=X'],
    ['用户@例子.公司 and jörg@müller.de', 'X and X'],
    ['😀ann@x.com', '😀X'],
    [`${'a'.repeat(100)}@x.com`, `${'a'.repeat(36)}X`],
  ])('%j becomes %j', (text, left) => {
    expect(redactEmails(text, 'X')).toBe(left);
  });

  it.each(['@channel hi', 'ann@localhost', 'a @ b.com', 'ann@', '@x.com', 'npm i @scope/name', 'git@', ''])('%j stays', (text) => {
    expect(redactEmails(text, 'X')).toBe(text);
  });

  it('of a long run of letters each is looked at a few times, not the run for each', () => {
    const picture = 'A'.repeat(20_000_000);
    expect(redactEmails(`${picture} ann@x.com`, 'X')).toBe(`${picture} X`);
    expect(redactEmails('a@'.repeat(1_000_000), 'X')).toHaveLength(2_000_000);
    expect(redactEmails('a'.repeat(63).concat('@').repeat(100_000), 'X')).toHaveLength(6_400_000);
  });
});

describe('card numbers', () => {
  it.each([
    ['4111111111111111', 'X'],
    ['pay with 4111 1111 1111 1111, please', 'pay with X, please'],
    ['5555-5555-5555-4444', 'X'],
    ['amex 3782 822463 10005.', 'amex X.'],
    ['4222222222222', 'X'],
    ['order 12 4111 1111 1111 1111', 'order 12 X'],
    ['6011111111111117 3530111333300000', 'X X'],
    ['"4012888888881881"', '"X"'],
    ['2223003122003222', 'X'],
    ['6304000000000000', 'X'],
  ])('%j becomes %j', (text, left) => {
    expect(redactCards(text, 'X')).toBe(left);
  });

  it.each([
    ['a wrong check digit', '4111111111111112'],
    ['no issuer', '1111111111111117'],
    ['a part of a longer number', '94111111111111111'],
    ['a part of a hexadecimal number', 'ab4111111111111111'],
    ['decimals', '-0.4111111111111111'],
    ['a time in milliseconds', '1700000000000'],
    ['two separators', '4111  1111  1111  1111'],
  ])('%s: %j stays', (_what, text) => {
    expect(redactCards(text, 'X')).toBe(text);
  });

  it('digits without end take time for each, not for all of each', () => {
    for (const text of [
      '4'.repeat(byLength(600_000, 3_000_000)),
      '4 '.repeat(byLength(400_000, 1_000_000)),
      '4111 '.repeat(byLength(200_000, 500_000)),
    ]) {
      expect(redactCards(text, '').length).toBeLessThanOrEqual(text.length);
    }
  });
});

describe('keys of known shapes', () => {
  const random = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z';
  it.each([
    `sk-${random}`,
    `sk-proj-${random}_-${random}`,
    `sk-ant-api03-${random}`,
    `sk-or-v1-${random}`,
    `sk-svc-us-${random}`,
    `sk-helicone-${random}`,
    `AIza${random}abc`,
    `gsk_${random}`,
    `xai-${random}`,
    `hf_${random}`,
    'AKIAIOSFODNN7EXAMPLE',
    `ghp_${random}1234`,
    `github_pat_${random}`,
    `glpat-${random}`,
    `xoxb-123456789012-${random}`,
    `sk_live_${random}`,
    `whsec_${random}=`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${random}`,
    `eyJ-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${random}`,
    `Bearer ${random}`,
    `Bearer  eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${random}`,
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE+abc/123=\nDEK-Info: AES-128-CBC\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nMIIEvQ, cut off',
  ])('%j is one', (key) => {
    for (const [before, after] of [
      ['', ''],
      ['key=', '&x=1'],
      ['"', '"'],
      [String.raw`cut\n`, ' '],
    ]) {
      const isCut = key.endsWith('cut off');
      expect(redactKeys(`${before}${key}${isCut ? '' : after}`, 'X')).toBe(`${before}X${isCut ? '' : after}`);
    }
  });

  it.each(['sk-short', `task-${random}`, 'skeleton', 'AKIA123', 'xox-box', 'ghp_', 'a bearer token', random, 'eyJ.eyJ.x'])(
    '%j stays',
    (text) => {
      expect(redactKeys(text, 'X')).toBe(text);
    },
  );

  it('what begins like a key over and over takes time for each beginning alone', () => {
    for (const piece of [
      'sk-',
      'eyJ',
      '-eyJ',
      '-eyJaaaaaaaa',
      'eyJaaaaaaaa.',
      '-eyJaaaaaaaa.eyJ',
      '-----BEGIN PRIVATE KEY-----',
      'Bearer ',
      '-',
    ]) {
      expect(redactKeys(piece.repeat(200_000), '').length).toBeLessThanOrEqual(piece.length * 200_000);
    }
  });
});

describe('patterns', () => {
  it.each([
    ['EMP-[0-9]{6}', 'EMP-123456 and EMP-1234567', 'X and X7'],
    ['(?i)secret', 'Secret SECRET', 'X X'],
    ['(\\w+)@corp', 'ann@corp $1', 'X $1'],
    ['.', 'a😀', 'XX'],
    ['\\b', 'a b', 'a b'],
    ['x*y|x+', 'xxzxy', 'XzX'],
  ])('%s of %j leaves %j', (pattern, text, left) => {
    expect(compilePattern(pattern)(text, 'X')).toBe(left);
  });

  it('the replacement stands as it was written', () => {
    expect(compilePattern('(a)')('a', String.raw`$1 $& \1 ${'$'}{x}`)).toBe(String.raw`$1 $& \1 ${'$'}{x}`);
  });

  it.each(['(a+)+$', '(a|aa)+$', '(.*a){20}', '(?:[a-z]+)*=', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s, which takes other engines for ever, goes through a text once',
    (pattern) => {
      const text = `${'a'.repeat(200_000)}!`;
      expect(compilePattern(pattern)(text, '').length).toBeLessThanOrEqual(text.length);
    },
  );

  it.each([
    ['(?=a)', 'no look-around'],
    ['(a)\\1', 'invalid escape sequence'],
    ['[', 'missing closing ]'],
    ['((a{100}){100}){100}', 'invalid repeat count'],
    ['(?:ab|cd|ef){1,300}', 'too large'],
    ['a*', 'matches the empty text'],
    ['('.repeat(400) + ')'.repeat(400), 'matches the empty text'],
  ])('%j is not taken', (pattern, sentence) => {
    expect(wrongPattern(pattern)).toContain(sentence);
  });

  it('others are', () => {
    expect(['a', '(?i)(?P<name>x)', '\\p{Greek}+', '\\d{3}-\\d{2}'].map(wrongPattern)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('rules', () => {
  it('run in their order, each where it applies', () => {
    const redactors = compileRules([
      rule('email', { replacement: 'mail' }),
      rule('regex', { pattern: 'mail', replacement: '', appliesTo: ['request', 'response'] }),
    ]);
    expect(Object.keys(redactors)).toEqual(['request', 'response']);
    expect([redactors.request?.text('a@b.co mail'), redactors.response?.text('a@b.co mail')]).toEqual([' ', 'a@b.co ']);
  });

  it('a wrong pattern is an error', () => {
    expect(() => compileRules([rule('regex', { pattern: '(' })])).toThrow('missing closing )');
    expect(() => compileRules([rule('regex')])).toThrow('no pattern');
  });
});

/** A reply of Gemini's with the tokens of its text. */
const gemini = (text: string) => ({
  candidates: [{ content: { parts: [{ text }] }, logprobsResult: { chosenCandidates: [{ token: 'a' }] } }],
});

describe('JSON', () => {
  const all = redactorOf(rule('email'), rule('card'), rule('key'));

  it('keeps the digits of the numbers beside a match', () => {
    const text = '{"to":"ann@x.com","order":9007199254740993,"rate":1.0,"card":6011000990139424123}';
    expect(redactText(text, all)).toBe('{"to":"[email]","order":9007199254740993,"rate":1.0,"card":"[card]"}');
  });

  it('texts, names of members and numbers that are cards, at any depth', () => {
    const value = { 'ann@x.com': ['a', { deep: 'call ann@x.com' }], card: 4111111111111111, other: 4111111111111112, yes: true, no: null };
    expect(redactJson(value, all)).toEqual({
      '[email]': ['a', { deep: 'call [email]' }],
      card: '[card]',
      other: 4111111111111112,
      yes: true,
      no: null,
    });
    expect(redactJson(JSON.parse('[4111111111111111110, 12345678901234567, 1.5]'), all)).toEqual([
      '[card]',
      Number('12345678901234567'),
      1.5,
    ]);
  });

  it('lists of tokens, which spell what was found, go with it, and stay where nothing was', () => {
    const tokens = { content: [{ token: 'ann', top_logprobs: [{ token: 'ann' }] }, { token: '@x.com' }] };
    const choice = (content: string) => ({ message: { content }, logprobs: tokens });
    expect(redactJson({ choices: [choice('to ann@x.com'), choice('to nobody')] }, all)).toEqual({
      choices: [
        { message: { content: 'to [email]' }, logprobs: null },
        { message: { content: 'to nobody' }, logprobs: null },
      ],
    });
    expect(redactJson(gemini('ann@x.com'), all)).toEqual({
      candidates: [{ content: { parts: [{ text: '[email]' }] }, logprobsResult: null }],
    });
    for (const clean of [{ choices: [choice('to nobody')] }, gemini('nobody')]) expect(redactJson(clean, all)).toBe(clean);
    const asked = {
      logprobs: true,
      top_logprobs: 5,
      messages: ['ann@x.com'],
      tools: [{ parameters: { properties: { logprobs: { type: 'boolean' }, words: [], tokens: ['a'] } } }],
    };
    expect(redactJson(asked, all)).toEqual({ ...asked, messages: ['[email]'] });
    const others = {
      text: 'ann@x.com',
      words: [{ word: 'ann' }, { word: '@x.com' }],
      segments: [{ tokens: [1, 2], text: 'a' }],
      prompt_logprobs: [null, { 7: { decoded_token: 'ann' } }],
    };
    const left = { text: '[email]', words: null, segments: [{ tokens: null, text: 'a' }], prompt_logprobs: null };
    expect(redactJson(others, all)).toEqual(left);
    expect(redactJson({ ...others, text: 'nobody' }, all)).toEqual({ ...others, text: 'nobody' });
    const eightLetters = redactorOf(rule('email'), rule('regex', { pattern: '\\b[a-z0-9]{8}\\b' }));
    expect(redactJson(choice('ann@x.com'), eightLetters)).toEqual({ message: { content: '[email]' }, '[regex]': null });
    expect(redactText(JSON.stringify(choice('ann@x.com')), all)).toBe('{"message":{"content":"[email]"},"logprobs":null}');
  });

  it('names that become the same stay apart, however many', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => [`n${index}@x.com`, index]);
    const redacted = redactJson({ '[email] 2': 'before', ...Object.fromEntries(names), '[email]': 'after' }, all) as object;
    expect(Object.keys(redacted)).toHaveLength(20_002);
    expect(Object.entries(redacted).slice(0, 3)).toEqual([
      ['[email] 2', 'before'],
      ['[email]', 0],
      ['[email] 2 2', 1],
    ]);
  });

  it('in a text is looked into, as deep as such texts stand in each other, and written back as JSON', () => {
    const within = (depth: number): string =>
      depth === 0 ? '{"to":"ann\\u0040x.com","n":4111111111111111}' : JSON.stringify({ text: within(depth - 1) });
    const redacted = JSON.stringify({ to: '[email]', n: '[card]' });
    expect(redactJson({ arguments: within(0) }, all)).toEqual({ arguments: redacted });
    const [deep] = redactJson([within(3)], all) as string[];
    let inner: unknown = deep;
    for (let depth = 0; depth < 3; depth += 1) inner = (JSON.parse(String(inner)) as { text: unknown }).text;
    expect(inner).toBe(redacted);
    expect(() => redactText(within(12), all)).not.toThrow();
    const clean = ' { "to" : "\\u0061" }';
    expect(redactText(clean, all)).toBe(clean);
  });

  it('that has a name twice is written again where an escape hides what only the first of them says', () => {
    expect(redactText('{"to":"ann\\u0040x.com", "to":"b"}', all)).toBe('{"to":"b"}');
    expect(redactJson({ arguments: '{"to":"ann\\u0040x.com","to":"b"}' }, all)).toEqual({ arguments: '{"to":"b"}' });
  });

  it('by the line, also as the data of events, is looked at line by line', () => {
    const secret = '{"a":"ann\\u0040x.com"}';
    expect(redactText(`${secret}\n{"b":1}\ndata: ${secret}\n\nby ann@x.com {`, all)).toBe(
      '{"a":"[email]"}\n{"b":1}\ndata: {"a":"[email]"}\n\nby [email] {',
    );
  });

  it('__proto__ is a name like any other', () => {
    const value: unknown = JSON.parse('{"__proto__": {"a": "x@y.zz"}, "constructor": "x@y.zz"}');
    expect(JSON.stringify(redactJson(value, all))).toBe('{"__proto__":{"a":"[email]"},"constructor":"[email]"}');
  });

  it('nests a thousand levels deep', () => {
    const text = `${'['.repeat(1000)}"x@y.zz"${']'.repeat(1000)}`;
    expect(JSON.stringify(redactJson(JSON.parse(text), all))).toBe(text.replace('x@y.zz', '[email]'));
    expect(() => redactJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)), all)).toThrow(RangeError);
  });

  it('stays JSON of the same form, and as it is where nothing is found; nothing is found twice (seed 7)', () => {
    const secret = fc.constantFrom('ann@x.com', '4111 1111 1111 1111', 'sk-Ab3dEf6hIj9kLm2nOp5q', 'Bearer abcdefghijklmnop');
    const plain = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '1', '"', '\\', 'é', '😀', '\n', '.', '@'), maxLength: 12 });
    const text = fc.oneof(
      plain,
      fc.tuple(plain, secret, plain).map(([before, found, after]) => `${before} ${found} ${after}`),
    );
    const json = fc.letrec<{ readonly value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        const redacted = redactJson(JSON.parse(before), all);
        const after = JSON.stringify(redacted);
        expect(formOf(JSON.parse(after))).toEqual(formOf(JSON.parse(before)));
        expect(after).not.toMatch(/ann@x|4111 1111|sk-Ab3|Bearer abc/);
        expect(redactJson(redacted, all)).toBe(redacted);
        const hasNone = !/@|\d|sk-|Bearer/.test(before);
        expect(hasNone ? after : before).toBe(before);
      }),
      { seed: 7, numRuns: 1000 },
    );
  });
});

/** A value without its texts: kinds, lengths and numbers of members. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf);
  if (typeof value === 'object' && value !== null) return { size: Object.keys(value).length, members: Object.values(value).map(formOf) };
  return typeof value;
}

function manyNumbers(...last: readonly string[]): string {
  return `{"list":[${'1.0, '.repeat(200_000)}${last.join(', ')}]}`;
}

const odd: Redactor = { text: (text) => text.replaceAll('ann', 'X'), number: (digits) => (digits === '2.50' ? 'X' : undefined) };

describe('JSON with more numbers of their own digits than are written back', () => {
  it('stays as it is where nothing is found', () => {
    expect(redactText(manyNumbers('1.0', '2.5'), odd)).toBe(manyNumbers('1.0', '2.5'));
  });

  it.each([
    ['in a text', '"ann"'],
    ['in the digits of a number', '2.50'],
  ])('is not returned where something is found %s', (_, found) => {
    expect(() => redactText(manyNumbers('1.0', found), odd)).toThrow(RangeError);
    expect(redactText(`[1.0, ${found}]`, odd)).toBe('[1.0,"X"]');
  });
});

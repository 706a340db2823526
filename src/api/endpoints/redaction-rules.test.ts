import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redactionRulesAnswerSchema } from '../../contract/settings/redaction-rules.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/redaction-rules';
const usual = ['request', 'response', 'properties'];
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());
beforeEach(async () => {
  await put([]);
});

const put = (body: unknown, key = keyOf('admin')): Promise<Response> => rig.call('PUT', path, { key, body });
const stored = async () => (await checked(await rig.call('GET', path, { key: keyOf('r') }), 200, redactionRulesAnswerSchema)).data;

describe('PUT /v1/redaction-rules', () => {
  it('200: replaces the rules, in their order, and shows what was left to a default', async () => {
    const rules = [
      { kind: 'email' },
      { kind: 'regex', pattern: 'EMP-[0-9]{6}', replacement: '', applies_to: ['identifiers', 'request'] },
      { kind: 'card', pattern: null, replacement: null, applies_to: null },
      { kind: 'key', replacement: 'π' },
    ];
    const shown = [
      { kind: 'email', pattern: null, replacement: '[email]', applies_to: usual },
      { kind: 'regex', pattern: 'EMP-[0-9]{6}', replacement: '', applies_to: ['identifiers', 'request'] },
      { kind: 'card', pattern: null, replacement: '[card]', applies_to: usual },
      { kind: 'key', pattern: null, replacement: 'π', applies_to: usual },
    ];
    expect((await checked(await put(rules), 200, redactionRulesAnswerSchema)).data).toEqual(shown);
    expect(await stored()).toEqual(shown);
    expect((await checked(await put(shown), 200, redactionRulesAnswerSchema)).data).toEqual(shown);
    await checked(await put([]), 200, redactionRulesAnswerSchema);
    expect(await stored()).toEqual([]);
  });

  it.each([
    [{ kind: 'email' }, '$', 'The body is an array'],
    [['email'], '[0]', 'A rule is an object'],
    [[{}], '[0].kind', '`kind` is one of email, card, key, regex.'],
    [[{ kind: 'email' }, { kind: 'phone' }], '[1].kind', '`kind` is one of'],
    [[{ kind: 'regex' }], '[0].pattern', 'A rule of the kind regex has a pattern.'],
    [[{ kind: 'email', pattern: 'x' }], '[0].pattern', '`pattern` goes with the kind regex alone.'],
    [[{ kind: 'regex', pattern: '' }], '[0].pattern', '1 to 1000 characters'],
    [[{ kind: 'regex', pattern: 'a'.repeat(1001) }], '[0].pattern', '1 to 1000 characters'],
    [[{ kind: 'regex', pattern: '(?<=a)b' }], '[0].pattern', '`pattern` cannot be used: it is not in the syntax of RE2'],
    [[{ kind: 'key' }, { kind: 'regex', pattern: 'x?' }], '[1].pattern', 'it matches the empty text'],
    [[{ kind: 'regex', pattern: '(?:ab|cd){900}' }], '[0].pattern', 'it is too large'],
    [[{ kind: 'email', replacement: 'x'.repeat(129) }], '[0].replacement', 'at most 128 characters'],
    [[{ kind: 'email', replacement: 7 }], '[0].replacement', '`replacement` takes a text'],
    [[{ kind: 'email', applies_to: [] }], '[0].applies_to', '`applies_to` takes a list of request, response, properties, identifiers'],
    [[{ kind: 'email', applies_to: ['request', 'request'] }], '[0].applies_to', 'each once'],
    [[{ kind: 'email', applies_to: ['body'] }], '[0].applies_to[0]', '`applies_to` takes a list'],
    [Array.from({ length: 33 }, () => ({ kind: 'email' })), '$', 'at most 32 rules'],
  ])('422 for %j, which changes nothing', async (body, place, sentence) => {
    await put([{ kind: 'key' }]);
    const response = await put(body);
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { code: 'invalid_body', error: expect.stringContaining(sentence) as unknown, details: { path: place } },
    ]);
    expect(await stored()).toMatchObject([{ kind: 'key' }]);
  });

  it('403 for a key that is not admin; a key that may read sees the rules', async () => {
    expect([(await put([], keyOf('rw'))).status, (await put([], keyOf('r'))).status]).toEqual([403, 403]);
    expect((await rig.call('GET', path, { key: keyOf('w') })).status).toBe(403);
  });
});

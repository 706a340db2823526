import { describe, expect, it } from 'vitest';
import { readResponseHead } from '../relay/response-headers.ts';
import { readRequestHead } from './request-head.ts';

describe('the head of a request', () => {
  it('every line goes to one place, in wire order and case', () => {
    const head = readRequestHead(
      [
        'Host: h',
        'Svc-User-Id: u',
        'X-B: 1',
        'AUTHORIZATION: Bearer p',
        'Content-Length: 3',
        'x-b: 2',
        'X-Api-Key: k',
        'TE: trailers',
      ].flatMap((line) => line.split(': ')),
    );
    expect(head.passed).toEqual(['X-B', '1', 'x-b', '2']);
    expect(head.credentials).toEqual(['AUTHORIZATION', 'Bearer p', 'X-Api-Key', 'k']);
    expect(head.length).toEqual(['Content-Length', '3']);
    expect(head.directives.tags.userId).toBe('u');
  });

  it('records the last line of each name on the list, secrets of an address cut', () => {
    const { recorded, passed } = readRequestHead(['Accept', 'a/b', 'Referer', 'http://x/?key=s', 'ACCEPT', 'c/d', 'X-Other', 'secret']);
    expect(recorded).toEqual({ accept: 'c/d', referer: 'http://x/?key=…' });
    expect(passed).toEqual(['Accept', 'a/b', 'Referer', 'http://x/?key=s', 'ACCEPT', 'c/d', 'X-Other', 'secret']);
  });

  it('records by what a coding agent names itself', () => {
    const lines = ['Originator', 'codex_cli_rs', 'X-App', 'cli', 'X-Title', 'Cline', 'X-Cline-Version', '3.74.0'];
    const { recorded, passed } = readRequestHead(lines);
    expect(recorded).toEqual({ originator: 'codex_cli_rs', 'x-app': 'cli', 'x-title': 'Cline', 'x-cline-version': '3.74.0' });
    expect(passed).toEqual(lines);
  });

  it('a key of ours passes under no name', () => {
    const ours = 'sk-svc-us-abc';
    const lines = ['X-Any', ours, 'Accept', ours, 'Accept-Encoding', ours, 'X-Auth-Token', `Bearer ${ours}`, 'Cookie', `a=${ours}`];
    const { passed, recorded } = readRequestHead([
      ...lines,
      'User-Agent',
      `ua ${ours}`,
      'Referer',
      `http://x/${ours}`,
      'X-Fine',
      'task-svc-1',
    ]);
    expect([passed, recorded]).toEqual([['X-Fine', 'task-svc-1'], {}]);
  });

  it('what a proxy in front tells of the caller stays behind, and what a caller may have meant for the provider passes', () => {
    const ofProxies = ['X-Forwarded-For', 'x-forwarded-host', 'X-Forwarded-Proto', 'X-FORWARDED-PORT', 'Forwarded', 'X-Real-IP'];
    const ofServices = ['CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP', 'X-Original-Forwarded-For', 'X-Envoy-External-Address'];
    const lines = [...ofProxies, ...ofServices].flatMap((name) => [name, '192.0.2.7']);
    const meant = ['X-Forward', '1', 'Via', '1.1 proxy', 'X-Request-Id', 'r'];
    expect(readRequestHead([...lines, ...meant])).toMatchObject({ passed: meant, recorded: {} });
  });

  it('the cookie of a dashboard session stays behind, beside cookies that pass', () => {
    const session = 'gatelog_session_b369e50e=secret';
    expect(readRequestHead(['Cookie', session, 'X-A', '1']).passed).toEqual(['X-A', '1']);
    expect(readRequestHead(['cookie', `a=1; ${session}; b=2`]).passed).toEqual(['cookie', 'a=1; b=2']);
  });

  it('what any Connection line declares is dropped, also before it, and still recorded', () => {
    const head = readRequestHead(['X-A', '1', 'Accept', 'a', 'Connection', 'x-a, ACCEPT', 'X-B', '2', 'connection', 'X-B', 'X-C', '3']);
    expect(head.passed).toEqual(['X-C', '3']);
    expect(head.recorded).toEqual({ accept: 'a' });
    expect(readRequestHead(['Content-Length', '3', 'Connection', 'content-length']).length).toEqual([]);
  });

  it('a name such as constructor is a line like any other', () => {
    const { passed, recorded } = readRequestHead(['constructor', '1', '__proto__', '2']);
    expect([passed, recorded]).toEqual([['constructor', '1', '__proto__', '2'], {}]);
  });
});

describe('what is read of a head before anybody knows who calls has a bound', () => {
  it('of very many lines under names that nobody knows some are told, and that there are more', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => [`svc-x${index}`, '']).flat();
    const { warnings } = readRequestHead([...lines, 'Svc-User-Id', 'u']).directives;
    expect(warnings).toHaveLength(33);
    expect(warnings[0]).toBe('svc-x0 is not a header that this gateway knows and was ignored');
    expect(warnings.at(-1)).toBe('and more of that kind');
  });

  it.each([
    ['Svc-Propertys', 'Svc-Properties'],
    ['Helicone-Cache-Enable', 'Helicone-Cache-Enabled'],
    ['svc-userid', 'Svc-User-Id'],
    ['Svc-Propety-Team', 'Svc-Property-Team'],
  ])('of one that is nearly ours it is told which is meant: %s', (name, meant) => {
    const { warnings } = readRequestHead([name, 'x']).directives;
    expect(warnings).toEqual([`${name} is not a header that this gateway knows and was ignored (did you mean ${meant}?)`]);
  });

  it('ours are looked for under the first few such names alone, as anybody may send any number', () => {
    const { warnings } = readRequestHead(Array.from({ length: 20 }, () => ['Svc-Propertys', 'x']).flat()).directives;
    expect(warnings.filter((text) => text.includes('did you mean'))).toHaveLength(4);
  });

  it.each([
    ['one line of very many names', ['Connection', 'a,'.repeat(5000)]],
    ['very many lines', Array.from({ length: 100 }, (_, index) => ['Connection', `x${index}`]).flat()],
  ])('a Connection of %s is refused', (_what, lines) => {
    expect(() => readRequestHead(lines)).toThrow('The Connection headers of a request name 64 fields at most');
  });
});

describe('the head of a reply', () => {
  it('passes all but what is between us and the provider, or ours to say', () => {
    const head = readResponseHead(
      [
        'Date: now',
        'Svc-Id: x',
        'svc-ratelimit-remaining: 1',
        'SVC-Hint: x',
        'Helicone-Cache: HIT',
        'X-Svc: 1',
        'Alt-Svc: h3',
        'Connection: X-Hop',
        'X-Hop: 1',
        'Set-Cookie: a',
        'Set-Cookie: b',
        'Retry-After: 2',
      ].flatMap((line) => line.split(': ')),
    );
    expect(head.passed).toEqual(['Date', 'now', 'X-Svc', '1', 'Retry-After', '2']);
    expect(head.recorded).toEqual({ 'retry-after': '2' });
    expect(head.hasDate).toBe(true);
  });

  it.each([
    ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains; preload'],
    ['Set-Cookie', '__cf_bm=1; Domain=.example.com'],
    ['Clear-Site-Data', '"*"'],
    ['NEL', '{"max_age":604800}'],
    ['Report-To', '{}'],
    ['Reporting-Endpoints', 'a="https://x"'],
    ['Public-Key-Pins', 'max-age=5184000'],
    ['Expect-CT', 'max-age=5'],
    ['Accept-CH', 'DPR'],
  ])('%s, which a provider says of its own host, does not pass', (name, value) => {
    expect(readResponseHead([name, value, 'X-A', '1'])).toEqual({ passed: ['X-A', '1'], recorded: {}, hasDate: false, hasAddress: false });
  });

  it("a reply's identifiers are recorded, and no other line of its provider's", () => {
    const { recorded } = readResponseHead(['X-Request-Id', 'a', 'x-amzn-RequestId', 'b', 'Request-Id', 'c', 'x-amzn-bedrock-trace', 'd']);
    expect(recorded).toEqual({ 'x-request-id': 'a', 'x-amzn-requestid': 'b', 'request-id': 'c' });
  });

  it('a date that is declared as hop-by-hop does not pass', () => {
    expect(readResponseHead(['Date', 'now', 'Connection', 'date'])).toEqual({
      passed: [],
      recorded: {},
      hasDate: false,
      hasAddress: false,
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { Tags } from '../../model/record/exchange.ts';
import { agentHeaders } from '../../model/vocabulary/agent-sessions.ts';
import { readRequestHead } from './request-head.ts';

type Headers = Readonly<Record<string, string>>;

const headOf = (headers: Headers) => readRequestHead(Object.entries(headers).flat(), true);

function tagsOf(headers: Headers): Omit<Tags, 'properties'> & { readonly properties?: unknown } {
  const { properties, ...tags } = headOf(headers).directives.tags;
  return properties.length === 0 ? tags : { ...tags, properties: properties.map(({ name, value }) => `${name}=${value}`) };
}

describe('a coding agent`s own headers name the session', () => {
  const cases: readonly [name: string, headers: Headers, tags: ReturnType<typeof tagsOf>][] = [
    ['Claude Code, the main agent', { 'X-Claude-Code-Session-Id': 's-1' }, { sessionId: 's-1' }],
    [
      'Claude Code, an agent that the main one started',
      { 'x-claude-code-session-id': 's-1', 'x-claude-code-agent-id': 'a-1' },
      { sessionId: 's-1', sessionPath: '/a-1' },
    ],
    [
      'Claude Code, an agent of an agent',
      { 'x-claude-code-agent-id': 'a-2', 'x-claude-code-parent-agent-id': 'a-1', 'x-claude-code-session-id': 's-1' },
      { sessionId: 's-1', sessionPath: '/a-1/a-2' },
    ],
    [
      'Claude Code with its hints for gateways',
      { 'x-claude-code-session-id': 's-1', 'x-claude-code-request-class': 'subagent', 'x-claude-code-agent-type': 'Explore' },
      { sessionId: 's-1', properties: ['Request-Class=subagent', 'Agent-Type=Explore'] },
    ],
    ['Qwen Code', { 'x-qwen-code-session-id': 's-1' }, { sessionId: 's-1' }],
    ['Codex, the first thread', { 'session-id': 's-1', 'thread-id': 's-1' }, { sessionId: 's-1' }],
    [
      'Codex, a thread that the first one started',
      { 'session-id': 's-1', 'thread-id': 't-2', 'x-codex-parent-thread-id': 's-1' },
      { sessionId: 's-1', sessionPath: '/t-2' },
    ],
    [
      'Codex, a thread of a thread',
      { 'session-id': 's-1', 'thread-id': 't-3', 'x-codex-parent-thread-id': 't-2' },
      { sessionId: 's-1', sessionPath: '/t-2/t-3' },
    ],
    ['a thread without a session', { 'thread-id': 't-1' }, { sessionId: 't-1' }],
    ['OpenCode', { 'x-session-affinity': 's-1', 'X-Session-Id': 's-1' }, { sessionId: 's-1' }],
    [
      'OpenCode, a session that another one started',
      { 'x-session-affinity': 's-2', 'X-Session-Id': 's-2', 'x-parent-session-id': 's-1' },
      { sessionId: 's-1', sessionPath: '/s-2' },
    ],
    [
      'Kilo, the call that titles a session',
      { 'x-session-affinity': 'title-ses_debf35d9dffe27uMu6JFkAz2N7', 'X-Session-Id': 'title-ses_debf35d9dffe27uMu6JFkAz2N7' },
      { sessionId: 'ses_debf35d9dffe27uMu6JFkAz2N7', properties: ['Request-Class=title'] },
    ],
    ['a session of another with such a beginning', { 'session-id': 'title-page' }, { sessionId: 'title-page' }],
    [
      'Codex, a review',
      { 'session-id': 's-1', 'thread-id': 't-2', 'x-codex-parent-thread-id': 's-1', 'x-openai-subagent': 'review' },
      { sessionId: 's-1', sessionPath: '/t-2', properties: ['Request-Class=review'] },
    ],
    ['pi', { session_id: 's-1', 'x-client-request-id': 's-1', 'x-session-affinity': 's-1' }, { sessionId: 's-1' }],
    [
      'of several the first row of the table, in any order',
      { 'x-session-id': 's-2', 'x-claude-code-session-id': 's-1', 'session-id': 's-3' },
      { sessionId: 's-1' },
    ],
    ['an empty one is none', { 'x-claude-code-session-id': ' ', 'x-session-id': 's-2' }, { sessionId: 's-2' }],
    ['another text than ASCII', { 'session-id': Buffer.from('Größe').toString('latin1') }, { sessionId: 'Größe' }],
    ['a slash is no level', { 'session-id': 'a/b', 'thread-id': 'c/d' }, { sessionId: 'a/b', sessionPath: '/c%2Fd' }],
  ];

  it.each(cases)('%s', (_name, headers, tags) => {
    expect(tagsOf(headers)).toEqual(tags);
  });

  it.each(agentHeaders.map((row) => [row.name, row] as const))('the row %s is read, and has a source', (name, { tells, source }) => {
    const alone: ReturnType<typeof tagsOf> =
      typeof tells === 'object' ? { properties: [`${tells.property}=x`] } : tells === 'parent' ? {} : { sessionId: 'x' };
    expect(tagsOf({ [name]: 'x' })).toEqual(alone);
    expect(source).toMatch(/^https:\/\/(?:code\.claude\.com|github\.com)\//);
  });
});

describe('a header of ours decides', () => {
  const agent = { 'x-claude-code-session-id': 's-1', 'x-claude-code-agent-id': 'a-1', 'x-claude-code-request-class': 'subagent' };

  it.each<[name: string, headers: Headers, tags: ReturnType<typeof tagsOf>]>([
    ['a session, and then no path of the agent', { 'Svc-Session-Id': 'ours' }, { sessionId: 'ours' }],
    ['a session by its other name', { 'Helicone-Session-Id': 'ours' }, { sessionId: 'ours', aliasedNames: true }],
    ['a session among the properties', { 'Svc-Properties': '{"Svc-Session-Id":"ours"}' }, {}],
    ['a path', { 'Svc-Session-Path': '/ours' }, { sessionId: 's-1', sessionPath: '/ours' }],
    ['a name stands beside the agent`s session', { 'Svc-Session-Name': 'n' }, { sessionId: 's-1', sessionName: 'n', sessionPath: '/a-1' }],
    ['a property', { 'Svc-Property-Request-Class': 'mine' }, { sessionId: 's-1', sessionPath: '/a-1' }],
  ])('%s', (_name, headers, { properties: _properties, ...tags }) => {
    const { properties, ...read } = tagsOf({ ...headers, ...agent });
    expect(read).toEqual(tags);
    const ofClass = headers['Svc-Property-Request-Class'] ?? 'subagent';
    expect(properties).toContain(`Request-Class=${ofClass}`);
  });
});

describe('they are a stranger`s text', () => {
  it('one over the limit of identifiers is left out, and the answer says so', () => {
    const { tags, warnings } = headOf({ 'x-claude-code-session-id': 'x'.repeat(8193), 'x-session-id': 's-2' }).directives;
    expect(tags.sessionId).toBe('s-2');
    expect(warnings).toEqual(['x-claude-code-session-id is over 8192 bytes and was not stored']);
  });

  it('so is a path of identifiers that are each within it', () => {
    const long = 'x'.repeat(5000);
    const { tags, warnings } = headOf({ 'session-id': 's', 'thread-id': long, 'x-codex-parent-thread-id': `${long}y` }).directives;
    expect([tags.sessionId, tags.sessionPath, warnings.length]).toEqual(['s', undefined, 1]);
  });

  it('one that holds a key of ours is none', () => {
    const head = headOf({ 'session-id': 'sk-svc-us-abc', 'x-session-id': 's-2' });
    expect(head.directives.tags.sessionId).toBe('s-2');
    expect(head.passed).toEqual(['x-session-id', 's-2']);
  });
});

it('they go on to the provider, as Claude Code asks of a gateway', () => {
  const lines = agentHeaders.flatMap(({ name }) => [name, 'x']);
  expect(readRequestHead([...lines, 'Svc-Session-Id', 'ours'], true).passed).toEqual(lines);
});

it('without the setting they are headers like any other', () => {
  const { directives, passed } = readRequestHead(['x-claude-code-session-id', 's-1', 'x-claude-code-request-class', 'main'], false);
  expect(directives.tags).toEqual({ properties: [] });
  expect(passed).toEqual(['x-claude-code-session-id', 's-1', 'x-claude-code-request-class', 'main']);
});

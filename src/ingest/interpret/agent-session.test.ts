import { describe, expect, test } from 'vitest';
import type { Tags } from '../../model/record/exchange.ts';
import { agentCacheKeys } from '../../model/vocabulary/agent-sessions.ts';
import { interpret } from '../testing/exchange-builder.ts';

const id = '0197b000-0000-7000-8000-00000000000a';
const opencode = 'ses_4a1b2c3d4e5fAbCdEfGhIjKlMn';

const bodyWith = (key: unknown): string =>
  JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content: 'Say hello.' }], prompt_cache_key: key });

function sessionOf(key: unknown, tags: Partial<Tags> = {}): readonly string[] {
  const { sessionId, sessionPath, properties } = interpret({ request: bodyWith(key), tags });
  expect(properties.get('Svc-Session-Id') ?? '').toBe(sessionId);
  return [sessionId, sessionPath];
}

describe('a coding agent`s `prompt_cache_key` names the session where nothing else does', () => {
  test.each<[name: string, key: unknown, session: string, path?: string]>([
    ['an identifier alone, as Codex and pi write it', id, id],
    ['Qwen Code`s', `qwen-code:${id}`, id],
    ['Qwen Code`s, with a place', `qwen-code:${id}:fork/1`, id, '/fork%2F1'],
    ['OpenCode`s', opencode, opencode],
    ['Kilo`s, of the call that titles a session', `title-${opencode}`, opencode],
    ['a name of an application`s cache is none', 'support-bot-v3', ''],
    ['nor is one that holds an identifier somewhere', `tenant:${id}`, ''],
    ['nor an endless one', `qwen-code:${id}:${'x'.repeat(300)}`, ''],
    ['nor a number', 7, ''],
  ])('%s', (_name, key, session, path = '') => {
    expect(sessionOf(key)).toEqual([session, path]);
  });

  test('in a response`s call too', () => {
    const request = JSON.stringify({ model: 'echo-1', input: 'Say hello.', prompt_cache_key: id });
    expect(interpret({ open: { path: '/v1/responses' }, request }).sessionId).toBe(id);
  });

  test('a session of a header stands, and so does a path', () => {
    expect(sessionOf(id, { sessionId: 'ours' })).toEqual(['ours', '']);
    expect(sessionOf(id, { properties: [{ name: 'Svc-Session-Id', value: 'ours' }] })).toEqual(['ours', '']);
    expect(sessionOf(id, { sessionPath: '/ours' })).toEqual([id, '/ours']);
  });

  test('its bodies lie with those of the calls that name the session by a header', () => {
    const byHeader = interpret({ request: bodyWith('none'), tags: { sessionId: id } });
    expect(interpret({ request: bodyWith(id) }).bodyGroup).toBe(byHeader.bodyGroup);
  });

  test('without the setting it names none', () => {
    expect(interpret({ request: bodyWith(id), agentSessions: false }).sessionId).toBe('');
  });

  test('every form has a source', () => {
    for (const { source } of agentCacheKeys) expect(source).toMatch(/^https:\/\/github\.com\//);
  });
});

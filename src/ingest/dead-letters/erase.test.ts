import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Erasure } from '../../model/erasure.ts';
import { type ExchangeOpen, frameKinds } from '../../model/record/exchange.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { makeErasableLetters } from './erase.ts';

const organizationId = '00000000-0000-7000-8000-00000000000a' as OrganizationId;
const requestId = '00000000-0000-7000-8000-00000000000b' as RequestId;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-letters-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Puts a letter with this body there, of a call whose header names no user. @returns how many letters a user has. */
async function lettersOf(userId: string, body: string, said: Partial<ExchangeOpen> = {}): Promise<number> {
  const open = { version: 1, organizationId, requestId, openedAt: 1, headers: {}, tags: { properties: [] }, ...said };
  const frames = [
    { kind: frameKinds.open, stamp: 0, payload: Buffer.from(JSON.stringify(open)).toString('base64') },
    { kind: frameKinds.requestPart, stamp: 1, payload: Buffer.from(body).toString('base64') },
  ];
  const letter = [
    { organizationId, requestId },
    { frames, changes: [] },
  ].map((part) => JSON.stringify(part));
  writeFileSync(path.join(folder, '000000000001-0000000000000000.letter'), letter.join('\n'));
  const counts = { requests: 0, bodies: 0, cache_entries: 0, spool_records: 0, dead_letters: 0, blobs: 0 };
  const erasure: Erasure = { number: 1, organizationId, userId, erasedAt: 2, stage: 'ordered', counts };
  return makeErasableLetters(folder, async () => undefined).count(erasure);
}

describe("a body without a user in its header holds the user's name", () => {
  test.each([
    ['with its slashes escaped', 'team/ann', String.raw`{"user":"team\/ann"}`],
    ['with ASCII escaped, in upper case', 'ann+x@example.com', String.raw`{"user":"ann\u002Bx@example.com"}`],
    ['with ASCII escaped, in lower case', 'ann+x@example.com', String.raw`{"user":"ann\u002bx@example.com"}`],
    ['with a letter escaped, in upper case', 'rené', String.raw`{"user":"ren\u00E9"}`],
    ['with a letter escaped, in lower case', 'rené', String.raw`{"user":"ren\u00e9"}`],
    ['with every character escaped', 'ann', String.raw`{"user":"\u0061\u006e\u006E"}`],
    ['with a pair of surrogates escaped', 'ann🦊', String.raw`{"user":"ann\uD83E\udd8a"}`],
    ['with half a pair, which a record has as U+FFFD', 'ann\uFFFD', String.raw`{"user":"ann\ud83e"}`],
    ['with quotation marks and backslashes escaped otherwise', 'a"\\b', String.raw`{"user":"a\u0022\u005Cb"}`],
    ['with a line feed escaped otherwise', 'a\nb', String.raw`{"user":"a\u000Ab"}`],
    ['as it is', 'rené', '{"user":"rené"}'],
    ['in a body that breaks off before', 'team/ann', String.raw`{"messages":[{"content":"it\"s \ ,"x"}],"user":"team\/ann","n`],
    ['behind a text that ends with a backslash', 'team/ann', String.raw`{"path":"C:\\","user":"team\/ann"}`],
  ])('%s', async (_, userId, body) => {
    expect(await lettersOf(userId, body)).toBe(1);
  });
});

describe("a body of which members were replaced holds the user's name", () => {
  test.each([
    ['where it was replaced', 'ann', '{"user":"ann"}', { user: 'bob' }],
    ['where it stands in place of another', 'ann', '{"user":"bob"}', { user: 'ann' }],
    ['where what the caller sent is no JSON', 'ann', '{"user":', { user: 'ann' }],
  ])('%s', async (_, userId, body, bodyOverride) => {
    expect(await lettersOf(userId, body, { bodyOverride })).toBe(1);
    expect(await lettersOf('eve', body, { bodyOverride })).toBe(0);
  });
});

describe("a body does not hold the user's name", () => {
  test.each([
    ['where it is a part of a text', 'team/ann', String.raw`{"user":"team\/anna","content":"for team\/ann"}`],
    ['where what looks like an escape is a text about one', 'ann', String.raw`{"user":"\\u0061nn"}`],
    ['where the case is another', 'team/ann', String.raw`{"user":"team\/Ann"}`],
    ['where it stands in a text that is quoted in another', 'team/ann', String.raw`{"content":"{\"user\":\"team\/ann\"}"}`],
    ['where the escape is none', 'ann', String.raw`{"user":"\u00g1nn"}`],
    ['where there is no text at its end', 'team/ann', String.raw`{"user":"team\/ann`],
  ])('%s', async (_, userId, body) => {
    expect(await lettersOf(userId, body)).toBe(0);
  });
});

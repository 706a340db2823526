import { afterEach, describe, expect, it } from 'vitest';
import { readInTurn } from '../testing/gateway-harness.ts';
import { type CacheRig, startCacheRig } from '../testing/cache-harness.ts';
import { call, requestText } from '../testing/raw-http.ts';

const mebi = 1024 * 1024;
const maxBody = 16 * mebi - 1024;

const opened: CacheRig[] = [];
afterEach(async () => {
  for (const rig of opened.splice(0)) await rig.close();
});

/** @returns what became of two equal calls, how many stored responses are known as those of `ann`, and how many bodies were parsed. */
async function keptFor(body: string): Promise<readonly unknown[]> {
  let parsed = 0;
  const largeBodies: typeof readInTurn = {
    ...readInTurn,
    summaries: (...given) => {
      parsed += 1;
      return readInTurn.summaries(...given);
    },
  };
  const cached = await startCacheRig({ limits: { routeMaxBytes: 16 * mebi }, ports: { largeBodies } });
  opened.push(cached);
  cached.behave((_body, response) => void response.end('{}'));
  const text = requestText('POST /v1/chat/completions', ['Svc-Cache-Enabled: true'], body);
  const calls = [await call(cached.rig.port, text), await call(cached.rig.port, text)];
  const organization = cached.rig.spooled()[0]?.open.organizationId ?? '';
  return [calls.map(({ header }) => header('svc-cache')), cached.responses.count(organization, 'ann'), parsed];
}

function filled(start: string, piece: string, end: string): string {
  return start + piece.repeat(Math.floor((maxBody - start.length - end.length) / piece.length)) + end;
}

describe('the user of a large body is found for the cache without parsing all of it', () => {
  it.each([
    ['one text', filled('{"user":"ann","input":"', 'x', '"}')],
    ['very many objects, more than are parsed', filled('{"user":"ann","input":[', '{"a":1},', '0]}')],
    ['very deep lists', `{"user":"ann","input":${'['.repeat(maxBody / 2 - 20)}${']'.repeat(maxBody / 2 - 20)}}`],
    ['ten thousand members', `{"user":"ann"${Array.from({ length: 9000 }, (_none, at) => `,"k${at}":"${'x'.repeat(1700)}"`).join('')}}`],
    ['a name with an escape', filled(String.raw`{"us\u0065r":"ann","input":"`, 'x', '"}')],
    ['another member that names the user', filled('{"safety_identifier":"ann","input":"', 'x', '"}')],
  ])('%s', async (_what, body) => {
    expect(await keptFor(body)).toEqual([['MISS', 'HIT'], 1, 0]);
  });
});

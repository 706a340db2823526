import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runCommand } from '../command.ts';
import { ReaderLeft, systemDependencies } from '../base/dependencies.ts';

const eventAt = (position: number, id: string): string => `id: ${position}\nevent: request\ndata: {"request_id":"${id}"}\n\n`;

/** A service at which `stored` arrives on the stream while the last requests are asked for. */
async function serving(stored: readonly string[], earlier: readonly string[]) {
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('retry: 1000\n: live\nid: 10\n\n');
      return;
    }
    stored.forEach((id, index) => stream?.write(eventAt(11 + index, id)));
    const data = earlier.toReversed().map((id) => ({ request_id: id }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data, error: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function tail(words: readonly string[], address: string, write: (text: string) => void) {
  const hinted: string[] = [];
  const code = await runCommand(['requests', 'tail', '--json', ...words], {
    ...systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: 'sk-svc-us-x' }),
    untilInterrupted: () => new AbortController().signal,
    write: async (bytes) => write(Buffer.from(bytes).toString()),
    hint: (text) => hinted.push(text),
  });
  return { code, hinted };
}

test('a request that is stored between the opening of the stream and the look at the last ones comes once', async () => {
  const { address, close } = await serving(['r2', 'r3', 'r2 again'], ['r1', 'r2']);
  const ids: string[] = [];
  const outcome = await tail(['--last', '5', '--max', '4'], address, (text) => {
    ids.push((JSON.parse(text) as { readonly request_id: string }).request_id);
  });
  expect([outcome, ids]).toEqual([{ code: 0, hinted: [] }, ['r1', 'r2', 'r3', 'r2 again']]);
  await close();
});

test('it ends in silence when its reader has left, and with a sentence when its output cannot be written', async () => {
  const { address, close } = await serving([], ['r1']);
  const left = await tail(['--last', '1'], address, () => {
    throw new ReaderLeft('Standard output cannot be written (EPIPE).');
  });
  const full = await tail(['--last', '1'], address, () => {
    throw new Error('ENOSPC');
  });
  expect([left, full]).toEqual([
    { code: 0, hinted: [] },
    { code: 1, hinted: ['ENOSPC'] },
  ]);
  await close();
});

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { operatorSocket } from '../../config/data-paths.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import type { ReceivedTrace } from '../../otlp/tree/position.ts';
import { TraceSender } from './send-traces.ts';

const owner = { organizationId: 'org' as OrganizationId, keyId: 'key', permissions: 'admin' } as unknown as Principal;

/** A core that takes messages. @returns their texts as they come. */
async function listening(dataDir: string): Promise<readonly string[]> {
  const messages: string[] = [];
  const core = createServer((call, response) => {
    const parts: Buffer[] = [];
    call.on('data', (part: Buffer) => parts.push(part));
    call.on('end', () => {
      messages.push(Buffer.concat(parts).toString());
      response.end();
    });
  });
  const socket = operatorSocket(dataDir);
  mkdirSync(path.dirname(socket), { recursive: true });
  await new Promise<void>((resolve) => core.listen(socket, resolve));
  onTestFinished(() => void core.close());
  return messages;
}

function nodeNamed(spanId: string, level: string) {
  return { spanId, parentSpanId: '', level, sessionId: '', sessionName: '', userId: '' };
}

test.each([
  ['thousands of spans', 3000, 40],
  ['spans with long names', 60, 8000],
])('one trace of %s comes in messages that are short to read, and wholly', async (_, count, nameLength) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'traces-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const messages = await listening(dataDir);
  const nodes = Array.from({ length: count }, (__, index) => nodeNamed(`span-${index}`, 'x'.repeat(nameLength)));
  const requests = nodes.map(({ spanId }) => ({
    spanId,
    requestId: spanId as RequestId,
    sessionId: '',
    sessionPath: '/',
    isRooted: false,
  }));
  const sender = new TraceSender(dataDir, () => undefined);
  onTestFinished(() => sender.close());
  sender.note(owner, [{ traceId: 'trace', nodes, requests }]);
  const taken = (): readonly ReceivedTrace[] =>
    messages.flatMap((message) => (JSON.parse(message) as { noted: { traces: ReceivedTrace[] }[] }).noted.flatMap(({ traces }) => traces));
  await vi.waitFor(() => expect(taken().flatMap((trace) => trace.requests)).toEqual(requests), 20_000);
  expect(taken().flatMap((trace) => trace.nodes)).toEqual(nodes);
  expect(taken().every(({ traceId }) => traceId === 'trace')).toBe(true);
  expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(80 * 1024);
});

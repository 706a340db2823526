import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/model/text.ts';
import { collect } from '../byte-provider.ts';

/** Claude Code, and a provider of its own that answers each question with the usage that it is told. */
export interface CostOfClaudeCode {
  /** The `total_cost_usd` that Claude Code prints for one call with this usage; undefined without one. */
  readonly costOf: (model: string, usage: JsonObject) => Promise<number | undefined>;
  readonly close: () => Promise<void>;
}

const runMs = 60_000;

/** @param program the native program of the package. */
export async function startClaudeCode(program: string): Promise<CostOfClaudeCode> {
  let usage: JsonObject = {};
  const server = createServer((request, response) => {
    void collect(request).then((bytes) => {
      const body = parseJson(bytes.toString('utf8'));
      if (request.url?.startsWith('/v1/messages') !== true || !isJsonObject(body)) {
        response.writeHead(404).end('{}');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of eventsOf(String(body['model']), usage)) {
        response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    costOf: async (model, told) => {
      usage = told;
      const answer = parseJson(await outputOf(program, model, origin));
      const cost = isJsonObject(answer) ? answer['total_cost_usd'] : undefined;
      return typeof cost === 'number' ? cost : undefined;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function eventsOf(model: string, usage: JsonObject): readonly JsonObject[] {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
  return [
    { type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

async function outputOf(program: string, model: string, origin: string): Promise<string> {
  const home = mkdtempSync(path.join(tmpdir(), 'gatelog-prices-home-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: 'key-of-nobody',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  const child = spawn(program, ['-p', 'hi', '--model', model, '--output-format', 'json'], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), runMs);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    const output = await textOf(child.stdout);
    await ended;
    return output;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

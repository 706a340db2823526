import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { wireFormatFor } from '../../src/providers/registry.ts';
import { readServerSentEvents } from '../../src/providers/format/sse.ts';
import { collect } from './byte-provider.ts';

/** A call as it reached the provider. */
export interface RecordedCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A provider on loopback that answers every official client in its wire format with recorded responses. */
export interface RecordedProvider {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  readonly calls: RecordedCall[];
  readonly close: () => Promise<void>;
}

interface Recording {
  /** A part of the path that is unique to this format. */
  readonly within: string;
  readonly provider: string;
  /** Prefix of the names of its recordings. */
  readonly name: string;
  /** Suffix of the recorded stream with tool calls; its JSON form is assembled from that stream. */
  readonly tools?: string;
}

const recordings: readonly Recording[] = [
  { within: '/chat/completions', provider: 'openai', name: 'openai/__fixtures__/chat', tools: '-stream-tools.sse' },
  { within: '/responses', provider: 'openai', name: 'openai/__fixtures__/responses' },
  { within: '/embeddings', provider: 'openai', name: 'openai/__fixtures__/embeddings' },
  { within: '/images/', provider: 'openai', name: 'openai/__fixtures__/images' },
  { within: '/audio/transcriptions', provider: 'openai', name: 'openai/__fixtures__/transcriptions' },
  { within: '/messages', provider: 'anthropic', name: 'anthropic/__fixtures__/messages', tools: '-stream-tools.sse' },
  { within: '/interactions', provider: 'gemini', name: 'google/__fixtures__/interactions' },
  { within: 'enerateContent', provider: 'gemini', name: 'google/__fixtures__/generate', tools: '-stream-tools.sse' },
];

/** Lists without entries. */
const lists = /\/(?:files|batches|models)(?:\?|$)/;

/** @param hasFreshIds gives each response an identifier of its own, as providers do; else it is that of the recording. */
export async function startRecordedProvider(hasFreshIds = false): Promise<RecordedProvider> {
  const calls: RecordedCall[] = [];
  const server = createServer((request, response) => {
    void collect(request).then(async (body) => {
      const call = { path: request.url ?? '', headers: request.headers, text: body.toString('utf8') };
      calls.push(call);
      await answer(call, response, hasFreshIds ? `Fresh${calls.length}` : undefined);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function answer({ path: calledPath, text }: RecordedCall, response: ServerResponse, freshId: string | undefined): Promise<void> {
  const recording = recordings.find(({ within }) => calledPath.includes(within));
  if (recording === undefined) {
    if (lists.test(calledPath)) response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"object":"list"}');
    else response.writeHead(404).end();
    return;
  }
  const { name, tools, provider } = recording;
  const withTools = tools !== undefined && /"tools":\s*\[\s*\{/.test(text);
  if (/"model":\s*"no-such-model"/.test(text)) {
    response.writeHead(404, { 'content-type': 'application/json' }).end(read(`${name}-error.json`));
    return;
  }
  const streamed = /"stream":\s*true/.test(text) || calledPath.includes('streamGenerateContent');
  if (!streamed) {
    const format = wireFormatFor(provider, calledPath);
    const body = withTools
      ? JSON.stringify(format?.assembleStream(readServerSentEvents([read(name + tools)])).body)
      : read(`${name}-response.json`).toString('utf8');
    response.writeHead(200, { 'content-type': 'application/json' }).end(withId(body, freshId));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = read(withTools ? name + tools : `${name}-response.sse`).toString('utf8');
  for (const event of events.split(/(?<=\r?\n\r?\n)/)) {
    response.write(withId(event, freshId));
    await turn();
  }
  response.end();
}

function withId(text: string, freshId: string | undefined): string {
  return freshId === undefined ? text : text.replaceAll(/"(chatcmpl-|msg_|resp_)\w+"/g, `"$1${freshId}"`);
}

function read(name: string): Buffer {
  return readFileSync(path.resolve('src/providers', name));
}

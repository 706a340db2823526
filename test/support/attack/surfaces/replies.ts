import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { listening, type Receiver } from '../receiver.ts';
import { type Answered, lanes, type Surface, type Target } from '../surface.ts';

const slowCalls = 400;
const bombCalls = 24;
const mebibyte = 1024 * 1024;
const everyMs = 1000;

/** Replies whose bytes come one by one, and that are held, as a fallback could follow. */
export const slowReplies: Surface = {
  name: 'slow-replies',
  words: `${slowCalls} calls to providers that send a byte a second: of the head, of comments before the first event, of JSON, of gzip; most of them with fallbacks, so that the reply is held`,
  attack: async (target) => {
    const provider = await slowProvider();
    const hanging = await slowHeads();
    await lanes(target, slowCalls, (_turn, lane) => {
      const port = lane % 4 === 0 ? hanging.port : provider.port;
      const fallbacks = Array.from({ length: 8 }, () => ({ target_url: `http://localhost:${port}/v1` }));
      return call(target, port, `/${lane % 4}`, lane % 8 < 6 ? { 'svc-fallbacks': JSON.stringify(fallbacks) } : {});
    });
    provider.close();
    hanging.close();
  },
};

/** Replies that are small as they come and large once they are unpacked. */
export const packedReplies: Surface = {
  name: 'packed-replies',
  words: `${bombCalls} calls at once whose replies are 64 MiB of zeros, of spaces in JSON, of empty lines and of comments in gzip and brotli, some held for fallbacks, some cached`,
  attack: async (target) => {
    const replies = bombs();
    const provider = await listening(
      createServer((incoming, response) => {
        incoming.resume();
        const reply = replies[Number(incoming.url?.slice('/v1/chat/'.length).split('/', 1)[0]) % replies.length];
        response.writeHead(200, { 'content-type': reply?.type ?? '', 'content-encoding': reply?.coding ?? '' }).end(reply?.body);
      }),
    );
    await lanes(target, bombCalls, (turn, lane) => {
      const fallbacks = JSON.stringify([{ target_url: `http://localhost:${provider.port}/v1` }]);
      const headers = [{}, { 'svc-fallbacks': fallbacks }, { 'svc-cache-enabled': 'true' }][turn % 3] ?? {};
      return call(target, provider.port, `/chat/${turn + lane}`, headers);
    });
    provider.close();
  },
};

function call(target: Target, port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Answered> {
  return target.send({
    method: 'POST',
    url: `${target.gateway}/v1${path}`,
    body: `{"model":"m","messages":[{"role":"user","content":"${Math.random()}"}]}`,
    headers: { 'svc-target-url': `http://localhost:${port}/v1`, ...headers },
  });
}

function bombs(): readonly { readonly type: string; readonly coding: string; readonly body: Buffer }[] {
  const size = 64 * mebibyte;
  const fillings = [
    ['application/json', '{"choices":[{"message":{"content":"', '0', '"}}]}'],
    ['application/json', '{"a":', ' ', '1}'],
    ['text/event-stream', '', '\n', 'data: [DONE]\n\n'],
    ['text/event-stream', '', ': waiting\n\n', 'data: [DONE]\n\n'],
  ] as const;
  return fillings.flatMap(([type, begin, filling, end]) => {
    const body = Buffer.concat([Buffer.from(begin), Buffer.alloc(size, filling), Buffer.from(end)]);
    return [
      { type, coding: 'gzip', body: gzipSync(body, { level: 1 }) },
      { type, coding: 'br', body: brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) },
    ];
  });
}

/** A beginning that unpacks to half a megabyte. */
const packedStart = gzipSync(Buffer.alloc(512 * 1024, ': \n\n'));

const slowTexts: readonly (readonly [type: string, coding: string | undefined, text: (index: number) => Buffer])[] = [
  ['text/event-stream', undefined, () => Buffer.from(':')],
  ['text/event-stream', undefined, (index) => Buffer.from('data: {"a":'.padEnd(20, ' ').charAt(index % 20))],
  ['application/json', undefined, (index) => Buffer.from(index === 0 ? '{' : ' ')],
  ['text/event-stream', 'gzip', (index) => packedStart.subarray(index % packedStart.length, (index % packedStart.length) + 1)],
];

async function slowProvider(): Promise<Receiver> {
  return listening(
    createServer((incoming, response) => {
      incoming.resume();
      drip(incoming, response);
    }),
  );
}

function drip({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [type, coding, text] = slowTexts[Number(url.at(-1)) % slowTexts.length] ?? slowTexts[0] ?? ['', undefined, () => Buffer.alloc(0)];
  response.writeHead(200, { 'content-type': type, ...(coding === undefined ? {} : { 'content-encoding': coding }) });
  let index = 0;
  const timer = setInterval(() => {
    response.write(text(index));
    index += 1;
  }, everyMs);
  response.once('close', () => clearInterval(timer));
}

/** The head of the reply comes a byte a second. */
async function slowHeads(): Promise<Receiver> {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    let index = 0;
    const timer = setInterval(() => {
      socket.write(head.charAt(index % head.length));
      index += 1;
    }, everyMs);
    socket.on('error', () => undefined).on('data', () => undefined);
    socket.once('close', () => {
      clearInterval(timer);
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

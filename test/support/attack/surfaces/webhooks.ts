import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { dearFilters, lanes, post, sendLargeRecords, type Surface, type Target } from '../surface.ts';
import { listening, type Receiver } from '../receiver.ts';
import { sentTo, spanBody } from './spans.ts';

const slowMs = 25_000;
const interimEveryMs = 2;
const webhookCount = 100;

export const webhooks: Surface = {
  name: 'webhooks',
  words:
    'a hundred webhooks: receivers that take 25 s, that send interim responses without end, that answer with 100 MB, and filters that have much to do; meanwhile thousands of spans and records of a megabyte',
  attack: async (target) => {
    const receivers = [await slowReceiver(), await interimReceiver(), await largeReceiver()];
    const ids = await createAll(
      target,
      receivers.map(({ port }) => port),
    );
    const body = spanBody(1000, () => ({}));
    await lanes(target, 2, async (turn, lane) => {
      if (lane === 0) await target.send(sentTo(target, { body: turn % 10 === 0 ? spanBody(1000, () => ({})) : body }));
      else await sendLargeRecords(target);
    });
    for (const id of ids) await target.send({ method: 'DELETE', url: `${target.api}/v1/webhooks/${id}`, isClearing: true });
    for (const { close } of receivers) close();
  },
};

async function createAll(target: Target, ports: readonly number[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < webhookCount && !target.signal.aborted; number += 1) {
    const filter = number % 4 === 3 ? { filter: dearFilters[number % dearFilters.length] } : {};
    const destination = `http://localhost:${ports[number % ports.length]}/${number}`;
    const { text } = await post(target, `${target.api}/v1/webhooks`, { destination, config: filter });
    const id = /"id":"([\w-]+)"/.exec(text)?.[1];
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

async function slowReceiver(): Promise<Receiver> {
  return listening(
    createServer((incoming, response) => {
      incoming.resume();
      const timer = setTimeout(() => response.end(), slowMs);
      response.once('close', () => clearTimeout(timer));
    }),
  );
}

async function largeReceiver(): Promise<Receiver> {
  const piece = Buffer.alloc(64 * 1024, 'x');
  return listening(
    createServer((incoming, response) => {
      incoming.resume();
      const write = (): void => {
        for (let number = 0; number < 1600 && !response.destroyed; number += 1) {
          if (!response.write(piece)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    }),
  );
}

async function interimReceiver(): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'), interimEveryMs);
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

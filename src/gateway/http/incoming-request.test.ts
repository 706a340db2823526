import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { IncomingRequest } from './incoming-request.ts';
import { closeServer, listen, openClient, type RawClient, until } from '../testing/raw-http.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

type Handle = (request: IncomingRequest, response: ServerResponse) => void;

async function serve(handle: Handle): Promise<RawClient> {
  const server: Server = createServer({ IncomingMessage: IncomingRequest }, handle);
  const port = await listen(server);
  const client = await openClient(port);
  opened.push(
    () => client.socket.destroy(),
    () => closeServer(server),
  );
  return client;
}

/** Answers with what it was given, chunk by chunk; `|` stands for the end. */
const tellChunks: Handle = (request, response) => {
  let told = '';
  request.readChunks((chunk) => {
    told += chunk === null ? '|' : `[${chunk.toString('latin1')}]`;
    if (chunk === null) response.end(told);
  });
};

/** The request that Node's parser holds for a connection. */
function incomingOf(socket: object | undefined): unknown {
  const parser: unknown = Reflect.get(socket ?? {}, 'parser');
  return parser instanceof Object ? Reflect.get(parser, 'incoming') : undefined;
}

const headOf = (length: number): string => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

describe('a request whose body is taken without a stream', () => {
  it('gives every chunk as it comes, then the end', async () => {
    const client = await serve(tellChunks);
    client.send(`${headOf(6)}abc`);
    client.send('def');
    await client.until('|');
    expect(client.text().replaceAll('][', '')).toContain('[abcdef]|');
  });

  it('gives the chunks of a chunked body, and the next request of the connection is its own', async () => {
    const client = await serve(tellChunks);
    const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n';
    client.send(`${chunked}${headOf(1)}z`);
    await client.until('[z]|');
    expect(client.text()).toContain('[ab][cde]|');
  });

  it('gives what came before anybody asked', async () => {
    const client = await serve((request, response) => {
      request.once('readable', () => tellChunks(request, response));
    });
    client.send(`${headOf(6)}abcdef`);
    await client.until('[abcdef]|');
    expect(client.text()).toContain('[abcdef]|');
  });

  it('leaves the rest to the stream, which flows when somebody wants it', async () => {
    const waiting: (() => void)[] = [];
    const client = await serve((request, response) => {
      request.readChunks(() => {
        request.switchToStream();
        waiting.push(() => {
          const rest: Buffer[] = [];
          request.on('data', (chunk: Buffer) => rest.push(chunk));
          request.once('end', () => response.end(`rest ${Buffer.concat(rest).toString('latin1')}.`));
          request.resume();
        });
        response.writeProcessing();
      });
    });
    client.send(`${headOf(6)}abc`);
    await client.until('102');
    client.send('def');
    waiting[0]?.();
    await client.until('rest ');
    expect(client.text()).toContain('rest def.');
  });

  it('says the end when the client leaves in the middle', async () => {
    const taken: (string | null)[] = [];
    const gone = new Promise<void>((resolve) => {
      void serve((request) => {
        request.readChunks((chunk) => {
          taken.push(chunk === null ? null : chunk.toString('latin1'));
          if (chunk === null) resolve();
        });
        request.socket.destroySoon();
      }).then((client) => client.send(`${headOf(6)}abc`));
    });
    await gone;
    expect(taken.at(-1)).toBeNull();
  });

  it('is forgotten by its connection once it is answered', async () => {
    const sockets: object[] = [];
    const client = await serve((request, response) => {
      sockets.push(request.socket);
      tellChunks(request, response);
    });
    client.send(`${headOf(1)}a`);
    await client.until('[a]|');
    await until(() => incomingOf(sockets[0]) === null);
    expect(incomingOf(sockets[0])).toBeNull();
  });

  it('was never a stream: nothing flowed and nobody resumed it', async () => {
    let flowing: unknown;
    const client = await serve((request, response) => {
      response.once('close', () => (flowing = request.readableFlowing));
      tellChunks(request, response);
    });
    client.send(`${headOf(1)}a`);
    await client.until('[a]|');
    client.send(`${headOf(1)}b`);
    await client.until('[b]|');
    expect(flowing).toBeNull();
  });
});

import net, { type AddressInfo, type LookupFunction, type Server, type Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { selfSigned } from '../testing/self-signed.ts';
import { type ConnectorOptions, makeConnector } from './connector.ts';

const certificate = selfSigned('provider.test');
const opened: { readonly server: Server; readonly sockets: Socket[] }[] = [];

afterEach(() => {
  for (const { server, sockets } of opened.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

const toLoopback: LookupFunction = (_host, options, callback) => {
  if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

const blocked: LookupFunction = (_host, _options, callback) => callback(Object.assign(new Error('blocked'), { code: 'EBLOCKED' }), '');

async function listen(server: Server): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
  server.on('secureConnection', (socket: TLSSocket) => sockets.push(socket.on('error', () => undefined)));
  opened.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** What a TLS server saw of each connection; it sends one byte over each. */
interface TlsServer {
  readonly port: number;
  readonly seen: { readonly serverName: unknown; readonly protocol: unknown; readonly resumed: boolean }[];
}

async function tlsServer(): Promise<TlsServer> {
  const seen: TlsServer['seen'] = [];
  const server = tls.createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    seen.push({ serverName: socket.servername, protocol: socket.alpnProtocol, resumed: socket.isSessionReused() });
    socket.write('x');
  });
  return { port: await listen(server), seen };
}

/** What came of opening a connection: a byte that was read over it, or its error. */
type Outcome = { readonly read: string; readonly socket: Socket } | { readonly error: unknown };

/** A connector, and what comes of one connection that it opens. */
function connecting(origin: string, options: Partial<ConnectorOptions> = {}): () => Promise<Outcome> {
  const buffer = Buffer.alloc(16);
  let resolve: (outcome: Outcome) => void;
  let socket: Socket | null = null;
  const callback = (bytes: number): boolean => {
    if (socket !== null) resolve({ read: buffer.toString('latin1', 0, bytes), socket });
    return true;
  };
  const connect = makeConnector(origin, {
    timeoutMs: 60_000,
    lookup: toLoopback,
    onread: { buffer, callback },
    ca: certificate.cert,
    ...options,
  });
  return () =>
    new Promise((settled) => {
      resolve = settled;
      connect((error, connected) => {
        socket = connected;
        if (error !== null) settled({ error });
      });
    });
}

it('a TLS connection names its host, speaks HTTP/1.1 alone, is read through onread, and the next one resumes its session', async () => {
  const { port, seen } = await tlsServer();
  const connect = connecting(`https://provider.test:${port}`);
  expect(await connect()).toMatchObject({ read: 'x' });
  expect(seen).toEqual([{ serverName: 'provider.test', protocol: 'http/1.1', resumed: false }]);
  // The session comes behind the handshake, and may come behind the byte.
  while (seen.at(-1)?.resumed !== true) await connect();
});

it('an address is no server name, and its certificate counts', async () => {
  const { port, seen } = await tlsServer();
  expect(await connecting(`https://127.0.0.1:${port}`)()).toMatchObject({ read: 'x' });
  expect(seen).toEqual([{ serverName: false, protocol: 'http/1.1', resumed: false }]);
});

it.each([
  ['of another host', 'other.test', {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['that nobody trusts', 'provider.test', { ca: undefined }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
])('a certificate %s opens nothing', async (_name, host, options, code) => {
  const { port } = await tlsServer();
  expect(await connecting(`https://${host}:${port}`, options)()).toMatchObject({ error: { code } });
});

it.each(['https:', 'http:'])('a failed look-up of a name opens nothing (%s)', async (protocol) => {
  expect(await connecting(`${protocol}//provider.test:1`, { lookup: blocked })()).toMatchObject({ error: { code: 'EBLOCKED' } });
});

it('a peer that takes the connection and is silent within the handshake is given up', async () => {
  const port = await listen(net.createServer());
  expect(await connecting(`https://provider.test:${port}`, { timeoutMs: 50 })()).toMatchObject({ error: { code: 'ETIMEDOUT' } });
});

it('a connection without TLS is read through onread, and outlives the time for opening it', async () => {
  const port = await listen(net.createServer((socket) => socket.write('x')));
  const outcome = await connecting(`http://provider.test:${port}`, { timeoutMs: 50 })();
  expect(outcome).toMatchObject({ read: 'x' });
  // A connection that was begun later, and given up, has used up its time.
  const silent = await listen(net.createServer());
  await connecting(`https://provider.test:${silent}`, { timeoutMs: 50 })();
  expect('socket' in outcome && outcome.socket.destroyed).toBe(false);
});

import net, { type LookupFunction, type OnReadOpts, type Socket } from 'node:net';
import tls from 'node:tls';

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Resolves the host's name; default: Node's lookup. */
  readonly lookup?: LookupFunction | undefined;
  /** Receives the bytes instead of `data` events. */
  readonly onread: OnReadOpts;
  /** Trusted certificates instead of Node's own. */
  readonly ca?: string | undefined;
}

/** Calls back once: with a writable socket, encrypted for an `https:` origin, or with the error. */
export type Connect = (connected: (error: Error | null, socket: Socket | null) => void) => void;

/** An idle connection is probed after this time. */
const keepAliveProbeMs = 60_000;
const plainHighWaterMark = 64 * 1024;
/** The size of a TLS record. */
const tlsHighWaterMark = 16 * 1024;

/** Opens connections to one origin. A new TLS connection resumes the latest session. */
export function makeConnector(origin: string, { timeoutMs, lookup, onread, ca }: ConnectorOptions): Connect {
  const { protocol, hostname, port } = new URL(origin);
  const isEncrypted = protocol === 'https:';
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const target = { host, port: Number(port === '' ? (isEncrypted ? 443 : 80) : port), onread, ...(lookup === undefined ? {} : { lookup }) };
  // TRICKY: `tls` passes options that it does not know, such as `onread`, on to `net`; its types omit them.
  const tlsTarget = {
    ...target,
    highWaterMark: tlsHighWaterMark,
    ALPNProtocols: ['http/1.1'],
    // RFC 6066 §3: an IP address is not a server name.
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  let session: Buffer | undefined;
  const open = (): Socket => {
    if (!isEncrypted) return net.connect({ ...target, highWaterMark: plainHighWaterMark } as net.TcpNetConnectOpts);
    const socket = tls.connect({ ...tlsTarget, ...(session === undefined ? {} : { session }) });
    return socket.on('session', (latest) => (session = latest));
  };
  return (connected) => {
    const socket = open();
    socket.setKeepAlive(true, keepAliveProbeMs).setNoDelay(true);
    let isSettled = false;
    const settle = (error: Error | null): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      connected(error, error === null ? socket : null);
    };
    const timer = setTimeout(() => socket.destroy(new ConnectTimeoutError()), timeoutMs);
    // The error listener stays, because an unhandled error event ends the process.
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => settle(null)).on('error', settle);
  };
}

class ConnectTimeoutError extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('the connection to the provider could not be opened in time');
    this.name = 'ConnectTimeoutError';
  }
}

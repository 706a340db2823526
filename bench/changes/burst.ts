import { connect, type Socket } from 'node:net';
import { HttpMessageReader } from '../load/http-message-reader.ts';

/** One response of a burst. */
export interface Response {
  readonly status: number;
  /** From sending the request to the last byte of the response. */
  readonly ms: number;
}

/** Requests to one address with one key. */
export interface Call {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Keep-alive connections that send one request each at the same moment. They use little CPU, because the service is measured and not its
 * client.
 */
export class BurstGate {
  private readonly port: number;
  private readonly head: string;
  private connections: readonly BurstConnection[] = [];

  constructor(port: number, key: string) {
    this.port = port;
    this.head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n`;
  }

  /** Sends all calls at once, each over its own connection. Connections that are closed or were idle for too long are opened first. */
  async send(calls: readonly Call[]): Promise<readonly Response[]> {
    const requests = calls.map((call) => this.bytesOf(call));
    const connections = await Promise.all(calls.map((_, index) => this.open(index)));
    this.connections = connections;
    return Promise.all(connections.map((connection, index) => connection.send(requests[index] ?? Buffer.alloc(0))));
  }

  private open(index: number): Promise<BurstConnection> {
    const known = this.connections[index];
    return known === undefined || known.isClosed ? BurstConnection.open(this.port) : Promise.resolve(known);
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }

  private bytesOf({ method, path, body }: Call): Buffer {
    const text = body === undefined ? '' : JSON.stringify(body);
    const framing = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${this.head}${framing}\r\n${text}`);
  }
}

interface Sent {
  readonly at: number;
  readonly resolve: (response: Response) => void;
  readonly reject: (cause: Error) => void;
}

class BurstConnection {
  private readonly socket: Socket;
  private status = 0;
  private sent: Sent | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    const reader = new HttpMessageReader(
      {
        onHead: (head) => {
          this.status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
        },
        onBody: () => undefined,
        onEnd: () => this.end(),
      },
      'until-close',
    );
    socket.on('data', (bytes) => reader.push(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => this.sent?.reject(new Error('The service closed a connection before its reply was whole.')));
  }

  static open(port: number): Promise<BurstConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('connect', () => resolve(new BurstConnection(socket)));
      socket.once('error', reject);
    });
  }

  get isClosed(): boolean {
    return this.socket.destroyed || !this.socket.writable;
  }

  send(bytes: Buffer): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.sent = { at: performance.now(), resolve, reject };
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private end(): void {
    const sent = this.sent;
    this.sent = undefined;
    sent?.resolve({ status: this.status, ms: performance.now() - sent.at });
  }
}

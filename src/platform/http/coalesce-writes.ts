import type { Socket } from 'node:net';

/** Writes up to this size are coalesced. A slow client pins one such buffer until it has read it. */
const memoryBytes = 16 * 1024;
/** The shared buffer. The system usually takes its bytes at once; otherwise a new one replaces it. */
let memory = Buffer.allocUnsafeSlow(memoryBytes);

/** Node's name for raw bytes, missing from its types. */
const bytesEncoding = 'buffer' as BufferEncoding;

type Pieces = Parameters<NonNullable<Socket['_writev']>>[0];

/**
 * Writes a small request in one piece: a Latin-1 text, then its body. @param socket unencrypted, since a TLS socket reads the bytes later.
 * @returns false, with nothing written, for a request that is not small.
 */
export function writeCoalesced(socket: Socket, text: string, body: Uint8Array): boolean {
  const length = text.length + body.length;
  if (length > memoryBytes) return false;
  memory.write(text, 0, 'latin1');
  memory.set(body, text.length);
  socket.write(memory.subarray(0, length));
  if (socket.writableLength > 0) memory = Buffer.allocUnsafeSlow(memoryBytes);
  return true;
}

/**
 * Sends Node's small pieces in one write: a head, its body and an empty piece, or the four pieces of each chunk of a stream. `writev`
 * would allocate a list per write; concatenation with the head as text would copy a body twice more, into garbage.
 */
export function coalesceWritev(socket: Socket): void {
  const writev = socket._writev?.bind(socket);
  if (writev === undefined) return;
  socket._writev = (pieces, callback) => {
    const length = join(pieces);
    if (length === undefined) {
      writev(pieces, callback);
      return;
    }
    let isTaken = false;
    socket._write(memory.subarray(0, length), bytesEncoding, (error) => {
      isTaken = true;
      callback(error);
    });
    if (!isTaken) memory = Buffer.allocUnsafeSlow(memoryBytes);
  };
}

/** @returns the length; undefined when the pieces do not fit. */
function join(pieces: Pieces): number | undefined {
  let at = 0;
  for (const { chunk, encoding } of pieces as readonly { readonly chunk: unknown; readonly encoding: BufferEncoding }[]) {
    if (typeof chunk === 'string') {
      const maxBytes = encoding === 'latin1' ? chunk.length : 3 * chunk.length;
      if (at + maxBytes > memoryBytes) return undefined;
      at += memory.write(chunk, at, encoding);
    } else {
      if (!(chunk instanceof Uint8Array) || at + chunk.length > memoryBytes) return undefined;
      memory.set(chunk, at);
      at += chunk.length;
    }
  }
  return at;
}

import type { Socket } from 'node:net';

/** Pieces of up to so many bytes in all go out in one. A connection whose client is slow keeps that much for what it has yet to take, however little that is. */
const memoryBytes = 16 * 1024;
/** Where pieces are put together. It is free again once the system took them, which it nearly always does at once. */
let memory = Buffer.allocUnsafeSlow(memoryBytes);

/** What Node calls the encoding of bytes, and its types do not. */
const bytesEncoding = 'buffer' as BufferEncoding;

type Pieces = Parameters<NonNullable<Socket['_writev']>>[0];

/**
 * Writes a small request in one piece: a text of bytes as Latin-1, then its body.
 * @param socket not encrypted: what such a one is given it writes later.
 * @returns false, with nothing written, for what is not small.
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
 * Has what Node hands to a client's connection in several small pieces go out in one: a head with its body and an empty piece behind them, or the four
 * of each chunk of a stream. By `writev` they would be a list that is made and freed each time; as one text with its head a body would be copied
 * twice more, into memory that is garbage then.
 */
export function coalesceWritev(socket: Socket): void {
  const writev = socket._writev?.bind(socket);
  if (writev === undefined) return;
  socket._writev = (pieces, written) => {
    const length = join(pieces);
    if (length === undefined) {
      writev(pieces, written);
      return;
    }
    let isTaken = false;
    socket._write(memory.subarray(0, length), bytesEncoding, (error) => {
      isTaken = true;
      written(error);
    });
    if (!isTaken) memory = Buffer.allocUnsafeSlow(memoryBytes);
  };
}

/** Puts pieces together. @returns their bytes; undefined for more than there is room for. */
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

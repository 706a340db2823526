import type { Socket } from 'node:net';

/**
 * Has a whole reply go out in one `write`. Node hands it to the connection as two pieces, the reply and an empty one behind it, which would go out
 * by `writev`: a list to make and to free, for nothing.
 */
export function writeWholeReplies(socket: Socket): void {
  const writev = socket._writev?.bind(socket);
  if (writev === undefined) return;
  socket._writev = (pieces, written) => {
    const [reply, behind] = pieces;
    if (reply !== undefined && behind?.chunk === '' && pieces.length === 2) socket._write(reply.chunk, reply.encoding, written);
    else writev(pieces, written);
  };
}

import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Called once; without an error when the whole body has been written. */
export type BodyEnd = (error: Error | undefined) => void;

/**
 * Writes a streamed body to a connection, with back-pressure: exactly the announced length, else in chunks. It reads the body to its end
 * or destroys it.
 */
export class BodyWriter {
  private readonly socket: Socket;
  private readonly body: Readable;
  private readonly contentLength: number | undefined;
  private readonly done: BodyEnd;
  private bytes = 0;
  private hasEnded = false;

  constructor(socket: Socket, body: Readable, contentLength: number | undefined, done: BodyEnd) {
    this.socket = socket;
    this.body = body;
    this.contentLength = contentLength;
    this.done = done;
    body.on('error', this.fail).once('close', this.onClose).once('end', this.finish).on('data', this.write);
  }

  /** The rest of the body is not needed. */
  stop(): void {
    if (this.hasEnded) return;
    this.release();
    this.body.destroy();
  }

  private readonly write = (chunk: Buffer): void => {
    const { socket, contentLength } = this;
    this.bytes += chunk.length;
    if (chunk.length === 0) return;
    if (contentLength !== undefined) {
      if (this.bytes > contentLength) this.fail(new Error('the body is longer than its Content-Length'));
      else if (!socket.write(chunk)) this.pause();
      return;
    }
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    socket.write(chunk);
    const isDrained = socket.write('\r\n', 'latin1');
    socket.uncork();
    if (!isDrained) this.pause();
  };

  private pause(): void {
    this.body.pause();
    this.socket.once('drain', this.resume);
  }

  private readonly resume = (): void => {
    if (!this.hasEnded) this.body.resume();
  };

  private readonly finish = (): void => {
    const { contentLength, bytes } = this;
    if (contentLength !== undefined && bytes !== contentLength) {
      this.fail(new Error('the body is shorter than its Content-Length'));
      return;
    }
    if (contentLength === undefined) this.socket.write('0\r\n\r\n', 'latin1');
    this.release();
    this.done(undefined);
  };

  private readonly onClose = (): void => {
    this.fail(this.body.errored ?? new Error('the body broke off'));
  };

  private readonly fail = (error: Error): void => {
    if (this.hasEnded) return;
    this.stop();
    this.done(error);
  };

  private release(): void {
    this.hasEnded = true;
    this.socket.off('drain', this.resume);
    this.body.off('data', this.write).off('end', this.finish).off('close', this.onClose);
    // TRICKY: the error listener stays, because an unhandled error event ends the process.
  }
}

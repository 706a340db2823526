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
  private readonly announced: number | undefined;
  private readonly ended: BodyEnd;
  private bytes = 0;
  private isOver = false;

  constructor(socket: Socket, body: Readable, announced: number | undefined, ended: BodyEnd) {
    this.socket = socket;
    this.body = body;
    this.announced = announced;
    this.ended = ended;
    body.on('error', this.fail).once('close', this.closed).once('end', this.finish).on('data', this.pass);
  }

  /** The rest of the body is not needed. */
  stop(): void {
    if (this.isOver) return;
    this.release();
    this.body.destroy();
  }

  private readonly pass = (chunk: Buffer): void => {
    const { socket, announced } = this;
    this.bytes += chunk.length;
    if (chunk.length === 0) return;
    if (announced !== undefined) {
      if (this.bytes > announced) this.fail(new Error('the body is longer than its Content-Length'));
      else if (!socket.write(chunk)) this.hold();
      return;
    }
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    socket.write(chunk);
    const isDrained = socket.write('\r\n', 'latin1');
    socket.uncork();
    if (!isDrained) this.hold();
  };

  private hold(): void {
    this.body.pause();
    this.socket.once('drain', this.goOn);
  }

  private readonly goOn = (): void => {
    if (!this.isOver) this.body.resume();
  };

  private readonly finish = (): void => {
    const { announced, bytes } = this;
    if (announced !== undefined && bytes !== announced) {
      this.fail(new Error('the body is shorter than its Content-Length'));
      return;
    }
    if (announced === undefined) this.socket.write('0\r\n\r\n', 'latin1');
    this.release();
    this.ended(undefined);
  };

  private readonly closed = (): void => {
    this.fail(this.body.errored ?? new Error('the body broke off'));
  };

  private readonly fail = (error: Error): void => {
    if (this.isOver) return;
    this.stop();
    this.ended(error);
  };

  private release(): void {
    this.isOver = true;
    this.socket.off('drain', this.goOn);
    this.body.off('data', this.pass).off('end', this.finish).off('close', this.closed);
    // TRICKY: the error listener stays, because an unhandled error event ends the process.
  }
}

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bodyTooLarge } from './request-body.ts';

/** Records a body as it passes. */
export interface BodyTap {
  readonly requestPart: (chunk: Uint8Array) => void;
  /** Whether more waits to be written than may. */
  readonly isBehind: () => boolean;
  readonly whenWritten: (then: () => void) => void;
}

export interface UploadOptions {
  readonly request: IncomingMessage;
  /** What was read of the body before it turned out to be long. */
  readonly begun: readonly Buffer[];
  readonly recorder: BodyTap;
  /** A body over this size fails with `body_too_large`. */
  readonly maxBytes: number;
}

/**
 * A request body on its way to the provider, tapped into the record. It is read no faster than the provider takes it and the spool keeps up.
 *
 * Whoever gets one reads it to its end or destroys it. What the client still sends after that is read away: a client that writes its whole
 * body before it reads would else never see the answer, and the connection could not be used again.
 */
export class RequestBodyStream extends Readable {
  private readonly options: UploadOptions;
  private bytes = 0;
  private waitsForSpool = false;

  constructor(options: UploadOptions) {
    super();
    this.options = options;
    const { request, begun } = options;
    // An error that nobody listens for ends the process, and nobody may have begun to read.
    this.on('error', () => undefined);
    // Listening for data would start the flow; it starts when the provider wants it.
    request.pause();
    request.on('data', this.accept);
    request.once('end', this.finish);
    request.once('close', this.breakOff);
    for (const chunk of begun) this.accept(chunk);
  }

  override _read(): void {
    if (!this.waitsForSpool) this.options.request.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const { request } = this.options;
    request.off('data', this.accept);
    request.off('end', this.finish);
    request.off('close', this.breakOff);
    request.resume();
    callback(error);
  }

  private readonly accept = (chunk: Buffer): void => {
    const { request, recorder, maxBytes } = this.options;
    this.bytes += chunk.length;
    if (this.bytes > maxBytes) {
      this.destroy(bodyTooLarge(maxBytes));
      return;
    }
    recorder.requestPart(chunk);
    if (!this.push(chunk)) request.pause();
    if (!recorder.isBehind() || this.waitsForSpool) return;
    this.waitsForSpool = true;
    request.pause();
    recorder.whenWritten(() => {
      this.waitsForSpool = false;
      request.resume();
    });
  };

  private readonly finish = (): void => {
    this.push(null);
  };

  private readonly breakOff = (): void => {
    if (!this.options.request.readableEnded) this.destroy(new Error('the client left before its request was whole'));
  };
}

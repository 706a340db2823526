import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bodyTooLarge } from './request-body.ts';

/** Records a body as it passes. */
export interface BodyRecorder {
  readonly requestPart: (chunk: Uint8Array) => void;
  /** Whether more bytes wait for the spool than may. */
  readonly isBehind: () => boolean;
  readonly whenWritten: (then: () => void) => void;
}

export interface RequestBodyOptions {
  readonly request: IncomingMessage;
  /** The part that was read before the body turned out to be large. */
  readonly begun: readonly Buffer[];
  readonly recorder: BodyRecorder;
  /** A larger body fails with `body_too_large`. */
  readonly maxBytes: number;
}

/**
 * Streams a request body to the provider and records it, with back-pressure from both the provider and the spool.
 *
 * The consumer reads it to the end or destroys it. The rest of the client's bytes is then discarded: a client that writes its whole body
 * before it reads would otherwise never see the response, and the connection could not be reused.
 */
export class RequestBodyStream extends Readable {
  private readonly options: RequestBodyOptions;
  private bytes = 0;
  private waitsForSpool = false;

  constructor(options: RequestBodyOptions) {
    super();
    this.options = options;
    const { request, begun } = options;
    // Without a listener an error ends the process, and the consumer may not have one yet.
    this.on('error', () => undefined);
    // Adding a `data` listener would start the flow before the provider is ready.
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
